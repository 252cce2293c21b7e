package import Annotations
import Authorization
import SyncProtocol

/// Attachments. Their bytes are outside the store; the store lists the ones that the server lacks, because a record is
/// sent only after its file.
extension Layer {
    /// Whether every edit that can be sent needs a file that the server lacks.
    func waitsOnlyForFiles() throws -> Bool {
        try store.read { store in
            let metadata = try store.metadata()
            return try store.entries(in: [.waiting, .sealed], limit: .max).allSatisfy {
                try $0.stage == .waiting && store.waitsForFile($0, metadata)
            }
        }
    }

    /// Registers a file on disk; it is uploaded before the first record that references it is sent.
    package func addUpload(_ id: AttachmentID) throws {
        try store.write { try $0.changeMetadata { $0.uploads.insert(id) } }
    }

    /// Whether the server has the file or will get it, as far as this store can tell: it waits to be sent, or a record
    /// names it. Reads all records.
    package func isKnown(_ id: AttachmentID) throws -> Bool {
        try store.read { store in
            if try store.metadata().uploads.contains(id) { return true }
            if try store.entries(in: Set(OutboxEntry.Stage.allCases), limit: .max).contains(where: {
                $0.content?.attachmentID == id || $0.base?.content.attachmentID == id
            }) {
                return true
            }
            var last: Record.ID?
            while case let batch = try store.records(after: last, limit: 500), !batch.isEmpty {
                if batch.contains(where: { $0.record.content.attachmentID == id }) { return true }
                last = batch.last?.id
            }
            return false
        }
    }

    /// Returns the file of the first edit that waits for an upload; nil if no edit does. What was put aside is tried last.
    package func nextUpload(except skipped: Set<AttachmentID> = []) throws -> AttachmentID? {
        try store.read { store in
            let metadata = try store.metadata()
            guard metadata.grant?.mayWrite == true, !metadata.isRecovering, !metadata.uploads.isEmpty else {
                return nil
            }
            let waiting = try store.entries(in: [.waiting], limit: .max)
            for tried in [false, true] {
                for entry in waiting where entry.isAside == tried {
                    if let file = metadata.missingFile(of: entry), !skipped.contains(file) { return file }
                }
            }
            return nil
        }
    }

    /// Records that the server has the file.
    package func uploaded(_ id: AttachmentID) throws {
        try store.write { try $0.changeMetadata { $0.uploads.remove(id) } }
    }

    /// Marks waiting edits that name the file as refused, with the reason.
    package func refuseUpload(_ id: AttachmentID, because reason: String) throws -> LayerChanges {
        try store.write { store in
            var changes = LayerChanges()
            for entry in try store.entries(in: [.waiting], limit: .max)
            where entry.kind != .delete && entry.content?.attachmentID == id {
                // An earlier iteration may have removed this entry.
                guard let entry = try store.entry(entry.seq), entry.stage == .waiting else { continue }
                let isThere: Bool? = entry.kind == .create || entry.kind == .restore ? nil : true
                try store.settle(entry, as: .refused(reason), isThere: isThere, into: &changes)
            }
            try store.show(changes)
            return changes
        }
    }

    /// Returns the files to keep on disk: those that local edits name, and those added for a future edit.
    package func attachmentsInUse() throws -> Set<AttachmentID> {
        try store.read { store in
            let kept = try store.entries(in: Set(OutboxEntry.Stage.allCases), limit: .max)
            let named = kept.flatMap { [$0.content?.attachmentID, $0.base?.content.attachmentID] }
            return try store.metadata().uploads.union(named.compactMap(\.self))
        }
    }
}

extension LayerMetadata {
    /// Returns the file that must be uploaded before this edit.
    func missingFile(of entry: OutboxEntry) -> AttachmentID? {
        guard !uploads.isEmpty, entry.kind != .delete, let id = entry.content?.attachmentID, uploads.contains(id) else {
            return nil
        }
        return id
    }
}

extension StoredLayer {
    /// Whether an edit cannot be sent because a file is missing: its own, or that of the annotation that it comments on.
    func waitsForFile(_ entry: OutboxEntry, _ metadata: LayerMetadata) throws -> Bool {
        guard !metadata.uploads.isEmpty else { return false }
        if metadata.missingFile(of: entry) != nil { return true }
        guard let root = entry.root else { return false }
        return try entries(of: root).contains {
            $0.bringsRecord && $0.stage == .waiting && metadata.missingFile(of: $0) != nil
        }
    }
}
