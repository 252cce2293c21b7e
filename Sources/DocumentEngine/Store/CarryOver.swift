import Annotations
import EngineCore
import GRDB
import SQLite

/// Takes over into a restored database what must not go back in time: revocations and deletions.
struct CarryOver {
    let earlier: EarlierData
    /// The path of the database that the earlier data was read from.
    let source: String
    let memory: RestoreMemory
    let now: Timestamp

    /// A document as it is in the earlier data, with its records.
    private struct NewerPDF {
        var document: ServerDocument
        var records: [Annotations.Record]
        var attachments: [StoredAttachment]
    }

    /// - Parameters:
    ///   - backup: what the restored database contains.
    ///   - path: of the restored database, which no other program uses.
    func perform(since backup: EarlierData, in path: String) throws {
        let pdfs = memory.answer == .stay ? try newerPDFs() : []
        let notes = notes(over: backup)
        let revocations = earlier.revocations.filter { id, end in backup.revocations[id].map { $0 < end } ?? true }
        let removed = memory.answer == .stay ? memory.changes.list.filter { $0.kind != .overwritten } : []
        guard !(pdfs.isEmpty && notes.isEmpty && revocations.isEmpty && removed.isEmpty) else { return }
        let store = try SQLiteStore(path: path)
        do {
            try store.write { store in
                for (id, end) in revocations { try store.revoke(tokenID: id.text, until: end) }
                for (key, time) in notes { try store.noteDeletion(of: key, at: time) }
                for change in removed { try remove(change, in: store) }
                for pdf in pdfs { try put(pdf, in: store) }
            }
        } catch {
            try? store.close()
            throw error
        }
        try store.close()
    }

    /// The notes of deletions to take over.
    private func notes(over backup: EarlierData) -> [LayerKey: Timestamp] {
        var notes = earlier.deletions.filter { key, time in backup.deletions[key].map { $0 < time } ?? true }
        guard memory.answer == .comeBack else { return notes }
        for change in memory.changes.list where change.kind != .overwritten {
            // Tokens for what had its name in between must not open what is back.
            notes[change.key] = change.kind == .recreated ? now : nil
            guard change.layer == nil else { continue }
            for layer in backup.layers where layer.document.isExactly(change.document) { notes[layer] = nil }
        }
        return notes
    }

    private func remove(_ change: ChangesSinceBackup.Change, in store: any StoreWriting) throws {
        let time = change.at ?? now
        if change.layer == nil {
            try store.removeDocument(change.document, at: time)
        } else if let layer = try store.layer(change.key) {
            try store.removeLayer(layer, at: time)
        }
    }

    // MARK: Overwritten documents

    private func newerPDFs() throws -> [NewerPDF] {
        let ids = memory.changes.list.filter { $0.kind == .overwritten }.map(\.document)
        guard !ids.isEmpty else { return [] }
        return try EarlierData.reading(source) { database, statements in
            let damage = DamageLog()
            let store = SQLiteTransaction(database: database, statements: statements, damage: damage)
            return try ids.compactMap { id -> NewerPDF? in
                // An interrupted restore has put the newer PDF in place, or the document was deleted after all.
                guard earlier.documents[ByteOrdered(id)] != nil else { return nil }
                do {
                    guard let document = try store.document(id) else { throw DamagedRow(StoredTable.document.noun) }
                    let layer = ServerLayer(
                        id: 0, key: LayerKey(document: id, name: ""), generation: "", base: document.base,
                        pageCount: document.pages.count)
                    let records = try store.live(in: layer, after: nil, limit: .max).map(\.record)
                    guard damage.isEmpty else { throw DamagedRow(StoredTable.baseRecord.noun) }
                    let files = Set(records.compactMap(\.content.attachmentID))
                    return NewerPDF(
                        document: document, records: records,
                        attachments: try files.sorted().compactMap { try store.attachment($0, of: id) })
                } catch is DamagedRow { throw Self.unreadable(id) } catch is DatabaseError {
                    throw Self.unreadable(id)
                }
            }
        }
    }

    private static func unreadable(_ document: String) -> BackupError {
        .notKept("the newer PDF of document \"\(document.escapingInvisible)\" cannot be read")
    }

    private func put(_ pdf: NewerPDF, in store: any StoreWriting) throws {
        guard let old = try store.document(pdf.document.id) else { return }
        var document = pdf.document
        document.createdAt = old.createdAt
        document.base = try store.addBase(pdf.records)
        try store.put(document)
        for attachment in pdf.attachments { try store.put(attachment) }
    }
}
