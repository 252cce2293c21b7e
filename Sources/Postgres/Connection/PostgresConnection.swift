import Annotations
import CPostgres
import Glibc

/// One connection, used for one statement at a time. Calls block until the statement is answered, or until the database
/// has been silent for longer than ``patience``; the connection is then given up.
///
/// Unchecked: libpq requires only that one thread at a time uses a connection, and the pool lends each to one user at a
/// time.
package final class PostgresConnection: @unchecked Sendable {
    let pointer: OpaquePointer
    /// The names of prepared statements, keyed by their text.
    private var prepared: [String: String] = [:]
    /// How long the database may be silent while a statement runs; nil: as long as it takes.
    private var patience: Duration?
    /// Whether a statement was given up: what follows on the connection would be its answer.
    private(set) var isGivenUp = false

    /// - Parameter patience: The database itself cancels a statement that takes this long; a second later it counts as
    ///   hanging. nil: both never.
    /// - Throws: ``PostgresError``, without a state if the database cannot be reached.
    package init(_ address: PostgresAddress, patience: Duration? = nil) throws(PostgresError) {
        if let problem = cp_load() { throw PostgresError(missingLibrary: String(cString: problem)) }
        // Later values win: the address may set these timeouts, but not the encoding.
        let parameters = [
            ("connect_timeout", "5"), ("tcp_user_timeout", "10000"), ("dbname", address.uri),
            ("client_encoding", "UTF8"), ("application_name", "postilla"),
        ]
        guard let pointer = Self.open(parameters) else { throw PostgresError("out of memory") }
        guard cp_status(pointer) == CONNECTION_OK else {
            let message = String(cString: cp_errorMessage(pointer))
            cp_finish(pointer)
            throw PostgresError(message)
        }
        self.pointer = pointer
        self.patience = patience.map { $0 + .seconds(1) }
        // Keeps server notices off standard error.
        cp_setNoticeProcessor(pointer, { _, _ in }, nil)
        _ = cp_setnonblocking(pointer, 1)
        if let patience { try execute("SET statement_timeout = \(Self.milliseconds(patience))") }
    }

    deinit { cp_finish(pointer) }

    private static func open(_ parameters: [(String, String)]) -> OpaquePointer? {
        let texts = parameters.flatMap { [$0.0, $0.1] }.map { Array($0.utf8CString) }
        let all = texts.joined().map(\.self)
        return all.withUnsafeBufferPointer { bytes in
            var starts: [UnsafePointer<CChar>?] = []
            var offset = 0
            for text in texts {
                starts.append(bytes.baseAddress.map { $0 + offset })
                offset += text.count
            }
            let keys = stride(from: 0, to: starts.count, by: 2).map { starts[$0] } + [nil]
            let values = stride(from: 1, to: starts.count, by: 2).map { starts[$0] } + [nil]
            return cp_connectdbParams(keys, values, 1)
        }
    }

    private static func milliseconds(_ time: Duration) -> Int64 { max(1, Int64(time / .milliseconds(1))) }

    /// Runs statements that may take longer than others, within a transaction.
    func withPatience<Result>(_ time: Duration, _ body: () throws -> Result) throws -> Result {
        let usual = patience
        guard let usual else { return try body() }
        try execute("SET LOCAL statement_timeout = \(Self.milliseconds(time))")
        patience = time + .seconds(1)
        defer { patience = usual }
        let result = try body()
        try execute("SET LOCAL statement_timeout = \(Self.milliseconds(usual - .seconds(1)))")
        return result
    }

    package var isOpen: Bool { !isGivenUp && cp_status(pointer) == CONNECTION_OK }

    // MARK: Statements

    /// Runs one statement, or several separated by semicolons, without parameters.
    package func execute(_ sql: String) throws(PostgresError) {
        cp_clear(try answer { cp_sendQuery(pointer, sql) })
    }

    /// Commits. PostgreSQL rolls back a failed transaction instead, which only the command tag shows.
    package func commit() throws(PostgresError) {
        let result = try answer { cp_sendQuery(pointer, "COMMIT") }
        defer { cp_clear(result) }
        guard String(cString: cp_cmdStatus(result)) == "COMMIT" else {
            throw PostgresError(sqlState: "25P02", "the transaction has failed")
        }
    }

    /// Runs a statement, prepared on first use.
    package func run(_ sql: String, _ values: [PostgresValue] = []) throws(PostgresError) {
        cp_clear(try answer(sql, values))
    }

    package func all<Value>(
        _ sql: String, _ values: [PostgresValue] = [], _ read: (PostgresRow) throws -> Value
    ) throws -> [Value] {
        let result = try answer(sql, values)
        defer { cp_clear(result) }
        return try (0..<cp_ntuples(result)).map { try read(PostgresRow(result: result, index: $0)) }
    }

    package func one<Value>(
        _ sql: String, _ values: [PostgresValue] = [], _ read: (PostgresRow) throws -> Value
    ) throws -> Value? {
        let result = try answer(sql, values)
        defer { cp_clear(result) }
        return cp_ntuples(result) > 0 ? try read(PostgresRow(result: result, index: 0)) : nil
    }

    private func answer(_ sql: String, _ values: [PostgresValue]) throws(PostgresError) -> OpaquePointer {
        let name = try prepare(sql)
        let binaries = values.map(\.binary)
        // In one buffer, so that only one pointer must stay valid while libpq reads.
        let bytes = binaries.flatMap { $0 ?? [] }
        return try answer {
            bytes.withUnsafeBytes { buffer in
                var starts: [UnsafePointer<CChar>?] = []
                var offset = 0
                // An empty text is not NULL and therefore needs an address.
                let empty = UnsafePointer<CChar>(bitPattern: 1)
                for binary in binaries {
                    let start = buffer.baseAddress.map { ($0 + offset).assumingMemoryBound(to: CChar.self) }
                    starts.append(binary.map { $0.isEmpty ? empty : start } ?? nil)
                    offset += binary?.count ?? 0
                }
                let lengths = binaries.map { CInt($0?.count ?? 0) }
                let formats = [CInt](repeating: 1, count: values.count)
                return cp_sendQueryPrepared(pointer, name, CInt(values.count), starts, lengths, formats, 1)
            }
        }
    }

    private func prepare(_ sql: String) throws(PostgresError) -> String {
        if let name = prepared[sql] { return name }
        let name = "s\(prepared.count)"
        cp_clear(try answer { cp_sendPrepare(pointer, name, sql, 0, nil) })
        prepared[sql] = name
        return name
    }

    /// Sends a statement and waits for its answer.
    ///
    /// - Returns: The result of the last statement, if there are several.
    private func answer(_ send: () -> CInt) throws(PostgresError) -> OpaquePointer {
        guard isOpen, send() == 1 else { throw failure }
        var last: OpaquePointer?
        while true {
            do { try wait() } catch {
                last.map(cp_clear)
                throw error
            }
            guard let result = cp_getResult(pointer) else { break }
            last.map(cp_clear)
            last = result
        }
        guard let last else { throw failure }
        return try check(last)
    }

    /// Waits until a result can be taken without blocking (PostgreSQL manual, "Asynchronous Command Processing").
    private func wait() throws(PostgresError) {
        var end = patience.map { ContinuousClock.now + $0 }
        var unsent = cp_flush(pointer)
        while unsent >= 0 {
            if unsent == 0, cp_isBusy(pointer) == 0 { return }
            let events = POLLIN | (unsent == 1 ? POLLOUT : 0)
            var watched = pollfd(fd: socket, events: Int16(events), revents: 0)
            let left = end.map { max(0, ($0 - ContinuousClock.now) / .milliseconds(1)) }
            let found = poll(&watched, 1, left.map { CInt($0.rounded(.up)) } ?? -1)
            if found == 0 {
                isGivenUp = true
                throw PostgresError("the database has not answered for \(patience ?? .zero)")
            }
            guard found > 0 || errno == EINTR else { break }
            if Int32(watched.revents) & ~Int32(POLLOUT) != 0 { guard cp_consumeInput(pointer) == 1 else { break } }
            // Room for more bytes is a sign of the database, too.
            if found > 0 { end = patience.map { ContinuousClock.now + $0 } }
            if unsent == 1 { unsent = cp_flush(pointer) }
        }
        throw failure
    }

    /// Why the connection does not work.
    private var failure: PostgresError { PostgresError(String(cString: cp_errorMessage(pointer))) }

    /// - Throws: ``PostgresError``, after freeing the result.
    private func check(_ result: OpaquePointer) throws(PostgresError) -> OpaquePointer {
        switch cp_resultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return result
        default:
            defer { cp_clear(result) }
            guard let state = cp_sqlstate(result), isOpen else {
                throw failure
            }
            throw PostgresError(
                sqlState: String(cString: state), cp_message(result).map { String(cString: $0) } ?? "")
        }
    }
}

extension PostgresConnection {
    /// Whether the peer of an idle connection is still there, checked without a query.
    package var isAlive: Bool {
        var watched = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        while isOpen, poll(&watched, 1, 0) > 0 { guard cp_consumeInput(pointer) == 1 else { return false } }
        return isOpen
    }

    var socket: CInt { cp_socket(pointer) }

    /// Whether the connection is idle and outside a transaction.
    package var isAtRest: Bool { cp_transactionStatus(pointer) == PQTRANS_IDLE }
}

/// The address of a database, `postgres://user@host:port/database`, as libpq parses it (PostgreSQL manual, "Connection
/// URIs"). Put passwords into `PGPASSWORD` or `~/.pgpass`: everyone on the machine can read arguments.
package struct PostgresAddress: Hashable, Sendable, CustomStringConvertible {
    let uri: String

    /// - Returns: nil if it is not such an address.
    package init?(_ text: String) {
        guard ["postgres://", "postgresql://"].contains(where: { text.begins(with: $0) }), !text.utf8.contains(0) else {
            return nil
        }
        uri = text
    }

    /// Without user, password and options.
    package var description: String {
        let rest = uri.parted(atFirst: ":")?.after.dropFirst(scalars: 2) ?? ""
        let place = rest.prefix(whileScalar: { $0 != "?" })
        return "postgres://" + (place.parted(atLast: "@")?.after ?? place)
    }
}
