package import Annotations
import Authorization
import SyncProtocol

/// A deletion, and what it also deletes as far as this store can tell. The server also counts hidden comments, so the
/// root of a last comment may stay.
package struct PlannedDeletion: Hashable, Sendable {
    package var record: Record
    /// The comments of a deleted root, oldest first.
    package var comments: [Record] = []
    /// The root that is deleted with its last comment.
    package var root: Record?

    package init(_ record: Record, comments: [Record] = [], root: Record? = nil) {
        self.record = record
        self.comments = comments
        self.root = root
    }

    /// Everything that is deleted, first the record itself.
    package var records: [Record] { [record] + comments + (root.map { [$0] } ?? []) }
}

extension Layer {
    /// - Parameter named: The records that the user was told would also be deleted; nil if the user was not asked. A
    ///   root that is not among them stays.
    /// - Throws: ``EditError/threadGrew`` if a comment by someone else is not among them.
    @discardableResult
    package func delete(
        _ id: Record.ID, with named: [Record.ID]? = nil, at now: Timestamp
    ) throws -> EditReceipt {
        try store.write { store in
            let metadata = try metadata(in: store)
            guard let grant = metadata.grant else { throw EditError.noGrant }
            guard let record = try store.visible(id, metadata: metadata).record else {
                throw EditError.noSuchRecord(id)
            }
            try grant.require(.delete(Subject(record)))
            var leavesRoot = false
            if let named = named.map({ Set($0.map(ByteOrdered.init)) }) {
                let planned = try store.deletion(of: record, metadata: metadata)
                leavesRoot = planned.root.map { !named.contains(ByteOrdered($0.id)) } ?? false
                let isGrown = planned.comments.contains { comment in
                    !comment.createdBy.isExactly(metadata.identity.userID) && !named.contains(ByteOrdered(comment.id))
                }
                if isGrown { throw EditError.threadGrew }
            }
            return try store.enqueue(
                .delete, id, content: nil, group: record.group, at: now, metadata: metadata, leavingRoot: leavesRoot)
        }
    }

    /// Returns everything that deleting these records in this order deletes. A record that an earlier deletion
    /// includes, or that does not exist, has no entry of its own.
    package func deletions(of ids: [Record.ID]) throws -> [PlannedDeletion] {
        try store.read { store in
            let metadata = try metadata(in: store)
            var gone: Set<ByteOrdered> = []
            return try ids.compactMap { id in
                guard !gone.contains(ByteOrdered(id)),
                    let record = try store.visible(id, metadata: metadata).record
                else { return nil }
                let planned = try store.deletion(of: record, metadata: metadata, after: gone)
                gone.formUnion(planned.records.map { ByteOrdered($0.id) })
                return planned
            }
        }
    }
}

extension StoredLayer {
    /// - Parameter gone: Records that are deleted earlier.
    func deletion(
        of record: Record, metadata: LayerMetadata, after gone: Set<ByteOrdered> = []
    ) throws -> PlannedDeletion {
        guard record.contentType == .comments else {
            let comments = try thread(under: record.id).compactMap { id in
                gone.contains(ByteOrdered(id)) ? nil : try overlay(id, metadata: metadata).record
            }
            return PlannedDeletion(record, comments: comments)
        }
        return PlannedDeletion(record, root: try rootTaken(by: record, metadata: metadata, after: gone))
    }

    /// Returns the root that the server deletes with this comment, as far as this store can tell: the comment is the
    /// last one, and the root was created for its thread and may be deleted.
    private func rootTaken(
        by comment: Record, metadata: LayerMetadata, after gone: Set<ByteOrdered>
    ) throws -> Record? {
        guard let rootID = comment.content["rootId"]?.string, !gone.contains(ByteOrdered(rootID)),
            try isKnownToServer(comment.id),
            try thread(under: rootID).allSatisfy({ $0.isExactly(comment.id) || gone.contains(ByteOrdered($0)) }),
            let root = try overlay(rootID, metadata: metadata).record, root.content.isMadeForThread,
            try !isOfThePDF(root), metadata.grant?.decide(.delete(Subject(root))).isAllowed == true
        else { return nil }
        return root
    }

    /// Whether the server has the record or may have it soon: a comment that was never sent is only dropped here.
    private func isKnownToServer(_ id: Record.ID) throws -> Bool {
        if try record(id) != nil { return true }
        return try !entries(of: id).contains { $0.kind == .create && $0.isUnsealed && !$0.wasSent }
    }

    /// Whether an annotation came with the PDF: it is unchanged in this layer, or has the id that it has in the file.
    private func isOfThePDF(_ root: Record) throws -> Bool {
        if let stored = try record(root.id), stored.revision == 0 { return true }
        return root.content["pdfObjectId"]?.integer.map { "\($0)".isExactly(root.id) } ?? false
    }

    // MARK: What a local deletion hides

    /// Returns the record as the user sees it: no comment while a deletion of its root is under way.
    func visible(_ id: Record.ID, metadata: LayerMetadata) throws -> Overlay {
        var overlay = try overlay(id, metadata: metadata)
        if let record = overlay.record, try hasEntries(), let root = record.content["rootId"]?.string,
            try isBeingDeleted(root)
        {
            overlay.record = nil
        }
        return overlay
    }

    /// Whether a local deletion is pending, or applied and not yet received back.
    func isBeingDeleted(_ id: Record.ID) throws -> Bool { try deletionInEffect(of: id) != nil }

    private func deletionInEffect(of id: Record.ID) throws -> OutboxEntry? {
        let last = try entries(of: id).last { $0.isPending || $0.stage == .applied }
        return last?.kind == .delete ? last : nil
    }

    /// Whether a local deletion of its last comment also deletes the root.
    func isTaken(_ root: Record.ID) throws -> Bool {
        // Another deletion of the same comment may be in effect, one that leaves the root.
        let isInEffect = try entries(takingRoot: root).contains { try deletionInEffect(of: $0.id)?.seq == $0.seq }
        return try isInEffect && thread(under: root).isEmpty
    }

    /// Whether a local restore brings the root back, with the only comment that is shown.
    func isReturning(_ root: Record.ID) throws -> Bool {
        let restores = try entries(takingRoot: root).filter { $0.kind == .restore }
        guard restores.contains(where: { $0.isPending || $0.stage == .applied }) else { return false }
        return try thread(under: root).allSatisfy { try record($0) == nil }
    }
}

extension Content {
    /// Whether the server deletes this root with its last comment: it is a comment marker, or says that it was created
    /// for its comments. The server goes by what the root said when it was created.
    fileprivate var isMadeForThread: Bool {
        let outline = ContentOutline(self)
        return outline.isCommentThreadRoot || outline.type == AnnotationKind.commentMarker.type
    }
}
