import Annotations
import Authorization
import SyncProtocol

extension ChangeDecider {
    func update(_ change: Change, _ writer: inout LayerWriter) throws -> ChangeDecision {
        guard let content = change.content else { return .invalid("an update needs content") }
        guard let stored = try find(change.id, writer) else { return .noSuchRecord }
        guard stored.isLive else { return .recordDeleted }
        if case .denied(let denial) = grant.decide(.edit(stored.subject)) { return .denied(denial.description) }
        if !change.group.isExactly(stored.record.group),
            case .denied(let denial) = grant.decide(.move(stored.subject, to: change.group))
        {
            return .denied(denial.description)
        }
        let (outline, there) = (ContentOutline(content), ContentOutline(stored.record.content))
        if let problem = problem(outline, over: there, writer) { return .invalid(problem) }
        if let problem = try problem(ofAttachmentIn: content, over: stored, writer) { return .invalid(problem) }
        guard isFirst(change, stored) else { return .conflict(stored) }
        // Who made a record stays: also its name in the content is the stored one.
        var record = stored.record
        record.content = outline.authored(content, by: there.creatorName?.string)
        record.group = change.group
        record.updatedBy = grant.userID
        let written = try writer.write(
            record, contentType: stored.contentType, rootID: stored.rootID, over: stored, client: clientID)
        return .applied(written.revision)
    }

    private func problem(_ content: ContentOutline, over stored: ContentOutline, _ writer: LayerWriter) -> String? {
        guard content.isSameKind(as: stored) else {
            return "a record stays what it is: a comment of its thread, or an annotation"
        }
        do {
            try content.validate(pageCount: writer.layer.pageCount, maximumBytes: limits.recordBytes)
        } catch {
            // What came out of a PDF incomplete can be edited as it is.
            if case .tooLarge = error { return "\(error)" }
            let pages = writer.layer.pageCount
            guard (try? stored.validate(pageCount: pages, maximumBytes: Content.maximumBytes)) != nil else {
                return nil
            }
            return "\(error)"
        }
        return nil
    }
}
