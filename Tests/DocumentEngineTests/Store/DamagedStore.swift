import Annotations
import Authorization
import EngineCore
import Foundation
import GRDB
import SyncProtocol
import TestSupport

@testable import DocumentEngine

/// A store with rows in every table, and what reading all of it returns.
enum DamagedStore {
    static let now = Timestamp(seconds: 1_000_000)
    static let layers = ["", "review", "other"].map { LayerKey(document: "doc", name: $0) }
    static let clients = ["c1", "c2"]
    static let tokens = ["jti 1", "jti 2"]
    static let files = ["a", "b"].compactMap { AttachmentID(String(repeating: $0, count: 64)) }

    /// Writes the store and closes it, so that the file is everything.
    static func make(_ path: String) throws {
        let store = try SQLiteStore(path: path)
        var random = SeededRandom(seed: 1)
        try store.write { store in
            let base = try store.addBase(
                (0..<20).map { n in
                    Record(
                        id: "pdf \(n)", content: content(n, &random, ofPDF: true), createdBy: nil, updatedBy: nil,
                        group: nil)
                })
            try store.put(
                ServerDocument(
                    id: "doc", title: "A title", pdfSHA256: files[0].hex, pdfBytes: 7,
                    stripped: StoredPDF(sha256: files[1].hex, bytes: 6), createdAt: now, base: base,
                    pages: Array(repeating: .init(width: 612, height: 792), count: 12)))
            for file in files { try store.put(StoredAttachment(file, document: "doc", bytes: 3, at: now)) }
            for (index, key) in layers.enumerated() {
                let layer = try store.addLayer(key, generation: "generation \(index)")
                try fill(layer, store, &random)
            }
            let gone = try store.addLayer(LayerKey(document: "doc", name: "gone"), generation: "g")
            try store.removeLayer(gone, at: now)
            let renewed = try store.addLayer(LayerKey(document: "doc", name: "renewed"), generation: "g")
            try store.renew(renewed, generation: "h", at: now)
            try store.revoke(tokenID: tokens[0], until: now)
        }
        try store.close()
    }

    private static func fill(
        _ layer: ServerLayer, _ store: any StoreWriting, _ random: inout SeededRandom
    ) throws {
        var writer = LayerWriter(layer, in: store, now: now)
        for n in 0..<30 {
            let id = random.chance(1, of: 4) ? "pdf \(Int.random(in: 0..<20, using: &random))" : "own \(n)"
            let old = try store.record(id, in: writer.layer)
            if let old, old.isLive, random.chance(1, of: 3) {
                _ = try writer.remove([old], by: "ana", client: "c1")
                continue
            }
            let isComment = old == nil && random.chance(1, of: 3)
            try writer.write(
                Record(
                    id: id, content: content(n, &random), createdBy: "ana", updatedBy: "bo",
                    group: random.pick([nil, "g1", "g2"])),
                contentType: old?.contentType ?? (isComment ? .comments : .annotations),
                rootID: old?.rootID ?? (isComment ? "pdf 1" : nil), over: old, client: random.pick(clients))
        }
        for client in clients {
            try store.put(StoredClient(id: client, userID: "ana", lastN: 3, acked: 0), in: layer)
            for n in Int64(1)...3 {
                let answer = StoredAnswer(
                    n: n, bodyHash: "hash", recordID: "own 1", status: .denied, revision: nil, reason: "a reason")
                try store.put(answer, to: client, in: layer)
            }
        }
        try store.addUpload(of: files[0], by: "ana", in: layer)
    }

    /// Some contents need several pages of the file.
    private static func content(_ n: Int, _ random: inout SeededRandom, ofPDF: Bool = false) -> Content {
        let length = random.chance(1, of: 12) ? 9_000 : Int.random(in: 0..<200, using: &random)
        let file = random.chance(1, of: 6) ? #","imageAttachmentId":"\#(random.pick(files).hex)""# : ""
        let text = (0..<length).map { _ in String(random.pick(Array("abcdefghij "))) }.joined()
        return Content(
            checked: #"{"v":2,"type":"pspdfkit/note","pageIndex":0,"bbox":[1,2,3,4],"text":"\#(n) \#(text)"\#(file)}"#)
    }

    /// The outcome of every read by name: its result, or `error`.
    typealias Look = [String: String]

    static func look(_ store: any StoreReading) throws -> Look {
        var look: Look = [:]
        func note(_ name: String, _ read: () throws -> Any) {
            do { look[name] = "\(try read())" } catch { look[name] = failed }
        }
        note("document") { try store.document("doc") as Any }
        note("documents") { try store.documents(DocumentQuery()) }
        note("hidden") { try store.hiddenLayers() }
        note("layers") { try store.layers() }
        note("deleted") { try store.deletion(of: LayerKey(document: "doc", name: "gone")) as Any }
        for token in tokens { note(token) { try store.isRevoked(tokenID: token) } }
        for file in files { note("attachment \(file)") { try store.attachment(file, of: "doc") as Any } }
        note("attachments") { try store.attachments(of: "doc") }
        if var untouched = try? store.layer(layers[0]) {
            untouched.id = 0
            for id in (0..<20).map({ "pdf \($0)" }) {
                note("record untouched \(id)") { try store.record(id, in: untouched) as Any }
            }
        }
        for key in layers {
            var layer: ServerLayer?
            note("layer \(key.name)") {
                layer = try store.layer(key)
                return layer as Any
            }
            guard let layer else { continue }
            Self.look(at: layer, store, note)
        }
        return look
    }

    private static func look(
        at layer: ServerLayer, _ store: any StoreReading, _ note: (String, () throws -> Any) -> Void
    ) {
        let place = layer.key.name
        for id in (0..<20).map({ "pdf \($0)" }) + (0..<30).map({ "own \($0)" }) {
            note("record \(place) \(id)") { try store.record(id, in: layer) as Any }
            note("subject \(place) \(id)") { try store.subject(of: id, in: layer) as Any }
        }
        note("live \(place)") { try store.live(in: layer, after: nil, limit: 1000) }
        note("visited \(place)") {
            var rows: [String] = []
            try store.visitLive(in: layer, after: nil, where: nil) { row in
                rows.append(
                    [row.id, row.content, row.type].map { String(decoding: $0, as: UTF8.self) }.joined(separator: "|"))
                return true
            }
            return rows
        }
        note("visible marks \(place)") {
            try store.marks(in: layer, after: nil, limit: 1000) { $0.group == "g1" || $0.createdBy == nil }
        }
        note("marks \(place)") { try store.marks(in: layer, after: nil, limit: 1000, where: nil) }
        note("changed \(place)") { try store.changed(in: layer, after: 0, limit: 1000) }
        note("departures \(place)") { try store.departures(in: layer, after: 0, limit: 1000) }
        note("thread \(place)") { try store.thread(of: "pdf 1", in: layer) }
        note("thread marks \(place)") { try store.marks(ofThread: "pdf 1", in: layer) }
        note("upload \(place)") { try store.isUploaded(files[0], by: "ana", in: layer) }
        for client in clients {
            note("client \(place) \(client)") { try store.client(client, in: layer) as Any }
            for n in Int64(1)...3 {
                note("answer \(place) \(client) \(n)") { try store.answer(n, to: client, in: layer) as Any }
            }
        }
        for file in files { note("naming \(place) \(file)") { try store.marks(naming: file, in: layer) } }
    }

    static let failed = "error"
}
