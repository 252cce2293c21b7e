import CPostgres
import Dispatch
import Glibc
import Synchronization

/// Receives the messages of ``PostgresStore/notify(_:)`` from all servers, on its own dispatch queue and connection.
/// Reconnects with growing delays; messages sent meanwhile are lost.
package final class PostgresListener: Sendable {
    package enum Event: Hashable, Sendable {
        /// All messages are received from now on.
        case connected
        case notice(String)
        /// No messages are received until the next connection; reported once.
        case lost(PostgresError)
    }

    static let channel = "postilla"
    private static let firstWait: Int32 = 50
    private static let maxWait: Int32 = 2000

    private let address: PostgresAddress
    private let handle: @Sendable (Event) -> Void
    /// One end of a pair, closed to stop the thread wherever it waits. -1: already closed.
    private let stopping: Mutex<CInt>
    /// The other end.
    private let stopped: CInt

    /// Starts listening.
    ///
    /// - Parameter handle: called on the listener's thread.
    package init(_ address: PostgresAddress, _ handle: @escaping @Sendable (Event) -> Void) {
        self.address = address
        self.handle = handle
        let ends = Self.pair()
        stopped = ends.0
        stopping = Mutex(ends.1)
        DispatchQueue(label: "postilla.notices").async { [self] in run() }
    }

    /// Returns two descriptors: the first becomes readable when the second is closed. Child processes inherit neither: a
    /// copy of the second would keep the thread waiting.
    static func pair() -> (CInt, CInt) {
        var ends: [CInt] = [-1, -1]
        // Swift does not import pipe2.
        _ = socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
        return (ends[0], ends[1])
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

    /// Waits until the socket is readable, or until the timeout (in milliseconds; negative: none).
    ///
    /// - Returns: whether the listener was stopped.
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
    /// Returns the messages since the last call.
    func notices() throws(PostgresError) -> [String] {
        guard cp_consumeInput(pointer) == 1 else { throw PostgresError(String(cString: cp_errorMessage(pointer))) }
        var texts: [String] = []
        while let notice = cp_notifies(pointer) {
            texts.append(String(cString: notice.pointee.extra))
            cp_freemem(notice)
        }
        return texts
    }
}

extension PostgresStore {
    /// Sends messages to every listener, in a separate transaction: NOTIFY takes a lock on the whole database server,
    /// and no other commit must wait for it.
    package func notify(_ texts: [String]) throws {
        try transaction {
            try $0.run(
                "SELECT pg_notify('\(PostgresListener.channel)', text) FROM unnest($1::text[]) AS text", [.texts(texts)]
            )
        }
    }
}
