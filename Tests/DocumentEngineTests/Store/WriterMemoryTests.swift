import Annotations
import EngineCore
import SyncProtocol
import TestSupport
import Testing

@testable import DocumentEngine

/// What the writer remembers is what stands in the file, whatever was written, taken back or failed; and what it leaves
/// unwritten is found by reading.
@Suite("What the writer remembers", .timeLimit(.minutes(15))) struct WriterMemoryTests {
    private struct Stop: Error {}

    private static let keys = ["", "review", "other"].map { LayerKey(document: "doc", name: $0) }
    private static let clients = ["one", "two"]
    private static let now = Timestamp(seconds: 1_000)

    /// Everything that can be asked for.
    private struct Look: Equatable {
        var layers: [StoredLayer?]
        var clients: [StoredClient?]
        var records: [Record.ID: Revision]
        var revoked: [Bool]

        init(_ store: any StoreReading) throws {
            layers = try keys.map { try store.layer($0) }
            let there = layers.compactMap(\.self)
            clients = try there.flatMap { layer in
                try WriterMemoryTests.clients.map { try store.client($0, in: layer) }
            }
            records = [:]
            for layer in there {
                for id in ["a", "b", "of the PDF"] {
                    records["\(layer.id) \(id)"] = try store.record(id, in: layer)?.revision
                }
            }
            revoked = try ["jti 1", "jti 2"].map { try store.isRevoked(tokenID: $0) }
        }
    }

    @Test(arguments: 0..<40) func isWhatStandsInTheFile(_ seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let folder = try TemporaryFolder()
        let store = try SQLiteStore(path: folder.path + "/store.sqlite")
        defer { try? store.close() }
        let peer = MemoryStore()
        for step in 0..<60 {
            let seed = random.next()
            let outcomes = ([store, peer] as [any LayerStore]).map { Self.transaction(in: $0, seed: seed) }
            #expect(outcomes[0] == outcomes[1])
            let remembered = try store.write { try Look($0) }
            #expect(remembered == (try store.read { try Look($0) }), "step \(step)")
            // The numbers of layers are each store's own; all else is the same.
            #expect(remembered.layers.map { $0?.head } == (try peer.read { try Look($0) }).layers.map { $0?.head })
            #expect(remembered.clients == (try peer.read { try Look($0) }).clients, "step \(step)")
        }
    }

    /// A few things at once, some of which are taken back, or all of them.
    ///
    /// - Returns: whether it was committed.
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

    /// One thing that a server does.
    private static func act(_ store: any StoreWriting, _ random: inout SeededRandom) throws {
        let key = random.pick(keys)
        switch Int.random(in: 0..<12, using: &random) {
        case 0:
            let base = try store.addBase(random.chance(1, of: 2) ? [record("of the PDF")] : [])
            try store.put(
                StoredDocument(
                    id: "doc", title: "t", pdfSHA256: "h", pdfBytes: 1, createdAt: now, base: base,
                    pages: Array(repeating: .init(width: 1, height: 1), count: Int.random(in: 1...9, using: &random))))
        case 1: if let layer = try store.layer(key) { try store.renew(layer, generation: "g\(random.next())") }
        case 2: if let layer = try store.layer(key) { try store.removeLayer(layer, at: now) }
        case 3: if let layer = try store.layer(key) { try store.prune(layer, before: now + 1) }
        case 4: try store.revoke(tokenID: random.pick(["jti 1", "jti 2"]), until: now)
        case 5: try store.removeRevocations(before: now + 1)
        case 6: if random.chance(1, of: 4) { try store.removeDocument("doc", at: now) }
        default: try push(to: key, store, &random)
        }
        for id in ["jti 1", "jti 2"] { _ = try store.isRevoked(tokenID: id) }
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
