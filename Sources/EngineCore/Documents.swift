package import Annotations
import SyncProtocol

/// Copying whole documents.
package enum Documents {
    /// Makes a document of the same PDF, with the same annotations of its own, and a copy of every layer.
    ///
    /// - Throws: ``Refusal`` when there is a document with this id already.
    @discardableResult
    package static func copy(
        _ source: StoredDocument, to id: String, in store: any StoreWriting, now: Timestamp,
        using random: inout some RandomNumberGenerator
    ) throws -> StoredDocument {
        guard StoredDocument.isValidID(id) else {
            throw Refusal(.badRequest, "a document's id has 1 to 1,024 bytes and no control characters")
        }
        guard try store.document(id) == nil else {
            throw Refusal(.alreadyExists, "there is a document with this id already")
        }
        var copy = source
        copy.id = id
        copy.createdAt = now
        copy.base = try store.addBase(try base(of: source, in: store))
        try store.put(copy)
        for attachment in try store.attachments(of: source.id) {
            try store.hold(.blob(attachment.id.hex))
            try store.put(StoredAttachment(attachment.id, document: id, bytes: attachment.bytes, at: now))
        }
        for layer in try store.layers(of: source.id) {
            try Layers.copy(
                layer, to: LayerKey(document: id, name: layer.key.name), in: store, now: now, using: &random)
        }
        return copy
    }

    /// The records that came with the PDF.
    private static func base(of document: StoredDocument, in store: any StoreReading) throws -> [Record] {
        let bare = StoredLayer(
            id: 0, key: LayerKey(document: document.id, name: ""), generation: "", base: document.base,
            pageCount: document.pages.count)
        var records: [Record] = []
        while true {
            let rows = try store.live(in: bare, after: records.last?.id, limit: 1000)
            records += rows.map(\.record)
            if rows.count < 1000 { return records }
        }
    }
}
