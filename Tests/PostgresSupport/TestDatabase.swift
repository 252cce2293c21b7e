package import Postgres
import Synchronization

/// A test's empty database, on the one PostgreSQL server of this test run.
package struct TestDatabase: Sendable {
    /// The address as `--store` accepts it.
    package let text: String
    package var address: PostgresAddress { PostgresAddress(text)! }

    package init() throws {
        let server = try Self.server.get()
        let name = "test_\(Self.count.wrappingAdd(1, ordering: .relaxed).newValue)"
        try PostgresConnection(PostgresAddress(server.address("postgres"))!).execute("CREATE DATABASE \(name)")
        text = server.address(name)
    }

    private static let server = Result { try PostgresServer() }
    private static let count = Atomic<Int>(0)
}
