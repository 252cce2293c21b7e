import Annotations
import EngineCore
import SyncProtocol
import TestSupport
import Testing

@testable import DocumentEngine

/// Random transactions, some of which fail or roll back, leave the same state in a file and in memory; reading
/// reconstructs what the file leaves unwritten.
@Suite("The history of a store", .timeLimit(.minutes(15))) struct StoreHistoryTests {
    private struct Stop: Error {}

    /// Two keys only look alike, as do two of the tokens.
    private static let keys = ["", "review", "\u{E9}", "e\u{301}"].map { LayerKey(document: "doc", name: $0) }
    private static let clients = ["one", "two"]
    private static let tokens = ["jti 1", "jti \u{E9}", "jti e\u{301}"]
    private static let file = AttachmentID(String(repeating: "a", count: 64))!
    private static let now = Timestamp(seconds: 1_000)

    /// Everything that can be read.
    private struct Look: Equatable {
        var layers: [ServerLayer?]
        var clients: [StoredClient?]
        var records: [Record.ID: Revision]
        var revoked: [Bool]
        var uploads: [Bool]

        init(_ store: any StoreReading) throws {
            layers = try keys.map { try store.layer($0) }
            let there = layers.compactMap(\.self)
            clients = try there.flatMap { layer in
                try StoreHistoryTests.clients.map { try store.client($0, in: layer) }
            }
            records = [:]
            for layer in there {
                for id in ["a", "b", "of the PDF"] {
                    records["\(layer.id) \(id)"] = try store.record(id, in: layer)?.revision
                }
            }
            revoked = try tokens.map { try store.isRevoked(tokenID: $0) }
            uploads = try there.map { try store.isUploaded(file, by: "ana", in: $0) }
        }
    }

    @Test(arguments: 0..<40) func theFileHoldsWhatMemoryHolds(_ seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let folder = try TemporaryFolder()
        var store = try SQLiteStore(path: folder.path + "/store.sqlite")
        defer { try? store.close() }
        let peer = MemoryLayerStore()
        for step in 0..<60 {
            if random.chance(1, of: 15) {
                try store.close()
                store = try SQLiteStore(path: folder.path + "/store.sqlite")
            }
            let seed = random.next()
            let outcomes = ([store, peer] as [any LayerStore]).map { Self.transaction(in: $0, seed: seed) }
            #expect(outcomes[0] == outcomes[1])
            let (here, there) = (try store.read { try Look($0) }, try peer.read { try Look($0) })
            // Layer numbers differ between stores; all else is equal.
            #expect(here.layers.map { $0?.head } == there.layers.map { $0?.head }, "step \(step)")
            #expect(here.clients == there.clients, "step \(step)")
            #expect(here.revoked == there.revoked, "step \(step)")
            #expect(here.uploads == there.uploads, "step \(step)")
        }
        #expect(try store.check.problems().isEmpty)
    }

    private static func put(document store: any LayerStore) throws {
        try store.write { store in
            let page = ServerDocument.Page(width: 1, height: 1)
            try store.put(
                ServerDocument(id: "doc", title: "t", pdfSHA256: "h", pdfBytes: 1, createdAt: now, pages: [page]))
            for key in keys { _ = try store.addLayer(key, generation: "g of \(key.name)") }
        }
    }

    /// A token of one layer must not reach another, and revoking one token must not revoke another.
    @Test func whatOnlyLooksAlikeIsKeptApart() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(path: folder.path + "/store.sqlite")
        defer { try? store.close() }
        try Self.put(document: store)
        try store.write { store in
            let ids = try Self.keys.map { try store.layer($0)?.id }
            #expect(Set(ids).count == Self.keys.count)
            #expect(try Self.keys.allSatisfy { try store.layer($0)?.key.name.isExactly($0.name) == true })
            try store.revoke(tokenID: "jti e\u{301}", until: Self.now)
            #expect(try !store.isRevoked(tokenID: "jti \u{E9}"))
            #expect(try store.isRevoked(tokenID: "jti e\u{301}"))
        }
    }

    /// Performs a few writes in one transaction, some or all of which roll back.
    ///
    /// - Returns: Whether the transaction was committed.
    private static func transaction(in store: any LayerStore, seed: UInt64) -> Bool {
        do {
            try store.write { store in
                var random = SeededRandom(seed: seed)
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let fails = random.chance(1, of: 8)
                    let isTakenBack = random.chance(1, of: 4)
                    let step = {
                        try act(store, &random)
                        if fails { throw Stop() }
                    }
                    if isTakenBack { try? store.savepoint(step) } else { try step() }
                }
            }
            return true
        } catch { return false }
    }

    /// Performs one server operation.
    private static func act(_ store: any StoreWriting, _ random: inout SeededRandom) throws {
        let key = random.pick(keys)
        switch Int.random(in: 0..<16, using: &random) {
        case 0:
            let base = try store.addBase(random.chance(1, of: 2) ? [record("of the PDF")] : [])
            try store.put(
                ServerDocument(
                    id: "doc", title: "t", pdfSHA256: "h", pdfBytes: 1, createdAt: now, base: base,
                    pages: Array(repeating: .init(width: 1, height: 1), count: Int.random(in: 1...9, using: &random))))
        case 1: if let layer = try store.layer(key) { try store.renew(layer, generation: "g\(random.next())", at: now) }
        case 2: if let layer = try store.layer(key) { try store.removeLayer(layer, at: now) }
        case 3: if let layer = try store.layer(key) { try store.prune(layer, before: now + 1) }
        case 4: try store.revoke(tokenID: random.pick(tokens), until: now)
        case 5: try store.removeRevocations(before: now + 1)
        case 6: if random.chance(1, of: 4) { try store.removeDocument("doc", at: now) }
        case 7: try move(key, to: random.pick(keys), store)
        case 8, 9: try writeAsBackend(to: key, store, &random)
        case 10:
            try store.put(StoredAttachment(file, document: "doc", bytes: 1, at: now))
            if let layer = try store.layer(key) { try store.addUpload(of: file, by: "ana", in: layer) }
            if random.chance(1, of: 3) { try store.removeAttachment(file, of: "doc") }
        default: try push(to: key, store, &random)
        }
        for id in tokens { _ = try store.isRevoked(tokenID: id) }
    }

    /// Rolls back some of what a backend writes.
    private static func writeAsBackend(
        to key: LayerKey, _ store: any StoreWriting, _ random: inout SeededRandom
    ) throws {
        guard let layer = try store.layer(key) else { return }
        var writer = BackendWriter(layer, in: store, now: now)
        for id in ["a", "b"] {
            let fails = random.chance(1, of: 3)
            try? writer.attempt { writer in
                if try store.record(id, in: layer)?.isLive == true {
                    try writer.delete(id, user: nil)
                } else {
                    let content = Content(
                        checked: #"{"v":2,"type":"pspdfkit/note","pageIndex":0,"bbox":[0,0,1,1],"text":"x"}"#)
                    try writer.create(id, content, user: "backend", group: nil)
                }
                if fails { throw Stop() }
            }
        }
    }

    /// Hides the layer and shows it again, under another key if that is free.
    private static func move(_ key: LayerKey, to other: LayerKey, _ store: any StoreWriting) throws {
        guard let layer = try store.layer(key) else { return }
        let hidden = LayerKey(document: key.document, name: "*hidden")
        try store.move(layer, to: hidden)
        let isFree = try store.layer(other) == nil
        try store.move(try #require(try store.hiddenLayer(hidden)), to: isFree ? other : key)
    }

    private static func record(_ id: Record.ID) -> Record {
        Record(
            id: id, content: Content(checked: #"{"type":"pspdfkit/note"}"#), createdBy: "ana", updatedBy: "ana",
            group: nil)
    }

    private static func push(to key: LayerKey, _ store: any StoreWriting, _ random: inout SeededRandom) throws {
        guard try store.document(key.document) != nil else { return }
        let layer = try store.layer(key) ?? store.addLayer(key, generation: "g")
        let id = random.pick(clients)
        var client = try store.client(id, in: layer) ?? StoredClient(id: id, userID: "ana")
        if random.chance(2, of: 3), client.lastN > client.acked {
            client.acked = Int64.random(in: client.acked + 1...client.lastN, using: &random)
            try store.removeAnswers(upTo: client.acked, to: id, in: layer)
        }
        var writer = LayerWriter(layer, in: store, now: now)
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            let name = random.pick(["a", "b", "of the PDF"])
            let old = try store.record(name, in: layer)
            if let old, old.isLive, random.chance(1, of: 3) {
                _ = try writer.remove([old], by: "ana", client: id)
            } else {
                try writer.write(record(name), contentType: .annotations, rootID: nil, over: old, client: id)
            }
            client.lastN += 1
            try store.put(
                StoredAnswer(
                    n: client.lastN, bodyHash: "h", recordID: name, status: .applied, revision: writer.layer.head,
                    reason: nil), to: id, in: layer)
        }
        try store.put(client, in: layer)
    }
}
