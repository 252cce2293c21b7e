package import Annotations
import Authorization
package import SyncProtocol

/// Performs the backend's writes: unconditionally, without checking collaboration permissions, and for any author. They
/// get revisions like any other change and end the current run.
package struct BackendWriter {
    package private(set) var writer: LayerWriter
    private let limits: ServerLimits

    package init(
        _ layer: ServerLayer, in store: any StoreWriting, now: Timestamp, limits: ServerLimits = ServerLimits()
    ) {
        writer = LayerWriter(layer, in: store, now: now)
        self.limits = limits
    }

    package var commit: Commit { writer.commit }

    /// Creates a record; the id of a deleted record may be reused.
    package mutating func create(_ id: Record.ID, _ content: Content, user: String?, group: String?) throws {
        let old = try writer.store.record(id, in: writer.layer)
        try create(Record(id: id, content: content, createdBy: user, updatedBy: user, group: group), over: old)
    }

    private mutating func create(_ new: Record, over old: ServerRecord?) throws {
        guard Record.isValidID(new.id) else { throw APIError(.invalid, Record.idRule) }
        try check(user: new.createdBy)
        try check(user: new.updatedBy)
        try check(new.content, over: nil)
        guard old?.isLive != true else { throw APIError(.alreadyExists, "a record with this id already exists") }
        let outline = ContentOutline(new.content)
        try Self.check(outline.contentType)
        if outline.contentType == .comments {
            guard let rootID = outline.rootID, let root = try writer.store.record(rootID, in: writer.layer), root.isLive
            else { throw APIError(.invalid, #""rootId" is not an annotation of this layer"#) }
            if let why = root.record.content.noThread { throw APIError(.invalid, why.description) }
        }
        // Comments left by a deleted record with this id would become its thread.
        if old != nil, let why = new.content.noThread,
            try !writer.store.marks(ofThread: new.id, in: writer.layer).isEmpty
        {
            throw APIError(.invalid, "comments name this id as their root: \(why.description)")
        }
        let record = Record(
            id: new.id, content: new.content, createdBy: new.createdBy.orNull, updatedBy: new.updatedBy.orNull,
            group: new.group.orNull)
        try writer.write(
            record, contentType: outline.contentType, rootID: outline.rootID,
            isCommentThreadRoot: outline.isCommentThreadRoot, over: old, client: nil)
    }

    /// Creates the record, or replaces the live record with its id and keeps that record's creator. Replaces a damaged
    /// row.
    package mutating func put(_ record: Record, group: String??) throws {
        let old: ServerRecord?
        do { old = try writer.store.record(record.id, in: writer.layer) } catch is DamagedRow {
            return try restore(record.id, record.content, user: record.updatedBy ?? record.createdBy, group: group)
        }
        if old?.isLive == true {
            try replace(record.id, record.content, user: record.updatedBy ?? record.createdBy, group: group)
        } else {
            try create(record, over: old)
        }
    }

    /// Replaces the whole content. Keeps the creator, and the group unless a new one is given.
    package mutating func replace(_ id: Record.ID, _ content: Content, user: String?, group: String??) throws {
        let stored: ServerRecord
        do { stored = try existing(id) } catch is DamagedRow {
            return try restore(id, content, user: user, group: group)
        }
        let known = [stored.record.createdBy, stored.record.updatedBy]
        if !known.contains(where: { $0.isExactly(user) }) { try check(user: user) }
        try check(content, over: stored)
        try Self.check(stored.contentType)
        guard content.isSameKind(as: stored.record.content) else {
            throw APIError(.invalid, "a record cannot change between annotation and comment, or move to another thread")
        }
        var record = stored.record
        record.content = content
        record.updatedBy = user.orNull
        if let group { record.group = group.orNull }
        try writer.write(
            record, contentType: stored.contentType, rootID: stored.rootID,
            isCommentThreadRoot: stored.isCommentThreadRoot, over: stored, client: nil)
    }

    /// Writes a record in the place of a damaged row. Creator and group are those in the store's indexes.
    private mutating func restore(_ id: Record.ID, _ content: Content, user: String?, group: String??) throws {
        let subject = try writer.store.subject(of: id, in: writer.layer)
        try create(
            Record(
                id: id, content: content, createdBy: subject?.createdBy ?? user, updatedBy: user,
                group: group ?? subject?.group), over: nil)
    }

    /// Deletes a record; deletes a root together with its thread, which a backend sees whole.
    package mutating func delete(_ id: Record.ID, user: String?) throws {
        let stored = try existing(id)
        try Self.check(stored.contentType)
        let thread = stored.contentType == .annotations ? try writer.store.thread(of: id, in: writer.layer) : []
        _ = try writer.remove(thread + [stored], by: user, client: nil)
    }

    /// Form fields and their values come with the PDF.
    private static func check(_ type: ContentType) throws {
        if type == .formFields { throw APIError(.invalid, Denial.formField.description) }
    }

    /// Runs the body; if it throws, rolls back all its changes.
    package mutating func attempt(_ body: (inout BackendWriter) throws -> Void) throws {
        let mark = writer.mark
        do {
            try writer.store.savepoint { try body(&self) }
        } catch {
            writer.goBack(to: mark)
            throw error
        }
    }

    /// Returns the live record, or throws a 404.
    package func existing(_ id: Record.ID) throws -> ServerRecord {
        guard let stored = try writer.store.record(id, in: writer.layer), stored.isLive else {
            throw APIError(.notFound, "no record with this id")
        }
        return stored
    }

    private func check(user: String?) throws {
        guard user?.isVisible != false else {
            throw APIError(.invalid, "the id of a user must not contain control or format characters")
        }
    }

    private func check(_ content: Content, over stored: ServerRecord?) throws {
        do {
            try content.validate(pageCount: writer.layer.pageCount, maximumBytes: limits.recordBytes)
            try content.checkAttachment(over: stored?.record.content)
        } catch { throw APIError(.invalid, "\(error)") }
        // A backend may name any attachment of the document; the one the record already names stays valid.
        guard let id = content.attachmentID, id != stored?.record.content.attachmentID,
            try writer.store.attachment(id, of: writer.layer.key.document) == nil
        else { return }
        throw APIError(.invalid, "its attachment was not uploaded")
    }
}
