import Annotations
import GRDB
import InstantCore
import SyncProtocol
import Synchronization
import Testing

@testable import Instant

/// The statements that a store runs to apply remote changes, the main work of a listening client.
@Suite struct StatementTests {
    private let folder: TemporaryFolder
    private let store: LocalSQLiteStore
    private let layer: Layer

    init() throws {
        folder = try TemporaryFolder()
        store = try LocalSQLiteStore(path: folder.path + "/layer.sqlite")
        let identity = LayerIdentity(server: "s", documentID: "doc", layer: "", userID: "ana")
        try store.found(identity, now: Timestamp(seconds: 1))
        layer = Layer(store: WriterConnectionStore(store: store))
        let page = SnapshotPage(epoch: "e", at: 3, records: [item("a", 1), item("b", 3)], next: nil)
        _ = try layer.take(page, for: try #require(try layer.nextPage(epoch: "e")))
    }

    private func item(_ id: String, _ revision: Revision) -> SyncItem {
        .record(Record(id: id, content: note("words of \(revision)"), updatedBy: "ben"), revision)
    }

    private func take(_ revision: Revision, _ items: SyncItem...) throws {
        _ = try layer.take(ChangeEvent(epoch: "e", revision: revision, previous: 0, changes: items))
    }

    /// The statements of the write connection, without their values.
    private func statements(_ body: () throws -> Void) throws -> [String] {
        let told = Told()
        func trace(_ tell: Bool) throws {
            // Uses the same durability as the traced writes: it is set between two transactions, and only when it
            // changes.
            try store.write(.recoverable) { transaction in
                let db = try #require(transaction as? LocalSQLiteTransaction).db
                if tell { db.trace { told.add($0) } } else { db.trace(options: []) }
            }
        }
        try trace(true)
        try body()
        let all = told.all
        try trace(false)
        // Excludes the end of the transaction during which the trace started.
        return Array(all.drop { $0 == "COMMIT" })
    }

    @Test func aChangeOfSomebodyElseAsksNothingTwice() throws {
        for change in [item("c", 4), item("c", 5), .removed("c", 6)] {
            let told = try statements { try take(change.revision, change) }
            #expect(Set(told).count == told.count, "\(told)")
            #expect(told.count { $0.contains("outbox") } == 1, "\(told)")
            // The metadata is a thousand bytes of JSON, in which one number has changed: it is not written anew.
            #expect(!told.contains { $0.contains("INTO facts") || $0.contains("json =") }, "\(told)")
            #expect(told.count { $0.contains("UPDATE facts SET cursor_revision") } == 1, "\(told)")
        }
    }

    /// Two distinct records in the store whose strings are equal in Swift.
    @Test func whatWasReceivedIsToldApartByItsBytes() throws {
        let (one, other) = ("\u{E9}", "e\u{301}")
        try take(5, item(one, 4), item(other, 5))
        #expect(try layer.row(one)?.text == "words of 4")
    }
}

/// Statements in the order they ran.
private final class Told: Sendable {
    private let statements = Mutex<[String]>([])

    var all: [String] { statements.withLock { $0 } }

    func add(_ event: Database.TraceEvent) {
        guard case .statement(let statement) = event else { return }
        statements.withLock { $0.append(statement.sql.split(separator: "\n").joined(separator: " ")) }
    }
}
