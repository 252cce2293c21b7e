import Annotations
import EngineCore
import Glibc
import SyncProtocol
import Synchronization
import Testing

@testable import DocumentEngine

/// Work on many records runs in short transactions, with other writes between them.
@Suite("Work in pieces", .timeLimit(.minutes(15))) struct PiecesTests {
    private static let source = LayerKey(document: "doc", name: "source")
    private static let copy = LayerKey(document: "doc", name: "copy")
    private static let other = LayerKey(document: "doc", name: "other")
    private static let now = Timestamp(seconds: 1_700_000_000)
    private static let count = 1_300

    private let store = WatchedStore()
    private let engine: Engine

    init() throws {
        engine = Engine(store: store, limits: ServerLimits(), now: { Self.now })
        try store.write { store in
            let base = try store.addBase([])
            try store.put(
                ServerDocument(
                    id: "doc", title: "", pdfSHA256: "", pdfBytes: 0, createdAt: Self.now, base: base,
                    pages: [ServerDocument.Page(width: 612, height: 792)]))
            _ = try store.addLayer(Self.other, generation: "o")
            var writer = BackendWriter(
                try store.addLayer(Self.source, generation: "s"), in: store, now: Self.now)
            for n in 0..<Self.count { try writer.create("n\(n)", Samples.note("\(n)"), user: nil, group: nil) }
        }
    }

    private func copyLayer() async throws {
        let copy = try await engine.read { try StagedCopy(ofLayer: "source", to: Self.copy, in: $0, now: Self.now) }
        try await engine.perform(copy)
    }

    private func copyDocument() async throws {
        let copy = try await engine.read { store in
            try StagedCopy(of: try #require(try store.document("doc")), to: "copy", in: store, now: Self.now)
        }
        try await engine.perform(copy)
    }

    /// Queues a write from within a transaction, on the writer's thread. The write is waiting when this returns.
    private func enqueue(_ body: @escaping @Sendable (any StoreWriting) throws -> Void) {
        let before = engine.writes.waiting
        Task { [engine] in try await engine.writes.perform(body) }
        while engine.writes.waiting == before { _ = poll(nil, 0, 1) }
    }

    private func writeToOther(_ name: String) {
        enqueue { store in
            let layer = try store.layer(Self.other)
            var writer = BackendWriter(try #require(layer), in: store, now: Self.now)
            try writer.create(name, Samples.note(name), user: nil, group: nil)
        }
    }

    private func rows(_ key: LayerKey) throws -> Int {
        try store.read { store in
            try store.layer(key).map { try store.live(in: $0, after: nil, limit: .max).count } ?? 0
        }
    }

    private var remains: PendingRemovals {
        get throws { try store.read { try PendingRemovals(before: Self.now + 1, in: $0) } }
    }

    @Test func aCopyLetsOtherWritesThrough() async throws {
        // A write that is queued at the end of one piece completes after the next piece.
        let seen = Mutex<[Bool]>([])
        store.watch(after: { [self] number in
            guard number <= 4 else { return }
            let isUnseen = (try? rows(Self.copy)) == 0
            seen.withLock { $0.append(isUnseen) }
            writeToOther("w\(number)")
        })
        try await copyLayer()
        #expect(try rows(Self.copy) == Self.count)
        #expect(try rows(Self.other) >= 2, "written between its pieces")
        #expect(seen.withLock { $0.prefix(2) } == [true, true], "no partial copy is visible")
        #expect(store.transactions.count > Self.count / Pieces.records)
        // Each may share its transaction with one other write.
        #expect(store.transactions.allSatisfy { $0 <= Pieces.records + 1 }, "\(store.transactions)")
    }

    @Test func copiesAtTheSameTimeTakeTurns() async throws {
        store.watch()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in ["a", "b", "c"] {
                group.addTask {
                    let key = LayerKey(document: "doc", name: name)
                    let copy = try await engine.read {
                        try StagedCopy(ofLayer: "source", to: key, in: $0, now: Self.now)
                    }
                    try await engine.perform(copy)
                }
            }
            try await group.waitForAll()
        }
        for name in ["a", "b", "c"] { #expect(try rows(LayerKey(document: "doc", name: name)) == Self.count) }
        #expect(store.transactions.allSatisfy { $0 <= Pieces.records }, "\(store.transactions)")
    }

    @Test func aDocumentIsCopiedInPieces() async throws {
        store.watch()
        try await copyDocument()
        #expect(try rows(LayerKey(document: "copy", name: "source")) == Self.count)
        #expect(try store.read { try $0.layerNames(of: "copy") } == ["other", "source"])
        #expect(store.transactions.allSatisfy { $0 <= Pieces.records }, "\(store.transactions)")
    }

    @Test func whatWasDeletedIsGoneAtOnceAndRemovedInPieces() async throws {
        let layer = try #require(try store.read { try $0.layer(Self.source) })
        try store.write { try $0.removeLayer(layer, at: Self.now) }
        #expect(try store.read { try $0.layerNames(of: "doc") } == ["other"])
        store.watch(after: { [self] number in if number == 1 { writeToOther("w") } })
        await engine.remove(PendingRemovals(layers: [layer.id]))
        #expect(try remains.isEmpty)
        #expect(try rows(Self.other) == 1)
        #expect(store.transactions.count > Self.count / Pieces.records)
        #expect(store.transactions.allSatisfy { $0 <= Pieces.records + 1 }, "\(store.transactions)")
    }

    @Test(arguments: [1, 2, 3], [false, true])
    func aCopyThatFailsLeavesNothing(_ failing: Int, _ isDocument: Bool) async throws {
        store.watch(failing: { $0 == failing })
        await #expect(throws: WatchedStore.Failing.self) {
            if isDocument { try await copyDocument() } else { try await copyLayer() }
        }
        #expect(try store.read { try $0.layerNames(of: "doc") } == ["other", "source"])
        #expect(try store.read { try $0.document("copy") } == nil)
        #expect(try store.read { try $0.hiddenLayers() }.isEmpty)
        #expect(try remains.isEmpty)
    }

    /// As if the process had been killed: nothing more is written.
    @Test(arguments: [2, 3], [false, true])
    func whatAKilledServerLeftIsRemovedADayLater(_ failing: Int, _ isDocument: Bool) async throws {
        store.watch(failing: { $0 >= failing })
        await #expect(throws: WatchedStore.Failing.self) {
            if isDocument { try await copyDocument() } else { try await copyLayer() }
        }
        #expect(try store.read { try $0.layerNames(of: "doc") } == ["other", "source"])
        #expect(try store.read { try $0.documentCount(DocumentQuery()) } == 1)
        #expect(try store.read { try $0.hiddenLayers() }.count >= 1)
        store.watch()
        // Another server may still be working on it.
        try await engine.removeAll(before: Self.now)
        #expect(try store.read { try $0.hiddenLayers() }.count >= 1)
        try await engine.removeAll(before: Self.now + 1)
        #expect(try store.read { try $0.hiddenLayers() }.isEmpty)
        #expect(try remains.isEmpty)
        #expect(store.transactions.allSatisfy { $0 <= Pieces.records }, "\(store.transactions)")
        #expect(try rows(Self.source) == Self.count)
    }

    @Test func aSourceThatIsDeletedMeanwhileIsNotCopied() async throws {
        store.watch(after: { [self] number in
            if number == 1 { enqueue { try $0.removeDocument("doc", at: Self.now) } }
        })
        let refused = await #expect(throws: APIError.self) { try await copyDocument() }
        #expect(refused?.reason == .documentNotFound)
        #expect(try store.read { try $0.documentCount(DocumentQuery()) } == 0)
        try await engine.removeAll(before: Self.now)
        #expect(try store.read { try $0.hiddenLayers() }.isEmpty)
        #expect(try remains.isEmpty)
    }
}
