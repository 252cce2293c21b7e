import Annotations
import Authorization
import EngineCore
import GRDBSQLite
import SyncProtocol
import TestSupport
import Testing

@testable import DocumentEngine

/// A large layer is as fast as a small one: no request scans the whole layer. Counts the steps of SQLite's virtual
/// machine, which do not depend on the load of the computer.
@Suite("Large layers", .timeLimit(.minutes(15))) struct LargeLayerTests {
    private static let count = 20_000

    @Test func aRequestTouchesWhatItNeedsOnly() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(path: folder.path + "/store.sqlite")
        let grant = Grant(documentID: "doc", userID: "ana", expiresAt: Timestamp(seconds: 1))
        let now = Timestamp(seconds: 0)
        let layer = try store.write { store in
            let page = ServerDocument.Page(width: 1, height: 1)
            let base = try store.addBase([])
            try store.put(
                ServerDocument(
                    id: "doc", title: "", pdfSHA256: "", pdfBytes: 0, createdAt: now, base: base, pages: [page]))
            let layer = try store.addLayer(LayerKey(document: "doc", name: ""), generation: "g")
            var writer = BackendWriter(layer, in: store, now: now)
            for n in 0..<Self.count { try writer.create("n\(n)", Samples.note("\(n)"), user: nil, group: nil) }
            return writer.commit.layer
        }
        // A page, a delta and a deletion with its thread.
        for n in 0..<5 {
            let steps = try store.read { store in
                let view = LayerView(layer, scope: grant.viewScope, in: store)
                let page = try view.page(after: "n\(n)", limit: 10)
                #expect(page.records.count == 10)
                let cursor = Cursor(epoch: view.epoch, revision: Revision(Self.count - 10))
                #expect(try view.delta(since: cursor, limit: 10).changes.count == 10)
                #expect(try store.thread(of: "n\(n)", in: layer).isEmpty)
                #expect(try store.cascade(of: Revision(n), in: layer).isEmpty)
                return try #require(store as? SQLiteTransaction).takeSteps()
            }
            #expect((1..<Self.count).contains(steps), "\(steps) steps")
        }
        try store.close()
    }
}

extension SQLiteTransaction {
    /// The steps of all statements on its connection since the last call.
    fileprivate func takeSteps() -> Int {
        var steps = 0
        var statement = sqlite3_next_stmt(database.sqliteConnection, nil)
        while statement != nil {
            steps += Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1))
            statement = sqlite3_next_stmt(database.sqliteConnection, statement)
        }
        return steps
    }
}
