import Synchronization

/// Open idle connections; more are opened on demand. A connection has one user at a time and is discarded when it
/// breaks. After a failed attempt to connect, the pool refuses new attempts for an increasing time, so that no thread
/// blocks on an unavailable database.
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
    /// The maximum number of idle connections.
    private let limit: Int
    private let patience: Duration?

    static let firstWait: Duration = .milliseconds(50)
    static let maxWait: Duration = .seconds(2)

    init(_ address: PostgresAddress, patience: Duration?, keeping limit: Int = 8) {
        (self.address, self.patience) = (address, patience)
        self.limit = limit
    }

    /// - Throws: ``PostgresError`` if connecting fails, or the error of the body.
    func with<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
        let connection = try take()
        defer { giveBack(connection) }
        return try body(connection)
    }

    /// The same on a connection of its own, whose statements may take as long as they take.
    func withPatience<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
        try body(PostgresConnection(address))
    }

    private func take() throws -> PostgresConnection {
        let known = try state.withLock { state -> PostgresConnection? in
            while let connection = state.idle.popLast() { if connection.isAlive { return connection } }
            if let until = state.notBefore, clock.now < until, let error = state.lastError { throw error }
            return nil
        }
        if let known { return known }
        do {
            let connection = try PostgresConnection(address, patience: patience)
            state.withLock { ($0.failures, $0.notBefore) = (0, nil) }
            return connection
        } catch {
            state.withLock { refuse(&$0, because: error) }
            throw error
        }
    }

    private func refuse(_ state: inout State, because error: PostgresError) {
        let wait = min(Self.maxWait, Self.firstWait * (1 << min(state.failures, 10)))
        state.failures += 1
        (state.notBefore, state.lastError) = (clock.now + wait, error)
    }

    private func giveBack(_ connection: PostgresConnection) {
        state.withLock { state in
            if !connection.isOpen {
                // The others were most likely lost too: open a new one next time.
                state.idle = []
                // So that what waits for a database that hangs does not wait for each connection in turn.
                if connection.isGivenUp { refuse(&state, because: PostgresError("the database does not answer")) }
            } else if connection.isAtRest, state.idle.count < limit {
                state.idle.append(connection)
            }
        }
    }

    func close() { state.withLock { $0.idle = [] } }
}
