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
