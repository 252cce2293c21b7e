import Annotations
import EngineCore
import SyncProtocol

extension LayerStoreContract {
    static func keepsAttachments(_ store: any LayerStore) throws {
        let (one, two, other) = (attachment("a"), attachment("b"), attachment("a", of: "other"))
        try store.write { store in
            for id in ["doc", "other"] { try store.put(document(id)) }
            for attachment in [one, two, other] { try store.put(attachment) }
            try equal(try store.attachment(one.id, of: "doc"), one, "kept")
            try equal(try store.attachment(two.id, of: "other"), nil, "of another document")
            var again = one
            again.at = now + 5
            try store.put(again)
            try equal(try store.attachment(one.id, of: "doc"), again, "uploaded again")
            try store.removeAttachment(one.id, of: "doc")
            try equal(try store.attachment(one.id, of: "doc"), nil, "removed")
            try equal(try store.isAttachmentKept(one.id), true, "the other document has it still")
            try store.removeDocument("other", at: now)
            try equal(try store.isAttachmentKept(one.id), false, "gone with its document")
            try equal(try store.isAttachmentKept(two.id), true, "not of that document")
        }
    }

    static func findsNamers(_ store: any LayerStore) throws {
        let (named, removed, unnamed) = (attachment("a"), attachment("b"), attachment("c"))
        try store.write { store in
            let layer = try layer(store)
            for attachment in [named, removed, unnamed] { try store.put(attachment) }
            try store.put(image("z", 1, named.id), in: layer)
            try store.put(image("é", 2, named.id), in: layer)
            try store.put(image("a", 3, removed.id, removal: removal()), in: layer)
            try store.put(record("b", 4), in: layer)
            try equal(try store.marks(naming: named.id, in: layer).map(\.id), ["z", "é"], "in byte order")
            try equal(try store.marks(naming: removed.id, in: layer).map(\.id), [], "a tombstone shows nothing")
            try equal(
                try store.unnamedAttachments(before: now + 1, limit: 9).map(\.id), [unnamed.id],
                "a tombstone can come back: its attachment stays")
            try equal(try store.unnamedAttachments(before: now, limit: 9), [], "too young")
            try store.put(record("z", 5), in: layer)
            try equal(try store.marks(naming: named.id, in: layer).map(\.id), ["é"], "no longer named")
            try store.put(image("é", 6, unnamed.id), in: layer)
            try equal(
                try store.unnamedAttachments(before: now + 1, limit: 9).map(\.id), [named.id], "another one now")
            try equal(try store.unnamedAttachments(before: now + 1, limit: 0), [], "as many as asked for")
        }
    }

    static func findsNamersOfTheBase(_ store: any LayerStore) throws {
        let (named, other) = (attachment("a"), attachment("b"))
        try store.write { store in
            let layer = try layer(store, base: ["z", "a"].map { image($0, 0, named.id).record })
            for attachment in [other, named] { try store.put(attachment) }
            try equal(try store.attachments(of: "doc"), [named, other], "all, by name")
            try equal(try store.attachments(of: "none"), [], "of no document")
            try equal(
                try store.marks(naming: named.id, in: layer).map(\.id), ["a", "z"], "as they came with the PDF")
            try equal(
                try store.unnamedAttachments(before: now + 1, limit: 9).map(\.id), [other.id], "the base names it")
            try store.put(record("z", 1), in: layer)
            try equal(try store.marks(naming: named.id, in: layer).map(\.id), ["a"], "changed in this layer")
            try equal(
                try store.unnamedAttachments(before: now + 1, limit: 9).map(\.id), [other.id], "other layers have it")
        }
    }

    static func keepsUploads(_ store: any LayerStore) throws {
        let (one, two) = (attachment("a"), attachment("b"))
        func uploaders(_ id: AttachmentID, _ layer: ServerLayer, _ store: any StoreReading) throws -> [String?] {
            let users = ["ana", "bo", "é", "e\u{301}", nil] as [String?]
            return try users.filter { try store.isUploaded(id, by: $0, in: layer) }
        }
        let made = try store.write { store in
            let layer = try Self.layer(store)
            let other = try store.addLayer(LayerKey(document: "doc", name: "other"), generation: "g")
            for attachment in [one, two] { try store.put(attachment) }
            try equal(try uploaders(one.id, layer, store), [], "nobody yet")
            for user in ["ana", "é", nil, "ana"] { try store.addUpload(of: one.id, by: user, in: layer) }
            try store.addUpload(of: two.id, by: "ana", in: layer)
            try store.addUpload(of: one.id, by: "bo", in: other)
            try equal(try uploaders(one.id, layer, store), ["ana", "é", nil], "by the bytes of the user's name")
            try equal(try store.isUploaded(one.id, by: "", in: layer), true, "the anonymous user is empty or nil")
            try equal(try uploaders(two.id, layer, store), ["ana"], "each file for itself")
            try equal(try uploaders(one.id, other, store), ["bo"], "each layer for itself")
            return [layer, other]
        }
        let (layer, other) = (made[0], made[1])
        try store.write { store in
            try store.renew(layer, generation: "g2", at: now)
            try equal(try uploaders(one.id, layer, store), ["ana", "é", nil], "a renewed layer keeps them")
            try store.removeAttachment(one.id, of: "doc")
            try store.put(one)
            try equal(try uploaders(one.id, layer, store), [], "gone with the attachment")
            try equal(try uploaders(one.id, other, store), [], "in every layer")
            try store.removeLayer(layer, at: now)
            _ = try store.removeRows(ofLayer: layer.id, limit: 1000)
            try equal(try uploaders(two.id, layer, store), [], "gone with the rows of the layer")
        }
        try equal(try store.read { try uploaders(two.id, layer, $0) }, [], "also for readers")
    }

    private static func attachment(_ digit: String, of document: String = "doc") -> StoredAttachment {
        StoredAttachment(
            AttachmentID(String(repeating: digit, count: 64))!, document: document, bytes: 1 << 33, at: now)
    }

    private static func image(
        _ id: String, _ revision: Revision, _ attachment: AttachmentID, removal: ServerRecord.Removal? = nil
    ) -> ServerRecord {
        var stored = record(id, revision, removal: removal)
        stored.record.content = stored.record.content.changing { $0["imageAttachmentId"] = .string(attachment.hex) }
        return stored
    }
}
