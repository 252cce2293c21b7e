package import Annotations
package import Authorization
import SyncProtocol

/// Comments: threads under text markups and comment markers, flat, in the order of their creation.
extension Layer {
    /// The comments under a root, oldest first; none while a deletion of the root waits, which takes them along.
    package func thread(under root: Record.ID) throws -> [Record] {
        try store.read { store in
            let facts = try metadata(in: store)
            guard try !store.isBeingDeleted(root) else { return [] }
            return try store.thread(under: root).compactMap { try store.overlay($0, facts: facts).record }
        }
    }

    /// Puts a comment under a root.
    ///
    /// - Parameters:
    ///   - id: unique, from ``ULID``.
    ///   - author: for a token without `creator_name`.
    @discardableResult
    package func reply(
        to root: Record.ID, _ text: CommentText, id: Record.ID, author: String?, at now: Timestamp
    ) throws -> EditReceipt {
        try store.write { try $0.reply(to: root, text, id: id, author: author, at: now, facts: metadata(in: $0)) }
    }

    /// Makes a root and says the first thing under it, both or neither.
    package func beginThread(
        _ root: Content, id: Record.ID, _ text: CommentText, commentID: Record.ID, author: String?, at now: Timestamp
    ) throws -> (root: EditReceipt, comment: EditReceipt) {
        try store.write { store in
            let facts = try metadata(in: store)
            return (
                try store.create(root, id: id, group: nil, author: author, at: now, facts: facts),
                try store.reply(to: id, text, id: commentID, author: author, at: now, facts: facts)
            )
        }
    }

    /// Gives a comment other words. What is in it besides stays, formatting and mentions included.
    ///
    /// - Throws: ``EditProblem/formatted(_:)`` when plain words cannot carry what was changed.
    @discardableResult
    package func reword(_ id: Record.ID, _ words: String, at now: Timestamp) throws -> EditReceipt {
        guard let record = try record(id) else { throw EditError.noSuchRecord(id) }
        guard record.contentType == .comments else { throw EditError.notAComment }
        do { return try update(id, content: record.content.replacingText(with: words), at: now) } catch let why
            as FormattingConflict
        {
            throw EditError.formatted(why)
        }
    }

    /// Why not all of these may be done to a record with the grant of this process; nil when they may. Where something
    /// is to be said under it, a comment stands for its thread.
    package func problem(with operations: RecordOperations, on id: Record.ID) throws -> EditError? {
        try store.read { store in
            let facts = try metadata(in: store)
            guard let record = try store.overlay(id, facts: facts).record else { return .noSuchRecord(id) }
            guard let grant = facts.grant else { return .noGrant }
            if let denial = grant.denial(of: operations, on: record) { return .denied(denial) }
            return operations.contains(.reply) ? try store.replyProblem(record, facts: facts) : nil
        }
    }

    /// What may be done to a record with the grant of this process; nothing before the first one.
    package func operations(on id: Record.ID) throws -> RecordOperations {
        try store.read { store in
            let facts = try metadata(in: store)
            return try store.overlay(id, facts: facts).record.map { try store.operations(on: $0, facts: facts) } ?? []
        }
    }
}

extension StoredLayer {
    /// The decision that a new comment needs.
    ///
    /// - Throws: ``EditProblem`` when no token could allow it.
    ///
    /// - Parameter waiting: the entry that makes it, when it is in the outbox already.
    func reply(
        to id: Record.ID, group: String?, facts: LayerMetadata, waiting: OutboxEntry? = nil
    ) throws -> Operation {
        guard let root = try overlay(id, facts: facts).record else { throw EditError.rootGone }
        if let why = root.content.noThread { throw EditError.noThread(why) }
        let others = try thread(under: id).filter { comment in
            guard let waiting else { return true }
            guard !comment.isExactly(waiting.id) else { return false }
            return try record(comment) != nil || entries(of: comment).contains { $0.seq < waiting.seq }
        }
        return .createComment(root: Subject(root), first: others.isEmpty, group: group)
    }

    /// What may be done to a record that is shown; nothing before the first grant.
    func operations(on record: Record, facts: LayerMetadata) throws -> RecordOperations {
        var operations = facts.grant?.operations(on: record) ?? []
        if try replyProblem(record, facts: facts) == nil { operations.insert(.reply) }
        return operations
    }

    fileprivate func replyProblem(_ record: Record, facts: LayerMetadata) throws -> EditError? {
        guard let grant = facts.grant else { return .noGrant }
        do {
            let root = record.content["rootId"]?.string ?? record.id
            try grant.require(try reply(to: root, group: facts.groupForNew, facts: facts))
            return nil
        } catch let problem as EditError { return problem }
    }

    /// A deletion of ours waits, or was applied and has not come back yet.
    func isBeingDeleted(_ id: Record.ID) throws -> Bool {
        try entries(of: id).last { $0.isPending || $0.stage == .applied }?.kind == .delete
    }
}

extension WritableLayer {
    fileprivate func reply(
        to root: Record.ID, _ text: CommentText, id: Record.ID, author: String?, at now: Timestamp, facts: LayerMetadata
    ) throws -> EditReceipt {
        guard let record = try overlay(root, facts: facts).record else { throw EditError.rootGone }
        return try create(
            .comment(text, under: root, record.content), id: id, group: nil, author: author, at: now, facts: facts)
    }
}
