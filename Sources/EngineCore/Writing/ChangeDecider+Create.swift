import Annotations
import Authorization
import SyncProtocol

extension ChangeDecider {
    func create(_ change: Change, _ writer: inout LayerWriter) throws -> Verdict {
        guard let content = change.content else { return .invalid("a create needs content") }
        if let there = try writer.store.record(change.id, in: writer.layer) {
            guard scope.contains(there.subject) else { return .noSuchRecord }
            return there.isLive ? .conflict(there) : .gone("the id belonged to a record that was deleted")
        }
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
        if let problem = try writer.problem(ofAttachmentIn: content, over: nil) { return .invalid(problem) }
        let record = Record(
            id: change.id, content: outline.authored(content, by: grant.creatorName ?? outline.creatorName?.string),
            createdBy: grant.userID, updatedBy: grant.userID, group: change.group)
        let written = try writer.write(record, contentType: type, rootID: rootID, over: nil, client: clientID)
        return .applied(written.revision)
    }

    /// Why no comment can be put under this root; nil when it can.
    private func refuseReply(to id: Record.ID, group: String?, _ writer: LayerWriter) throws -> Verdict? {
        guard let root = try find(id, writer), root.isLive else { return .threadGone }
        if let why = root.record.content.noThread { return .invalid(why.description) }
        let first = try live(in: id, writer).isEmpty
        let decision = grant.decide(.createComment(root: root.subject, first: first, group: group))
        if case .denied(let denial) = decision { return .denied(denial.description) }
        return nil
    }
}
