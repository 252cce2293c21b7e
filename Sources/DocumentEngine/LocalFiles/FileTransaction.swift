import Annotations
import EngineCore
import FileCore
import SyncProtocol

/// One transaction on the database of a local PDF: what the core has decided, and with it the layer's records.
struct FileTransaction {
    let store: any StoreWriting
    let tables: FileTables
    let key: LayerKey
    let now: Timestamp

    /// - Throws: ``StoreError`` if the store is of another kind.
    init(_ store: any StoreWriting, of document: String, now: Timestamp) throws {
        (self.store, self.now) = (store, now)
        tables = try FileTables(store)
        key = LayerKey(document: document, name: "")
    }

    /// What the engine has read of a file besides its records.
    struct Contents: Sendable {
        /// Of the document.
        var title: String
        var frames: [PageFrame]
        var hasMarks: Bool
    }

    /// Stores changes, and writes into the layer what they say of its records.
    ///
    /// - Parameters:
    ///   - contents: of a file that was read; nil: the change comes from elsewhere.
    ///   - attachments: of the document, whose bytes are there already.
    /// - Returns: nil if the layer has not changed.
    func store(
        _ changes: [LocalFileState.Change], _ contents: Contents?, attachments: [StoredAttachment] = []
    ) throws -> Commit? {
        let rows = changes.compactMap { change in
            if case .row(let id, let row) = change { (id: id, row: row) } else { nil }
        }
        let isNew = try store.document(key.document) == nil
        if let contents { try put(contents, isNew ? rows.compactMap(\.row.base) : nil, changes) }
        for attachment in attachments { try store.put(attachment) }
        // A session that has just begun has no document yet.
        guard try store.document(key.document) != nil else {
            try tables.apply(changes)
            return nil
        }
        // The base records of a new document are what its file has.
        let commit = try write(isNew ? rows.filter { !$0.row.isWritten } : rows)
        try tables.apply(changes)
        return commit
    }

    /// - Parameter base: the document's base records; nil: it has them already.
    private func put(_ contents: Contents, _ base: [Record]?, _ changes: [LocalFileState.Change]) throws {
        let pages = contents.frames.map { ServerDocument.Page($0) }
        if var document = try store.document(key.document) {
            if document.pages != pages {
                document.pages = pages
                try store.put(document)
            }
        } else {
            var version: FileVersion?
            for case .version(let new, _, sharesIDs: _) in changes { version = new }
            var document = ServerDocument(
                id: key.document, title: contents.title, pdfSHA256: version?.sha256 ?? "", pdfBytes: version?.size ?? 0,
                createdAt: now, pages: pages)
            document.base = try store.addBase(base ?? [])
            try store.put(document)
        }
        try setHasMarks(contents.hasMarks)
    }

    /// Whether the file has something that may have to be found by its words.
    func setHasMarks(_ hasMarks: Bool) throws {
        var meta = try tables.meta()
        guard meta.hasMarks != hasMarks else { return }
        meta.hasMarks = hasMarks
        try tables.put(meta)
    }

    /// Brings the layer's records to what the rows say.
    private func write(_ rows: [(id: ByteOrdered, row: LocalFileState.Row)]) throws -> Commit? {
        guard !rows.isEmpty else { return nil }
        var random = SystemRandomNumberGenerator()
        let layer = try store.layer(key) ?? Layers.make(key, in: store, using: &random)
        var writer = LayerWriter(layer, in: store, now: now)
        var gone: [ServerRecord] = []
        for (id, row) in rows {
            let old = try stored(id.text, in: layer)
            let present = old.flatMap { $0.isLive ? $0.record : nil }
            guard !present.isSame(as: row.local) else { continue }
            if let record = row.local {
                try Self.put(record, over: old, &writer)
            } else if let old {
                gone.append(old)
            }
        }
        if !gone.isEmpty { _ = try writer.remove(gone, by: nil, client: nil) }
        return writer.commit.isEmpty ? nil : writer.commit
    }

    /// - Returns: nil also for a damaged one, which is written over.
    private func stored(_ id: Record.ID, in layer: ServerLayer) throws -> ServerRecord? {
        do { return try store.record(id, in: layer) } catch is DamagedRow { return nil }
    }

    /// Writes a record as the file has it, also one that no client could write.
    private static func put(_ record: Record, over old: ServerRecord?, _ writer: inout LayerWriter) throws {
        var record = record
        if let old, old.isLive {
            record.createdBy = old.record.createdBy
            record.group = old.record.group
        }
        try writer.write(
            record, contentType: record.contentType, rootID: record.content["rootId"]?.string,
            isCommentThreadRoot: old?.isCommentThreadRoot ?? false, over: old, client: nil)
    }
}
