import Postgres
import PostgresSupport
import TestThreads
import Testing

@Suite("Connections to PostgreSQL", .serialized, .onDatabaseThreads) struct PostgresConnectionTests {
    @Test(arguments: [
        ("postgres://localhost/db", "postgres://localhost/db"),
        ("postgresql://ana:secret@host:5433/db?sslmode=require", "postgres://host:5433/db"),
        ("postgres://ana:s@cret@host/db", "postgres://host/db"), ("postgres://", "postgres://"),
    ])
    func anAddressIsShownWithoutItsSecrets(text: String, shown: String) throws {
        #expect("\(try #require(PostgresAddress(text)))" == shown)
    }

    @Test(arguments: ["", "sqlite:/x", "host=localhost", "http://localhost/db", "postgres://a/\0b"])
    func whatIsNoAddress(text: String) { #expect(PostgresAddress(text) == nil) }

    @Test func valuesComeBackAsTheyWere() throws {
        let connection = try PostgresConnection(TestDatabase().address)
        for text in ["", "é \u{1F600} '\\ \u{1}", String(repeating: "long ", count: 100_000)] {
            #expect(try connection.one("SELECT $1::text", [.text(text)]) { $0.text(0) } == text)
        }
        for integer in [0, 1, -1, .max, .min] as [Int64] {
            #expect(try connection.one("SELECT $1::bigint", [.integer(integer)]) { $0.integer(0) } == integer)
        }
        for bytes in [[], [0, 255, 0], Array(repeating: 7, count: 1 << 20)] as [[UInt8]] {
            #expect(try connection.one("SELECT $1::bytea", [.bytes(bytes)]) { $0.bytes(0) } == bytes)
        }
        #expect(try connection.one("SELECT $1::text", [nil]) { $0.optionalText(0) } == .some(nil))
        #expect(try connection.one("SELECT $1::bigint", [nil]) { $0.optionalInteger(0) } == .some(nil))
        for texts in [[], ["a"], ["", "é", "{\"x\",}", "NULL"]] {
            #expect(try connection.all("SELECT unnest($1::text[])", [.texts(texts)]) { $0.text(0) } == texts)
        }
    }

    @Test func anErrorHasItsStateAndTheConnectionGoesOn() throws {
        let connection = try PostgresConnection(TestDatabase().address)
        let division = #expect(throws: PostgresError.self) { try connection.run("SELECT 1 / $1::bigint", [0]) }
        #expect((division?.sqlState, division?.isPassing) == ("22012", false))
        let syntax = #expect(throws: PostgresError.self) { try connection.execute("SELEC 1") }
        #expect(syntax?.sqlState == "42601")
        let nul = #expect(throws: PostgresError.self) { try connection.run("SELECT $1::text", ["a\0b"]) }
        #expect(nul?.isUnstorableText == true)
        #expect(try connection.one("SELECT 7::bigint") { $0.integer(0) } == 7)
    }

    /// The connection goes on: PostgreSQL itself has cancelled the statement.
    @Test func aStatementThatTakesTooLongIsCancelled() throws {
        let address = try TestDatabase().address
        let other = try PostgresConnection(address)
        try other.execute("SELECT pg_advisory_lock(7)")
        let connection = try PostgresConnection(address, patience: .milliseconds(200))
        let error = #expect(throws: PostgresError.self) { try connection.execute("SELECT pg_advisory_lock(7)") }
        #expect((error?.sqlState, error?.isPassing) == ("57014", true))
        #expect(try connection.one("SELECT 7::bigint") { $0.integer(0) } == 7)
        withExtendedLifetime(other) {}
    }

    /// What follows on the connection would be the answer to something else.
    @Test func aDatabaseThatHangsIsGivenUp() throws {
        let postgres = try PostgresServer()
        let address = try #require(PostgresAddress(postgres.address("postgres")))
        let connection = try PostgresConnection(address, patience: .milliseconds(200))
        let text = String(repeating: "more than the kernel takes ", count: 1 << 20)
        try postgres.hang()
        for _ in 0..<2 {
            let error = #expect(throws: PostgresError.self) { try connection.run("SELECT $1::text", [.text(text)]) }
            #expect((error?.sqlState, error?.isPassing, connection.isOpen) == ("", true, false))
        }
        try postgres.goOn()
        #expect(throws: PostgresError.self) { try connection.execute("SELECT 1") }
        #expect(try PostgresConnection(address).one("SELECT $1::text", [.text(text)]) { $0.text(0) } == text)
    }

    @Test func severalStatementsHaveOneOutcome() throws {
        let connection = try PostgresConnection(TestDatabase().address)
        try connection.execute("CREATE TABLE a (n bigint); INSERT INTO a VALUES (1); INSERT INTO a VALUES (2)")
        for wrong in ["SELECT 1 / 0; SELECT 1", "SELECT 1; SELECT 1 / 0"] {
            let error = #expect(throws: PostgresError.self) { try connection.execute(wrong) }
            #expect(error?.sqlState == "22012")
        }
        #expect(try connection.one("SELECT count(*) FROM a") { $0.integer(0) } == 2)
    }

    @Test func aFailedTransactionIsNotCommitted() throws {
        let connection = try PostgresConnection(TestDatabase().address)
        try connection.execute("BEGIN")
        #expect(throws: PostgresError.self) { try connection.execute("SELECT 1 / 0") }
        #expect(throws: PostgresError.self) { try connection.commit() }
        #expect(connection.isAtRest)
    }

    @Test func nobodyThereIsAnErrorThatPasses() throws {
        let address = try #require(PostgresAddress("postgres://nobody@%2Fnowhere/db"))
        let error = #expect(throws: PostgresError.self) { _ = try PostgresConnection(address) }
        #expect((error?.sqlState, error?.isPassing) == ("", true))
        let store = #expect(throws: PostgresStoreError.self) { _ = try PostgresStore(address) }
        #expect(store.map { "\($0)" }?.contains("postgres:///nowhere/db") == false)
    }
}
