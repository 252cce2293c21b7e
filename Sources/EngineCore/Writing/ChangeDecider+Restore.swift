import Annotations
import Authorization
import SyncProtocol

extension ChangeDecider {
    /// Brings back a record and what was deleted with it, for whoever deleted it.
    func restore(_ change: Change, _ writer: inout LayerWriter) throws -> ChangeDecision {
        guard let stored = try find(change.id, writer) else { return .noSuchRecord }
        guard let removal = stored.removal else { return .conflict(stored) }
        guard removal.by.isExactly(grant.userID), removal.by != nil || removal.client == clientID else {
            return .denied("only who deleted a record can bring it back")
        }
        guard stored.revision == change.baseRevision else {
            return .gone("the record was deleted at another revision than this one")
        }
        let cascade = try writer.store.cascade(of: stored.revision, in: writer.layer).filter { !$0.isLive }
        if let root = stored.rootID, !cascade.contains(where: { $0.id.isExactly(root) }) {
            guard let root = try find(root, writer), root.isLive else { return .threadGone }
        }
        for record in cascade { try writer.restore(record, by: record.record.updatedBy, client: clientID) }
        try writer.restore(stored, by: grant.userID, client: clientID)
        return .applied(writer.layer.head)
    }
}
