import Annotations
import Authorization
import SyncProtocol

extension ChangeDecider {
    func delete(_ change: Change, _ writer: inout LayerWriter) throws -> ChangeDecision {
        guard let stored = try find(change.id, writer) else { return .noSuchRecord }
        // Deleted twice is deleted.
        guard stored.isLive else { return .applied(stored.revision) }
        if case .denied(let denial) = grant.decide(.delete(stored.subject)) { return .denied(denial.description) }
        guard isFirst(change, stored) else { return .conflict(stored) }
        switch stored.contentType {
        case .annotations, .formFields: return try deleteRoot(stored, change, &writer)
        case .comments: return try deleteComment(stored, change, &writer)
        }
    }

    /// A root takes its thread along, unless someone else has written there since the bearer looked.
    private func deleteRoot(_ root: ServerRecord, _ change: Change, _ writer: inout LayerWriter) throws
        -> ChangeDecision
    {
        let thread = try live(in: root.id, writer)
        let seen = change.threadRevision ?? change.baseRevision
        let newer = thread.first { $0.revision > seen && $0.run.client != clientID }
        if let newer {
            // What the bearer meant is the root, and that is what is in conflict; of a comment that the bearer may not
            // see not even the reason speaks.
            return .conflict(root, scope.contains(newer.subject) ? "someone else wrote in its thread" : nil)
        }
        return .applied(try writer.remove(thread + [root], by: grant.userID, client: clientID))
    }

    /// The last comment takes its root along, if the root was made for the thread, is as the bearer saw it, and the bearer
    /// may delete it. A markup is content of its own: it stays.
    ///
    /// Where the change does not say which state of the root was seen: a comment is younger than its root, and changes
    /// reach a client in order, so who saw the comment at its base revision saw every state of the root up to there.
    private func deleteComment(
        _ comment: ServerRecord, _ change: Change, _ writer: inout LayerWriter
    ) throws -> ChangeDecision {
        var going = [comment]
        if let rootID = comment.rootID, let root = try find(rootID, writer), root.isLive,
            try isMadeForItsThread(root, writer),
            isUnchanged(root, since: change.threadRevision ?? change.baseRevision),
            try live(in: rootID, writer).count == 1, grant.decide(.delete(root.subject)).isAllowed
        {
            going.insert(root, at: 0)
        }
        return .applied(try writer.remove(going, by: grant.userID, client: clientID))
    }

    /// A comment marker of the layer. One that came with the PDF was there before the thread.
    private func isMadeForItsThread(_ root: ServerRecord, _ writer: LayerWriter) throws -> Bool {
        guard AnnotationKind(type: root.record.content["type"]?.string ?? "") == .commentMarker else { return false }
        // A layer without records of its own shows what the PDF brought.
        var untouched = writer.layer
        untouched.id = 0
        return try writer.store.record(root.id, in: untouched) == nil
    }
}
