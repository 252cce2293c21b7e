import Annotations
import Authorization
import SyncProtocol

extension ChangeDecider {
    /// Looks the id up last. An answer about a hidden id differs from one about a free id only for a create that would
    /// have been applied, so learning that an id is taken costs a real record for each id that is free.
    func create(_ change: Change, _ writer: inout LayerWriter) throws -> ChangeDecision {
        guard let content = change.content else { return .invalid("a create needs content") }
        // Read once: a queue of thousands is decided one by one.
        let outline = ContentOutline(content)
        let type = outline.contentType
        var rootID: Record.ID?
        switch type {
        case .annotations:
            if case .denied(let denial) = grant.decide(.createAnnotation(group: change.group)) {
                return .denied(denial.description)
            }
        case .comments:
            guard let id = outline.rootID else { return .invalid(#"a comment needs "rootId""#) }
            if let refused = try refuseReply(to: id, group: change.group, writer) { return refused }
            rootID = id
        case .formFields: return .invalid("form fields are not made here")
        }
        do {
            try outline.validate(pageCount: writer.layer.pageCount, maximumBytes: limits.recordBytes)
        } catch { return .invalid("\(error)") }
        if let problem = try problem(ofAttachmentIn: content, over: nil, writer) { return .invalid(problem) }
        if let taken = try refuseID(change.id, writer) { return taken }
        let record = Record(
            id: change.id, content: outline.authored(content, by: grant.creatorName ?? outline.creatorName?.string),
            createdBy: grant.userID, updatedBy: grant.userID, group: change.group)
        let written = try writer.write(record, contentType: type, rootID: rootID, over: nil, client: clientID)
        return .applied(written.revision)
    }

    /// Refuses an id that has been used in the layer. A visible live record is shown as the winner; a tombstone and a
    /// hidden record get one answer.
    private func refuseID(_ id: Record.ID, _ writer: LayerWriter) throws -> ChangeDecision? {
        guard let there = try writer.store.record(id, in: writer.layer) else { return nil }
        return there.isLive && scope.contains(there.subject) ? .conflict(there) : .idTaken
    }

    /// Why no comment can be put under this root; nil when it can.
    private func refuseReply(to id: Record.ID, group: String?, _ writer: LayerWriter) throws -> ChangeDecision? {
        guard let root = try find(id, writer), root.isLive else { return .threadGone }
        if let why = root.record.content.noThread { return .invalid(why.description) }
        let first = try live(in: id, writer).isEmpty
        let decision = grant.decide(.createComment(root: root.subject, first: first, group: group))
        if case .denied(let denial) = decision { return .denied(denial.description) }
        return nil
    }
}
