import Annotations
import Authorization
import SyncProtocol

/// Decides and performs one change by one user. Checks an existing record for visibility, permission on the stored
/// record, content and conflict, in this order; a new record for permission, content and id.
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
        // The rule for new ids is stricter than that for existing ones.
        guard change.kind == .create ? Record.isValidID(change.id) : Record.isAcceptedID(change.id) else {
            return .invalid(Record.idRule)
        }
        guard change.baseRevision >= 0 else { return .invalid("a base revision must not be negative") }
        switch change.kind {
        case .create: return try create(change, &writer)
        case .update: return try update(change, &writer)
        case .delete: return try delete(change, &writer)
        case .restore: return try restore(change, &writer)
        }
    }

    /// Returns the record if the user may see it. A hidden and a missing record are indistinguishable.
    ///
    /// - Throws: ``DamagedRow`` if the user may see it but its row is damaged.
    func find(_ id: Record.ID, _ writer: LayerWriter) throws -> ServerRecord? {
        if scope != .everything {
            guard let subject = try writer.store.subject(of: id, in: writer.layer), scope.contains(subject) else {
                return nil
            }
        }
        return try writer.store.record(id, in: writer.layer)
    }

    /// Returns the record if the user may see it and its row is not damaged.
    private func intact(_ id: Record.ID, _ writer: LayerWriter) throws -> ServerRecord? {
        do { return try find(id, writer) } catch is DamagedRow { return nil }
    }

    /// Whether the change is based on the current revision, or on one within the client's own unbroken run.
    func isFirst(_ change: Change, _ stored: ServerRecord) -> Bool {
        change.baseRevision == stored.revision
            || (stored.run.client == clientID && change.baseRevision >= stored.run.start
                && change.baseRevision < stored.revision)
    }

    /// Returns whether no one else has written to the record since the user saw it.
    func isUnchanged(_ stored: ServerRecord, since seen: Revision) -> Bool {
        stored.revision <= seen || (stored.run.client == clientID && seen >= stored.run.start)
    }

    /// Returns the live comments of a thread, including hidden ones.
    func comments(under root: Record.ID, _ writer: LayerWriter) throws -> [RecordMark] {
        try writer.store.marks(ofThread: root, in: writer.layer)
    }

    /// Returns the live comments that the user sees; the others are not read.
    func visibleThread(under root: Record.ID, _ writer: LayerWriter) throws -> [ServerRecord] {
        if scope == .everything { return try writer.store.thread(of: root, in: writer.layer) }
        return try comments(under: root, writer).filter { scope.contains($0.subject) }
            .compactMap { try writer.store.intactRecord($0.id, in: writer.layer) }
    }

    /// Returns why the user cannot name the content's attachment; nil if they can.
    ///
    /// A record that names a file grants it to everyone who sees the record, so the user must already have the file:
    /// they uploaded it in this layer, or see a record of this layer that names it. A missing file and another user's
    /// file get the same answer. The attachment that the stored record already names stays valid.
    func problem(
        ofAttachmentIn content: Content, over stored: ServerRecord?, _ writer: LayerWriter
    ) throws -> String? {
        do { try content.checkAttachment(over: stored?.record.content) } catch { return "\(error)" }
        guard let id = content.attachmentID, id != stored?.record.content.attachmentID else { return nil }
        let (store, layer) = (writer.store, writer.layer)
        let isTheirs =
            try store.isUploaded(id, by: grant.userID, in: layer)
            || store.marks(naming: id, in: layer).contains { scope.contains($0.subject) }
        if isTheirs, try store.attachment(id, of: layer.key.document) != nil { return nil }
        return "its attachment was not uploaded by this user in this layer; upload it first"
    }
}

extension ChangeDecision {
    static let noSuchRecord = ChangeDecision.gone("no such record")
    static let recordDeleted = ChangeDecision.gone("the record was deleted")
    static let idTaken = ChangeDecision.gone("this id is taken; create the record under another id")
    static let threadGone = ChangeDecision.gone("the thread was deleted")
}

extension ChangeDecider {
    /// Checks the id last. Hidden and free ids get different answers only if the create would otherwise be applied, so
    /// each probe of a free id creates a real record.
    func create(_ change: Change, _ writer: inout LayerWriter) throws -> ChangeDecision {
        guard let content = change.content else { return .invalid("a create needs content") }
        let group = (change.group ?? grant.defaultGroup).orNull
        // Parse once: queues of thousands of changes are decided one by one.
        let outline = ContentOutline(content)
        let type = outline.contentType
        var rootID: Record.ID?
        switch type {
        case .annotations:
            if case .denied(let denial) = grant.decide(.createAnnotation(group: group)) {
                return .denied(denial.description)
            }
        case .comments:
            guard let id = outline.rootID else { return .invalid(#"a comment needs "rootId""#) }
            let isState = outline.state != nil
            if let refused = try refuseReply(to: id, isState: isState, group: group, writer) { return refused }
            rootID = id
        case .formFields: return .invalid(Denial.formField.description)
        }
        do {
            try outline.validate(pageCount: writer.layer.pageCount, maximumBytes: limits.recordBytes)
        } catch { return .invalid("\(error)") }
        if let problem = try problem(ofAttachmentIn: content, over: nil, writer) { return .invalid(problem) }
        if let taken = try refuseID(change.id, writer) { return taken }
        let authored = outline.authored(content, by: grant.creatorName ?? outline.creatorName?.string)
        let record = Record(
            id: change.id, content: outline.namesUsers ? authored.withoutUsers : authored, createdBy: grant.userID,
            updatedBy: grant.userID, group: group)
        let written = try writer.write(
            record, contentType: type, rootID: rootID, isCommentThreadRoot: outline.isCommentThreadRoot, over: nil,
            client: clientID)
        return .applied(written.revision)
    }

    /// Refuses an id that was used in the layer. A visible live record is returned as the winner; a tombstone and a
    /// hidden record get the same answer.
    private func refuseID(_ id: Record.ID, _ writer: LayerWriter) throws -> ChangeDecision? {
        let there: ServerRecord?
        do { there = try writer.store.record(id, in: writer.layer) } catch is DamagedRow { return .idTaken }
        guard let there else { return nil }
        return there.isLive && scope.contains(there.subject) ? .conflict(there) : .idTaken
    }

    /// Returns why no comment can be added to this root; nil if one can.
    private func refuseReply(
        to id: Record.ID, isState: Bool, group: String?, _ writer: LayerWriter
    ) throws -> ChangeDecision? {
        guard let root = try find(id, writer), root.isLive else { return .threadGone }
        if let why = root.record.content.noThread { return .invalid(why.description) }
        let operation: Operation =
            isState
            ? .setState(root: root.subject, group: group)
            : .createComment(root: root.subject, first: try comments(under: id, writer).isEmpty, group: group)
        let decision = grant.decide(operation)
        if case .denied(let denial) = decision { return .denied(denial.description) }
        return nil
    }
}

extension ChangeDecider {
    func update(_ change: Change, _ writer: inout LayerWriter) throws -> ChangeDecision {
        guard let sent = change.content else { return .invalid("an update needs content") }
        guard let stored = try find(change.id, writer) else { return .noSuchRecord }
        guard stored.isLive else { return .recordDeleted }
        let there = ContentOutline(stored.record.content)
        var outline = ContentOutline(sent)
        // The creator, the thread and the kind stay, whatever the change says.
        let content = outline.keepingOrigin(of: there, in: sent)
        if content != sent { outline = ContentOutline(content) }
        let edit: Operation = there.state == nil ? .edit(stored.subject) : .editState(stored.subject)
        if case .denied(let denial) = grant.decide(edit) { return .denied(denial.description) }
        let group = change.group.map(\.orNull) ?? stored.record.group
        if !group.isExactly(stored.record.group),
            case .denied(let denial) = grant.decide(.move(stored.subject, to: group))
        {
            return .denied(denial.description)
        }
        if let problem = problem(outline, over: there, writer) { return .invalid(problem) }
        if let problem = try problem(ofAttachmentIn: content, over: stored, writer) { return .invalid(problem) }
        guard isFirst(change, stored) else { return .conflict(stored) }
        var record = stored.record
        record.content = content
        record.group = group
        record.updatedBy = grant.userID
        let written = try writer.write(
            record, contentType: stored.contentType, rootID: stored.rootID,
            isCommentThreadRoot: stored.isCommentThreadRoot, over: stored, client: clientID)
        return .applied(written.revision)
    }

    private func problem(_ content: ContentOutline, over stored: ContentOutline, _ writer: LayerWriter) -> String? {
        do {
            try content.validate(pageCount: writer.layer.pageCount, maximumBytes: limits.recordBytes)
        } catch {
            // Content from a PDF that was incomplete on import may still be edited.
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
        // Deleting twice succeeds.
        guard stored.isLive else { return .applied(stored.revision) }
        if case .denied(let denial) = grant.decide(.delete(stored.subject)) { return .denied(denial.description) }
        guard isFirst(change, stored) else { return .conflict(stored) }
        switch stored.contentType {
        case .annotations, .formFields: return try deleteRoot(stored, change, &writer)
        case .comments: return try deleteComment(stored, change, &writer)
        }
    }

    /// Deletes a root with the comments that the user sees, unless someone else has written one of them since the user
    /// saw the thread.
    ///
    /// Comments that the user does not see stay and take no part in the decision, so that the answer reveals nothing
    /// about them. What the change claims to have seen is compared with visible comments only.
    private func deleteRoot(_ root: ServerRecord, _ change: Change, _ writer: inout LayerWriter) throws
        -> ChangeDecision
    {
        let thread = try visibleThread(under: root.id, writer)
        let seen = change.threadRevision ?? change.baseRevision
        // The conflict is on the root, which the user meant to delete.
        if thread.contains(where: { $0.revision > seen && $0.run.client != clientID }) {
            return .conflict(root, "someone else added to its thread")
        }
        return .applied(try writer.remove(thread + [root], by: grant.userID, client: clientID))
    }

    /// Deletes a comment. The last comment takes its root with it if the root was created for the thread, is unchanged
    /// since the user saw it, and may be deleted by the user. A mark that existed before its thread stays.
    ///
    /// If the change does not state which revision of the root was seen, the comment's base revision suffices: a
    /// comment is newer than its root, and changes reach a client in order, so a client that saw the comment at its
    /// base revision saw every earlier state of the root.
    private func deleteComment(
        _ comment: ServerRecord, _ change: Change, _ writer: inout LayerWriter
    ) throws -> ChangeDecision {
        var going = [comment]
        if let rootID = comment.rootID, let root = try intact(rootID, writer), root.isLive,
            isUnchanged(root, since: change.threadRevision ?? change.baseRevision),
            try isMadeForItsThread(root, writer), grant.decide(.delete(root.subject)).isAllowed,
            try comments(under: rootID, writer).count == 1
        {
            going.insert(root, at: 0)
        }
        return .applied(try writer.remove(going, by: grant.userID, client: clientID))
    }

    /// Returns whether the root is a comment marker, or was created as the root of a thread. A record of the PDF existed
    /// before its thread.
    private func isMadeForItsThread(_ root: ServerRecord, _ writer: LayerWriter) throws -> Bool {
        guard
            root.isCommentThreadRoot
                || AnnotationKind(type: root.record.content["type"]?.string ?? "") == .commentMarker
        else { return false }
        // A layer without its own records shows the base records.
        var untouched = writer.layer
        untouched.id = 0
        return try writer.store.subject(of: root.id, in: untouched) == nil
    }
}

extension ChangeDecider {
    /// Restores a record and those deleted with it, for the user who deleted it.
    ///
    /// A comment whose root was deleted later stays deleted. One that outlived its root, or whose root the user does not
    /// see, comes back without it.
    func restore(_ change: Change, _ writer: inout LayerWriter) throws -> ChangeDecision {
        guard let stored = try find(change.id, writer) else { return .noSuchRecord }
        guard let removal = stored.removal else { return .conflict(stored) }
        guard removal.by.isExactly(grant.userID), removal.by != nil || removal.client == clientID else {
            return .denied("only the user who deleted a record can restore it")
        }
        guard stored.revision == change.baseRevision else {
            return .gone("the record was deleted at a different revision")
        }
        let cascade = try writer.store.cascade(of: stored.revision, in: writer.layer).filter { !$0.isLive }
        if let root = stored.rootID, !cascade.contains(where: { $0.id.isExactly(root) }),
            let root = try find(root, writer), !root.isLive, root.revision > stored.revision
        {
            return .threadGone
        }
        for record in cascade { try writer.restore(record, by: record.record.updatedBy, client: clientID) }
        try writer.restore(stored, by: grant.userID, client: clientID)
        return .applied(writer.layer.head)
    }
}
