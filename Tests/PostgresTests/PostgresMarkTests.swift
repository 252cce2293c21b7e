import EngineCore
import Postgres
import PostgresSupport
import TestThreads
import Testing

/// Distinguishes a restored database from the one that the server left.
@Suite("The restore stamp of a PostgreSQL store", .serialized, .onDatabaseThreads) struct PostgresMarkTests {
    private let database: TestDatabase
    private let store: PostgresStore

    init() throws {
        database = try TestDatabase()
        store = try PostgresStore(database.address, patience: .seconds(60))
    }

    private func check(known: Int64, draws: Bool = false) throws -> (count: Int64, isRestored: Bool, renewals: Int) {
        var renewals = 0
        let (count, isRestored) = try store.checkMark(known: known, draws: draws) { _ in renewals += 1 }
        return (count, isRestored, renewals)
    }

    @Test func aDatabaseThatWasLeftIsTheSame() throws {
        let first = try check(known: 0)
        #expect(first == (1, false, 0))
        #expect(try check(known: 1) == (1, false, 0))
        #expect(try check(known: 1, draws: true) == (2, false, 0))
        #expect(try check(known: 0) == (2, false, 0), "a server that is new to the database")
        #expect(try check(known: 1) == (2, false, 0), "a server that was away")
    }

    @Test func oneThatHasCountedLessIsOlder() throws {
        _ = try check(known: 0)
        #expect(try check(known: 5) == (6, true, 1))
        #expect(try check(known: 6) == (6, false, 0), "repaired only once")
    }

    @Test func oneThatIsElsewhereWasLoadedFromADump() throws {
        _ = try check(known: 0)
        try PostgresConnection(database.address).execute("UPDATE mark SET place = 'another cluster'")
        #expect(try check(known: 1) == (2, true, 1))
        #expect(try check(known: 2) == (2, false, 0))
    }
}
