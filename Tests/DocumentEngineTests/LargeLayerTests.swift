import Annotations
import Authorization
import DocumentEngine
import EngineCore
import SyncProtocol
import TestSupport
import Testing

/// A large layer is as quick as a small one: nothing that a request asks walks through all of it.
@Suite("Large layers", .timeLimit(.minutes(2))) struct LargeLayerTests {
    private static let count = 20_000

    @Test func aRequestTouchesWhatItNeedsOnly() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(path: folder.path + "/store.sqlite")
        let grant = Grant(documentID: "doc", userID: "ana", expiresAt: Timestamp(seconds: 1))
        let now = Timestamp(seconds: 0)
        let layer = try store.write { store in
            let page = StoredDocument.Page(width: 1, height: 1)
            let base = try store.addBase([])
            try store.put(
                StoredDocument(
                    id: "doc", title: "", pdfSHA256: "", pdfBytes: 0, createdAt: now, base: base, pages: [page]))
            let layer = try store.addLayer(LayerKey(document: "doc", name: ""), generation: "g")
            var writer = BackendWriter(layer, in: store, now: now)
            for n in 0..<Self.count { try writer.create("n\(n)", Samples.note("\(n)"), user: nil, group: nil) }
            return writer.commit.layer
        }
        let clock = ContinuousClock()
        // A hundred pages, a hundred deltas and a hundred deletions with their threads: seconds each if one of them
        // were to look at every record.
        let spent = try clock.measure {
            for n in 0..<100 {
                try store.read { store in
                    let view = LayerView(layer, scope: grant.viewScope, in: store)
                    let page = try view.snapshot(after: "n\(n)", limit: 10)
                    #expect(page.records.count == 10)
                    let cursor = Cursor(epoch: view.epoch, revision: Revision(Self.count - 10))
                    #expect(try view.delta(since: cursor, limit: 10).changes.count == 10)
                    #expect(try store.thread(of: "n\(n)", in: layer).isEmpty)
                    #expect(try store.cascade(of: Revision(n), in: layer).isEmpty)
                }
            }
        }
        #expect(spent < .seconds(2), "\(spent)")
        try store.close()
    }
}
