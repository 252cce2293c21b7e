import Annotations
import EngineCore
import SyncProtocol
import TestSupport
import Testing

/// Copies built in several transactions while their sources change.
@Suite("Copies in pieces") struct StagedCopyTests {
    private static let copyKey = LayerKey(document: "doc", name: "copy")

    /// The visible state of a layer.
    private struct Content: Equatable {
        var records: [Record]

        init(_ layer: ServerLayer?, in store: any StoreReading) throws {
            records = try layer.map { try store.live(in: $0, after: nil, limit: .max).map(\.record) } ?? []
        }
    }

    private func content(_ key: LayerKey, _ store: any LayerStore) throws -> Content {
        try store.read { try Content(try $0.layer(key), in: $0) }
    }

    /// The number of rows in all layers under construction.
    private func hiddenRows(_ store: any LayerStore) throws -> Int {
        try store.read { store in
            try store.hiddenLayers().reduce(0) { count, layer in
                let hidden = try store.hiddenLayer(layer.key)
                return count + (try hidden.map { try store.changed(in: $0, after: 0, limit: .max).count } ?? 0)
            }
        }
    }

    /// - Parameter between: The actions of others before each transaction, counted from 0.
    private func perform(
        _ copy: StagedCopy, in store: any LayerStore, limit: Int = Pieces.records,
        between: (Int) throws -> Void = { _ in }
    ) throws {
        var (copy, step) = (copy, 0)
        func others() throws {
            try between(step)
            step += 1
        }
        while true {
            try others()
            guard let piece = try store.read({ [copy] in try copy.next(in: $0) }) else {
                try others()
                let seed = UInt64(step)
                let isWhole = try store.write { [copy] store in
                    var random = SeededRandom(seed: seed)
                    return try copy.finish(in: store, using: &random)
                }
                if isWhole { return }
                continue
            }
            try others()
            let (before, seed) = (try hiddenRows(store), UInt64(step))
            copy = try store.write { [copy] store in
                var (copy, random) = (copy, SeededRandom(seed: seed))
                try copy.write(piece, in: store, using: &random)
                return copy
            }
            #expect(try hiddenRows(store) - before <= limit)
        }
    }

    private func layerCopy(_ world: World, limit: Int = Pieces.records) throws -> StagedCopy {
        try world.store.read { try StagedCopy(ofLayer: "", to: Self.copyKey, in: $0, now: World.now, limit: limit) }
    }

    private func documentCopy(_ world: World, limit: Int = Pieces.records) throws -> StagedCopy {
        try world.store.read { store in
            let source = try #require(try store.document("doc"))
            return try StagedCopy(of: source, to: "other", in: store, now: World.now, limit: limit)
        }
    }

    // MARK: One layer

    @Test func aCopyHoldsWhatWasLiveAndWhatWasHidden() throws {
        let world = try World(base: ["7", "8"])
        try world.push(.create, "a", World.note("one"))
        try world.push(.delete, "7", at: 0)
        try world.push(.create, "b", World.note("two"))
        try world.push(.delete, "b", at: 3)
        try perform(layerCopy(world), in: world.store)
        let records = try content(Self.copyKey, world.store).records
        #expect(records.map(\.id) == ["8", "a"])
        #expect(records.last?.createdBy == "ana")
        #expect(try world.store.read { try $0.hiddenLayers() }.isEmpty)
    }

    /// Others create, change, delete and restore between transactions.
    @Test(arguments: 0..<40) func aCopyIsWhatItsSourceIsAtTheEnd(_ seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let world = try World(base: (0..<5).map { "base-\($0)" })
        let ids = (0..<30).map { "n\($0)" } + (0..<5).map { "base-\($0)" }
        func write(_ count: Int) throws {
            for _ in 0..<count {
                let id = random.pick(ids)
                let text = "\(random.next())"
                let (isLive, deletes) = (try world.isLive(id), random.chance(1, of: 3))
                try world.backend { writer in
                    switch (isLive, deletes) {
                    case (true, true): try writer.delete(id, user: "ana")
                    case (true, false):
                        let old = try writer.existing(id).record.content
                        let new = old["type"] == World.note("")["type"] ? World.note(text) : World.highlight(text)
                        try writer.replace(id, new, user: "bo", group: text.count % 2 == 0 ? "crew" : nil)
                    default:
                        let new = id.hasPrefix("base") ? World.highlight(text) : World.note(text)
                        try writer.create(id, new, user: "ana", group: nil)
                    }
                }
            }
        }
        try write(40)
        let limit = Int.random(in: 1...12, using: &random)
        // The other writes stop at some point; otherwise the copy would never end.
        let last = Int.random(in: 0...20, using: &random)
        try perform(layerCopy(world, limit: limit), in: world.store, limit: limit) { step in
            #expect(try world.store.read { try $0.layer(Self.copyKey) } == nil)
            #expect(try world.store.read { try $0.layerNames(of: "doc") } == [""])
            if step < last { try write(Int.random(in: 0...limit, using: &random)) }
        }
        #expect(try content(Self.copyKey, world.store) == content(LayerKey(document: "doc", name: ""), world.store))
        #expect(try world.store.read { try $0.layerNames(of: "doc") } == ["", "copy"])
    }

    /// - Returns: The error when this change happens while ten records are copied, three at a time.
    private func refusal(
        _ world: World, _ copy: StagedCopy, when change: @escaping (any StoreWriting) throws -> Void
    ) throws -> APIError? {
        let before = try world.store.read { try $0.hiddenLayers() }
        #expect(before.isEmpty)
        return #expect(throws: APIError.self) {
            try perform(copy, in: world.store, limit: 3) { step in
                if step == 2 { try world.store.write { try change($0) } }
            }
        }
    }

    private func worldOfTen() throws -> World {
        let world = try World(base: ["7"])
        for n in 0..<10 { try world.push(.create, "n\(n)", World.note("\(n)")) }
        return world
    }

    @Test func aNameThatIsTakenMeanwhileIsNotOverwritten() throws {
        let world = try worldOfTen()
        let refused = try refusal(world, layerCopy(world, limit: 3)) {
            _ = try $0.addLayer(Self.copyKey, generation: "theirs")
        }
        #expect(refused?.reason == .alreadyExists)
        #expect(try world.store.read { try $0.layer(Self.copyKey)?.generation } == "theirs")
    }

    @Test func aSourceThatIsDeletedEndsTheCopy() throws {
        let world = try worldOfTen()
        let layer = try world.layer
        #expect(
            try refusal(world, layerCopy(world, limit: 3)) { try $0.removeLayer(layer, at: World.now) }?.reason
                == .notFound)
        let other = try worldOfTen()
        // A new layer with the same name is a different layer.
        let refused = try refusal(other, layerCopy(other, limit: 3)) { store in
            let layer = try #require(try store.layer(LayerKey(document: "doc", name: "")))
            try store.removeLayer(layer, at: World.now)
            _ = try store.addLayer(layer.key, generation: "h")
        }
        #expect(refused?.reason == .notFound)
    }

    @Test func aSourceThatIsReplacedEndsTheCopy() throws {
        func replace(_ store: any StoreWriting) throws {
            var document = try #require(try store.document("doc"))
            document.base = try store.addBase([])
            try store.put(document)
        }
        let world = try worldOfTen()
        #expect(try refusal(world, layerCopy(world, limit: 3), when: replace)?.reason == .unavailable)
        let other = try worldOfTen()
        #expect(try refusal(other, documentCopy(other, limit: 3), when: replace)?.reason == .unavailable)
    }

    // MARK: A document

    @Test(arguments: [1, 2, 3, 500]) func aDocumentIsCopiedAsItIsAtTheEnd(_ limit: Int) throws {
        let world = try World(base: (0..<7).map { "base-\($0)" })
        for n in 0..<10 { try world.push(.create, "n\(n)", World.note("\(n)")) }
        try world.push(.delete, "base-2", at: 0)
        let keys = ["kept", "deleted", "made meanwhile"].map { LayerKey(document: "doc", name: $0) }
        try world.store.write { store in
            for key in keys.dropLast() {
                let layer = try store.addLayer(key, generation: key.name)
                var writer = BackendWriter(layer, in: store, now: World.now)
                for n in 0..<5 {
                    try writer.create(
                        "\(key.name.replacing(" ", with: "-"))-\(n)", World.note("\(n)"), user: nil, group: nil)
                }
            }
        }
        try perform(documentCopy(world, limit: limit), in: world.store, limit: limit) { step in
            #expect(try world.store.read { try $0.document("other") } == nil)
            #expect(try world.store.read { try $0.documentCount(DocumentQuery()) } == 1)
            #expect(try world.store.read { try $0.layers() }.allSatisfy { $0.document == "doc" })
            guard step == 1 else { return }
            try world.push(.create, "late", World.note("late"))
            try world.store.write { store in
                try store.removeLayer(try #require(try store.layer(keys[1])), at: World.now)
                _ = try store.addLayer(keys[2], generation: "late")
            }
        }
        try world.store.read { store in
            #expect(try store.document("other")?.title == "Title")
            #expect(try store.layerNames(of: "other") == ["", "kept", "made meanwhile"])
            for name in try store.layerNames(of: "other") {
                let layers = try ["doc", "other"].map { try store.layer(LayerKey(document: $0, name: name)) }
                #expect(try Content(layers[0], in: store) == Content(layers[1], in: store), "\(name)")
                #expect(layers[0]?.base != layers[1]?.base)
            }
            #expect(try store.unusedBases(before: World.now + 1).isEmpty)
            #expect(try store.hiddenLayers().allSatisfy(\.isRemoved), "only the deleted layer has remains")
        }
    }

    @Test func aDocumentThatIsDeletedMeanwhileIsNotCopied() throws {
        let world = try worldOfTen()
        let refused = try refusal(world, documentCopy(world, limit: 3)) {
            try $0.removeDocument("doc", at: World.now)
        }
        #expect(refused?.reason == .documentNotFound)
        let other = try worldOfTen()
        let taken = try refusal(other, documentCopy(other, limit: 3)) { store in
            var document = try #require(try store.document("doc"))
            (document.id, document.base) = ("other", 0)
            try store.put(document)
        }
        #expect(taken?.reason == .alreadyExists)
    }

    // MARK: Leftovers

    @Test func aCopyThatIsGivenUpLeavesNothing() throws {
        let world = try worldOfTen()
        var copy = try documentCopy(world, limit: 3)
        for step in 0..<3 {
            let next = try world.store.read { [copy] store in try copy.next(in: store) }
            let piece = try #require(next)
            copy = try world.store.write { [copy] store in
                var (copy, random) = (copy, SeededRandom(seed: UInt64(step)))
                try copy.write(piece, in: store, using: &random)
                return copy
            }
        }
        #expect(try hiddenRows(world.store) > 0)
        var remains = try world.store.write { [copy] in try copy.abandon(in: $0) }
        #expect(!remains.layers.isEmpty && !remains.bases.isEmpty)
        while !remains.isEmpty {
            remains = try world.store.write { [remains] store in
                var remains = remains
                try remains.removePiece(in: store)
                return remains
            }
        }
        #expect(try world.store.read { try $0.hiddenLayers() }.isEmpty)
        #expect(try world.store.read { try $0.unusedBases(before: World.now + 1) }.isEmpty)
        // The copy itself detects that it was abandoned.
        #expect(throws: APIError.self) { try perform(copy, in: world.store) }
    }

    @Test func onlyCopiesThatWereBegunBeforeTheMomentAreGivenUp() throws {
        let world = try worldOfTen()
        let copy = try layerCopy(world, limit: 3)
        let next = try world.store.read { store in try copy.next(in: store) }
        let piece = try #require(next)
        try world.store.write { store in
            var (copy, random) = (copy, SeededRandom(seed: 1))
            try copy.write(piece, in: store, using: &random)
        }
        func unfinished(_ moment: Timestamp) throws -> [LayerKey] {
            try world.store.read { try PendingRemovals.unfinishedCopies(before: moment, in: $0) }
        }
        #expect(try unfinished(World.now).isEmpty)
        let left = try unfinished(World.now + 1)
        #expect(left.count == 1)
        #expect(try world.store.read { try PendingRemovals(before: World.now + 1, in: $0) }.isEmpty)
        try world.store.write { store in for key in left { try PendingRemovals.giveUp(key, in: store, at: World.now) } }
        #expect(try world.store.read { try PendingRemovals(before: World.now, in: $0) }.layers.count == 1)
    }
}
