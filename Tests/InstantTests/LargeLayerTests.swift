import Annotations
import Foundation
import InstantCore
import SyncProtocol
import Testing

@testable import Instant

/// A layer is never loaded whole: reading a screenful takes about as long in a large layer as in a small one. Counts
/// the steps of SQLite's virtual machine, which do not depend on the load of the computer.
@Suite struct LargeLayerTests {
    @Test func aWindowOfALargeLayerIsQuick() throws {
        let folder = try TemporaryFolder()
        let store = try LocalSQLiteStore(path: folder.path + "/layer.sqlite")
        let identity = LayerIdentity(server: "s", documentID: "doc", layer: "", userID: "ana")
        try store.found(identity, now: Timestamp(seconds: 1))
        let layer = Layer(store: store)
        let count = Int(ProcessInfo.processInfo.environment["LARGE_LAYER"] ?? "") ?? 10_000
        try fill(layer, count: count)
        let query = ListQuery()
        var found = ListQuery()
        found.filter.text = "words 77"
        // Shown rows are read; the rows between are at most counted in an index.
        let questions: [(String, most: Int, () throws -> Void)] = [
            ("first window", count / 2, { _ = try layer.rows(query, offset: 0, limit: 40) }),
            ("page", count / 2, { _ = try layer.rows(onPage: 7) }),
            ("last window", count * 10, { _ = try layer.rows(query, offset: count - 40, limit: 40) }),
            ("count", count * 10, { _ = try layer.count(query) }),
            ("position", count * 10, { _ = try store.read { try $0.position(of: "id-\(count - 1)", in: query) } }),
            ("filtered window", count * 30, { _ = try layer.rows(found, offset: 0, limit: 40) }),
        ]
        for (what, most, ask) in questions {
            let before = store.cache.steps
            try ask()
            let steps = store.cache.steps - before
            #expect((1...most).contains(steps), "\(what) of \(count): \(steps) steps")
        }
        let opened = try LocalSQLiteStore(path: store.path)
        _ = try Layer(store: opened).rows(query, offset: 0, limit: 40)
        #expect((1...count / 2).contains(opened.cache.steps), "opening: \(opened.cache.steps) steps")
    }

    private func fill(_ layer: Layer, count: Int) throws {
        for start in stride(from: 0, to: count, by: 1000) {
            let items = (start..<min(start + 1000, count)).map { number -> SyncItem in
                let content = note("words \(number) and more").changing { object in
                    object["pageIndex"] = .number(JSONNumber(Int64(number % 300)))
                    object["creatorName"] = .string("Author \(number % 17)")
                }
                return .record(Record(id: "id-\(number)", content: content), Int64(number))
            }
            let asked = try #require(try layer.nextPage(epoch: "e"))
            let next = start + 1000 < count ? "page-\(String(repeating: "x", count: start / 1000))" : nil
            _ = try layer.take(
                SnapshotPage(epoch: "e", at: Int64(count), records: items, next: next), for: asked)
        }
    }
}
