package import Annotations
package import Authorization
import SyncProtocol

/// Comments: flat threads under markup and notes, in order of creation.
extension Layer {
    /// Returns the comments under a root, oldest first; none while a deletion of the root is pending, because the
    /// deletion includes them.
    package func thread(under root: Record.ID) throws -> [Record] {
        try store.read { store in
            let metadata = try metadata(in: store)
            guard try !store.isBeingDeleted(root) else { return [] }
            return try store.thread(under: root).compactMap { try store.overlay($0, metadata: metadata).record }
        }
    }

    /// Creates a comment under a root.
    ///
    /// - Parameters:
    ///   - id: A unique id from ``ULID``.
    ///   - author: The author if the token has no `creator_name`.
    @discardableResult
    package func reply(
        to root: Record.ID, _ text: CommentText, id: Record.ID, author: String?, at now: Timestamp
    ) throws -> EditReceipt {
        try store.write { try $0.reply(to: root, text, id: id, author: author, at: now, metadata: metadata(in: $0)) }
    }

    /// Sets the state of an annotation, as a comment in its thread.
    ///
    /// - Parameters:
    ///   - id: A unique id from ``ULID``.
    ///   - author: The author if the token has no `creator_name`.
    @discardableResult
    package func setState(
        _ state: AnnotationState, of root: Record.ID, id: Record.ID, author: String?, at now: Timestamp
    ) throws -> EditReceipt {
        try store.write { store in
            let metadata = try metadata(in: store)
            guard let record = try store.overlay(root, metadata: metadata).record else { throw EditError.rootGone }
            return try store.create(
                .state(state, under: root, record.content), id: id, group: nil, author: author, at: now,
                metadata: metadata)
        }
    }

    /// Returns the states of an annotation that count.
    package func states(of root: Record.ID) throws -> AnnotationStates { AnnotationStates(try thread(under: root)) }

    /// Creates a root and its first comment. Creates both or neither. The root says that it was created for the thread,
    /// so that it is deleted with its last comment.
    package func beginThread(
        _ root: Content, id: Record.ID, _ text: CommentText, commentID: Record.ID, author: String?, at now: Timestamp
    ) throws -> (root: EditReceipt, comment: EditReceipt) {
        try store.write { store in
            let metadata = try metadata(in: store)
            return (
                try store.create(
                    root.asCommentThreadRoot, id: id, group: nil, author: author, at: now, metadata: metadata),
                try store.reply(to: id, text, id: commentID, author: author, at: now, metadata: metadata)
            )
        }
    }

    /// Replaces the text of a comment. Keeps the formatting and the mentions.
    ///
    /// - Throws: ``EditError/formatted(_:)`` if plain text cannot express the change.
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

    /// Returns why the grant of this process does not allow all these operations on a record; nil if it does. For a
    /// reply, a comment counts as the root of its thread.
    package func problem(with operations: RecordOperations, on id: Record.ID) throws -> EditError? {
        try store.read { store in
            let metadata = try metadata(in: store)
            guard let record = try store.visible(id, metadata: metadata).record else { return .noSuchRecord(id) }
            guard let grant = metadata.grant else { return .noGrant }
            if let denial = grant.denial(of: operations, on: record) { return .denied(denial) }
            return operations.contains(.reply) ? try store.replyProblem(record, metadata: metadata) : nil
        }
    }

    /// Returns the operations that the grant of this process allows on a record; none before the first grant.
    package func operations(on id: Record.ID) throws -> RecordOperations {
        try store.read { store in
            let metadata = try metadata(in: store)
            return try store.visible(id, metadata: metadata).record.map {
                try store.operations(on: $0, metadata: metadata)
            } ?? []
        }
    }
}

extension StoredLayer {
    /// Returns the operation to authorize for a new comment.
    ///
    /// - Parameter waiting: The entry that creates the comment, if it is already in the outbox.
    ///
    /// - Throws: ``EditError`` if no token could allow it.
    func reply(
        to id: Record.ID, isState: Bool = false, group: String?, metadata: LayerMetadata, waiting: OutboxEntry? = nil
    ) throws -> Operation {
        guard let root = try overlay(id, metadata: metadata).record else { throw EditError.rootGone }
        if let why = root.content.noThread { throw EditError.noThread(why) }
        guard !isState else { return .setState(root: Subject(root), group: group) }
        let others = try thread(under: id).filter { comment in
            guard let waiting else { return true }
            guard !comment.isExactly(waiting.id) else { return false }
            return try record(comment) != nil || entries(of: comment).contains { $0.seq < waiting.seq }
        }
        return .createComment(root: Subject(root), first: others.isEmpty, group: group)
    }

    /// Returns the operations allowed on a shown record; none before the first grant.
    func operations(on record: Record, metadata: LayerMetadata) throws -> RecordOperations {
        var operations = metadata.grant?.operations(on: record) ?? []
        if try replyProblem(record, metadata: metadata) == nil { operations.insert(.reply) }
        return operations
    }

    fileprivate func replyProblem(_ record: Record, metadata: LayerMetadata) throws -> EditError? {
        guard let grant = metadata.grant else { return .noGrant }
        do {
            let root = record.content["rootId"]?.string ?? record.id
            try grant.require(try reply(to: root, group: metadata.groupForNew, metadata: metadata))
            return nil
        } catch let problem as EditError { return problem }
    }
}

extension WritableLayer {
    fileprivate func reply(
        to root: Record.ID, _ text: CommentText, id: Record.ID, author: String?, at now: Timestamp,
        metadata: LayerMetadata
    ) throws -> EditReceipt {
        guard let record = try overlay(root, metadata: metadata).record else { throw EditError.rootGone }
        return try create(
            .comment(text, under: root, record.content), id: id, group: nil, author: author, at: now, metadata: metadata
        )
    }
}
