import Annotations
import Authorization
import SyncProtocol

/// Decides and performs one change of one bearer: what is there and may be seen, then permission on the stored
/// record, then the content, then who was first.
struct ChangeDecider {
    let grant: Grant
    let scope: ViewScope
    let clientID: String
    let limits: Limits

    init(grant: Grant, clientID: String, limits: Limits) {
        self.grant = grant
        scope = grant.viewScope
        self.clientID = clientID
        self.limits = limits
    }

    func decide(_ change: Change, _ writer: inout LayerWriter) throws -> Verdict {
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
    func find(_ id: Record.ID, _ writer: LayerWriter) throws -> StoredRecord? {
        guard let record = try writer.store.record(id, in: writer.layer), scope.contains(record.subject) else {
            return nil
        }
        return record
    }

    /// First come, first served; a client does not conflict with its own unbroken run.
    func isFirst(_ change: Change, _ stored: StoredRecord) -> Bool {
        change.baseRevision == stored.revision
            || (stored.run.client == clientID && change.baseRevision >= stored.run.start
                && change.baseRevision < stored.revision)
    }

    /// Nobody else has written to the record since the bearer saw it.
    func isUnchanged(_ stored: StoredRecord, since seen: Revision) -> Bool {
        stored.revision <= seen || (stored.run.client == clientID && seen >= stored.run.start)
    }

    func live(in root: Record.ID, _ writer: LayerWriter) throws -> [StoredRecord] {
        try writer.store.thread(of: root, in: writer.layer)
    }
}

extension Verdict {
    static let noSuchRecord = Verdict.gone("there is no such record")
    static let recordDeleted = Verdict.gone("the record was deleted")
    static let threadGone = Verdict.gone("the thread is gone")
}
