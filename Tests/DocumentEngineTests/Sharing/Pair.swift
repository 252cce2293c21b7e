import DocumentEngine
import Postgres
import PostgresSupport

/// Two servers on one database, each with its own folder.
struct Pair: Sendable {
    let one: RunningServer
    let other: RunningServer

    /// - Parameter lookEvery: How often a server polls for changes it was not notified of.
    static func run(
        on address: PostgresAddress? = nil, lookEvery: Duration = .seconds(60), deafAfter: Duration = .seconds(60),
        patience: Duration = .seconds(60),
        _ body: (Pair) async throws -> Void
    ) async throws {
        let address = try address ?? TestDatabase().address
        let change = { (options: inout Server.Options) in
            options.postgres = address
            options.lookEvery = lookEvery
            options.deafAfter = deafAfter
            options.databasePatience = patience
        }
        try await RunningServer.run(change) { one in
            try await RunningServer.run(clock: one.clock, change) { other in
                try await body(Pair(one: one, other: other))
            }
        }
    }
}
