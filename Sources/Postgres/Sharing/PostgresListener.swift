import CPostgres
import Dispatch
import Glibc
import Synchronization

/// Hears what ``PostgresStore/notify(_:)`` of any server says, on a thread and a connection of its own. A connection that is
/// lost is made again, after waits that grow; what was said meanwhile is lost.
package final class PostgresListener: Sendable {
    package enum Event: Hashable, Sendable {
        /// From now on everything is heard.
        case connected
        case notice(String)
        /// Nothing is heard until it is connected again; said once.
        case lost(PostgresError)
    }

    static let channel = "postilla"
    private static let firstWait: Int32 = 50
    private static let maxWait: Int32 = 2000

    private let address: PostgresAddress
    private let handle: @Sendable (Event) -> Void
    /// A pipe whose one end is closed to stop the thread, wherever it waits. -1: closed.
    private let stopping: Mutex<CInt>
    private let stopped: CInt

    /// Begins at once.
    ///
    /// - Parameter handle: called on the listener's thread.
    package init(_ address: PostgresAddress, _ handle: @escaping @Sendable (Event) -> Void) {
        self.address = address
        self.handle = handle
        var ends: [CInt] = [-1, -1]
        _ = pipe(&ends)
        stopped = ends[0]
        stopping = Mutex(ends[1])
        DispatchQueue(label: "postilla.notices").async { [self] in run() }
    }

    package func stop() {
        stopping.withLock { end in
            if end >= 0 { close(end) }
            end = -1
        }
    }

    private func run() {
        defer { close(stopped) }
        var wait = Self.firstWait
        var isLost = false
        while true {
            do {
                let connection = try PostgresConnection(address)
                try connection.execute("LISTEN \(Self.channel)")
                (wait, isLost) = (Self.firstWait, false)
                handle(.connected)
                if try listen(connection) { return }
            } catch {
                if !isLost { handle(.lost(error)) }
                isLost = true
                if isStopped(or: -1, within: wait) { return }
                wait = min(wait * 2, Self.maxWait)
            }
        }
    }

    /// - Returns: true when it was stopped.
    private func listen(_ connection: PostgresConnection) throws(PostgresError) -> Bool {
        while true {
            for notice in try connection.notices() { handle(.notice(notice)) }
            if isStopped(or: connection.socket, within: -1) { return true }
        }
    }

    /// Waits until there is something to read, or the time (in milliseconds, negative: for ever) is over.
    private func isStopped(or socket: CInt, within time: Int32) -> Bool {
        var watched = [
            pollfd(fd: stopped, events: Int16(POLLIN), revents: 0),
            pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&watched, 2, time)
        return watched[0].revents != 0
    }
}

extension PostgresConnection {
    /// What has come since the last call.
    func notices() throws(PostgresError) -> [String] {
        guard PQconsumeInput(pointer) == 1 else { throw PostgresError(String(cString: PQerrorMessage(pointer))) }
        var texts: [String] = []
        while let notice = PQnotifies(pointer) {
            texts.append(String(cString: notice.pointee.extra))
            PQfreemem(notice)
        }
        return texts
    }
}

extension PostgresStore {
    /// Tells every listener, in a transaction of its own: notices are given under a lock of the whole database server,
    /// which no other commit is to wait for.
    package func notify(_ texts: [String]) throws {
        try transaction {
            try $0.run(
                "SELECT pg_notify('\(PostgresListener.channel)', text) FROM unnest($1::text[]) AS text", [.texts(texts)]
            )
        }
    }
}
