package import Annotations
import Authorization
import SyncProtocol

/// Files that records name. Their bytes lie outside the store; what is kept here is which of them the server does not
/// have yet: a record goes out only behind its file.
extension Layer {
    /// The file is on the disk: it is uploaded before the first record that names it is sent.
    package func addUpload(_ id: AttachmentID) throws {
        try store.write { try $0.changeMetadata { $0.uploads.insert(id) } }
    }

    /// The file of the first edit that waits for one; nil when nothing waits for a file.
    package func nextUpload() throws -> AttachmentID? {
        try store.read { store in
            let facts = try store.metadata()
            guard facts.grant?.mayWrite == true, !facts.isRecovering, !facts.uploads.isEmpty else { return nil }
            return try store.entries(in: [.waiting], limit: .max).lazy.compactMap { facts.missingFile(of: $0) }.first
        }
    }

    /// The server has it.
    package func uploaded(_ id: AttachmentID) throws {
        try store.write { try $0.changeMetadata { $0.uploads.remove(id) } }
    }

    /// The file cannot be uploaded: edits that name it are kept as refused, with the reason.
    package func refuseUpload(_ id: AttachmentID, because reason: String) throws -> LayerChanges {
        try store.write { store in
            var changes = LayerChanges()
            for entry in try store.entries(in: [.waiting], limit: .max) where entry.content?.attachmentID == id {
                // The one before may have taken this one along.
                guard let entry = try store.entry(entry.seq), entry.stage == .waiting else { continue }
                let isThere: Bool? = entry.kind == .create || entry.kind == .restore ? nil : true
                try store.settle(entry, as: .refused(reason), isThere: isThere, into: &changes)
            }
            try store.show(changes)
            return changes
        }
    }

    /// Files that must stay here: what edits of ours name, and what was added for one that is not made yet.
    package func attachmentsInUse() throws -> Set<AttachmentID> {
        try store.read { store in
            let kept = try store.entries(in: Set(OutboxEntry.Stage.allCases), limit: .max)
            let named = kept.flatMap { [$0.content?.attachmentID, $0.base?.content.attachmentID] }
            return try store.metadata().uploads.union(named.compactMap(\.self))
        }
    }
}

extension LayerMetadata {
    /// What has to be at the server before this edit.
    func missingFile(of entry: OutboxEntry) -> AttachmentID? {
        guard !uploads.isEmpty, let id = entry.content?.attachmentID, uploads.contains(id) else { return nil }
        return id
    }
}
