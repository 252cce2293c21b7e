import Synchronization

/// Connections that are open and idle, opened as they are needed. Whoever takes one has it alone; one that broke is not
/// kept. After a failure it waits before it tries again, longer each time: until then everybody is refused at once,
/// and no thread is held by a database that is away.
final class PostgresPool: Sendable {
    private struct State {
        var idle: [PostgresConnection] = []
        var failures = 0
        var notBefore: ContinuousClock.Instant?
        var lastError: PostgresError?
    }

    private let address: PostgresAddress
    private let state = Mutex(State())
    private let clock = ContinuousClock()
    /// Connections kept for later.
    private let limit: Int

    static let firstWait: Duration = .milliseconds(50)
    static let maxWait: Duration = .seconds(2)

    init(_ address: PostgresAddress, keeping limit: Int = 8) {
        self.address = address
        self.limit = limit
    }

    /// - Throws: ``PostgresError`` of the connection or of the body.
    func with<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
        let connection = try take()
        defer { giveBack(connection) }
        return try body(connection)
    }

    private func take() throws -> PostgresConnection {
        let known = try state.withLock { state -> PostgresConnection? in
            while let connection = state.idle.popLast() { if connection.isAlive { return connection } }
            if let until = state.notBefore, clock.now < until, let error = state.lastError { throw error }
            return nil
        }
        if let known { return known }
        do {
            let connection = try PostgresConnection(address)
            state.withLock { ($0.failures, $0.notBefore) = (0, nil) }
            return connection
        } catch {
            state.withLock { state in
                let wait = min(Self.maxWait, Self.firstWait * (1 << min(state.failures, 10)))
                state.failures += 1
                (state.notBefore, state.lastError) = (clock.now + wait, error)
            }
            throw error
        }
    }

    private func giveBack(_ connection: PostgresConnection) {
        state.withLock { state in
            if !connection.isOpen {
                // The others were most likely lost with it: whoever comes next gets a new one.
                state.idle = []
            } else if connection.isAtRest, state.idle.count < limit {
                state.idle.append(connection)
            }
        }
    }

    func close() { state.withLock { $0.idle = [] } }
}
