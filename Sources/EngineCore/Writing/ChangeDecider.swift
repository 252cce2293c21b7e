import Annotations
import Authorization
import SyncProtocol

/// Decides and performs one change of one bearer. Of an existing record: may it be seen, permission on the stored record,
/// the content, who was first. Of a new one: permission, the content, the id.
struct ChangeDecider {
    let grant: Grant
    let scope: ViewScope
    let clientID: String
    let limits: ServerLimits

    init(grant: Grant, clientID: String, limits: ServerLimits) {
        self.grant = grant
        scope = grant.viewScope
        self.clientID = clientID
        self.limits = limits
    }

    func decide(_ change: Change, _ writer: inout LayerWriter) throws -> ChangeDecision {
        guard Record.isValidID(change.id) else {
            return .invalid("an id has 1 to 256 bytes and no spaces or control characters")
        }
        guard change.baseRevision >= 0 else { return .invalid("a base revision is never negative") }
        var change = change
        change.group = change.group.orNull
        switch change.kind {
        case .create: return try create(change, &writer)
        case .update: return try update(change, &writer)
        case .delete: return try delete(change, &writer)
        case .restore: return try restore(change, &writer)
        }
    }

    /// The record, if the bearer may know of it. What may not be seen and what never was look the same.
    func find(_ id: Record.ID, _ writer: LayerWriter) throws -> ServerRecord? {
        guard let record = try writer.store.record(id, in: writer.layer), scope.contains(record.subject) else {
            return nil
        }
        return record
    }

    /// First come, first served; a client does not conflict with its own unbroken run.
    func isFirst(_ change: Change, _ stored: ServerRecord) -> Bool {
        change.baseRevision == stored.revision
            || (stored.run.client == clientID && change.baseRevision >= stored.run.start
                && change.baseRevision < stored.revision)
    }

    /// Nobody else has written to the record since the bearer saw it.
    func isUnchanged(_ stored: ServerRecord, since seen: Revision) -> Bool {
        stored.revision <= seen || (stored.run.client == clientID && seen >= stored.run.start)
    }

    func live(in root: Record.ID, _ writer: LayerWriter) throws -> [ServerRecord] {
        try writer.store.thread(of: root, in: writer.layer)
    }

    /// Why the bearer cannot name the content's attachment; nil when they can.
    ///
    /// A record that names a file hands it out to everybody who sees the record, so the bearer must already have the file:
    /// they uploaded it in this layer, or see a record of this layer that names it. A missing file and
    /// another user's file get the same answer. The attachment that the stored record already names stays valid.
    func problem(
        ofAttachmentIn content: Content, over stored: ServerRecord?, _ writer: LayerWriter
    ) throws -> String? {
        guard let id = content.attachmentID, id != stored?.record.content.attachmentID else { return nil }
        let (store, layer) = (writer.store, writer.layer)
        if try store.attachment(id, of: layer.key.document) != nil {
            if try store.isUploaded(id, by: grant.userID, in: layer) { return nil }
            if try store.records(naming: id, in: layer).contains(where: { scope.contains($0.subject) }) { return nil }
        }
        return "the attachment it names was not uploaded by this user in this layer: upload it first"
    }
}

extension ChangeDecision {
    static let noSuchRecord = ChangeDecision.gone("there is no such record")
    static let recordDeleted = ChangeDecision.gone("the record was deleted")
    static let idTaken = ChangeDecision.gone("this id is taken: create the record under another id")
    static let threadGone = ChangeDecision.gone("the thread is gone")
}
