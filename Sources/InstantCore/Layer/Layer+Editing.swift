package import Annotations
import Authorization
import SyncProtocol

/// Edits. Each is decided by the grant of this process, stamped, and durable in the outbox when the call returns.
extension Layer {
    /// - Parameters:
    ///   - id: unique, from ``ULID``.
    ///   - choice: nil: the layer's group for new records.
    ///   - author: for a token without `creator_name`; the server forces the token's own.
    @discardableResult
    package func create(
        _ content: Content, id: Record.ID, group choice: LayerMetadata.GroupChoice? = nil, author: String?,
        at now: Timestamp
    ) throws -> EditReceipt {
        try store.write {
            try $0.create(content, id: id, group: choice, author: author, at: now, facts: metadata(in: $0))
        }
    }

    /// Whether a new record would be nobody's: neither the token nor the content names an author. The right to make it
    /// is looked at first, so that nobody is asked for a name in vain.
    package func needsAuthor(for content: Content) throws -> Bool {
        try store.read { store in
            let facts = try metadata(in: store)
            guard let grant = facts.grant else { throw EditError.noGrant }
            try grant.require(try store.creation(of: content, group: facts.groupForNew, facts: facts))
            return grant.creatorName == nil && content["creatorName"]?.string == nil
        }
    }

    /// Replaces the content. Its author, creation time and group stay.
    @discardableResult
    package func update(_ id: Record.ID, content: Content, at now: Timestamp) throws -> EditReceipt {
        try store.write { store in
            let facts = try metadata(in: store)
            guard let grant = facts.grant else { throw EditError.noGrant }
            guard let record = try store.overlay(id, facts: facts).record else { throw EditError.noSuchRecord(id) }
            try grant.require(.edit(Subject(record)))
            guard content.isSameKind(as: record.content) else { throw EditError.otherKind }
            let stamped = content.changing { $0["updatedAt"] = .string(now.iso8601) }
            try stamped.check(facts.limits)
            return try store.enqueue(.update, id, content: stamped, group: record.group, at: now, facts: facts)
        }
    }

    @discardableResult
    package func delete(_ id: Record.ID, at now: Timestamp) throws -> EditReceipt {
        try store.write { store in
            let facts = try metadata(in: store)
            guard let grant = facts.grant else { throw EditError.noGrant }
            guard let record = try store.overlay(id, facts: facts).record else { throw EditError.noSuchRecord(id) }
            try grant.require(.delete(Subject(record)))
            return try store.enqueue(.delete, id, content: nil, group: record.group, at: now, facts: facts)
        }
    }
}

extension Grant {
    func require(_ operation: Operation) throws {
        if case .denied(let denial) = decide(operation) { throw EditError.denied(denial) }
    }
}

extension Content {
    /// What the server would refuse is refused here, while the person is still looking at it.
    fileprivate func check(_ limits: ServerLimits) throws {
        do { try validate(maximumBytes: limits.recordBytes) } catch { throw EditError.invalid(error) }
    }
}

extension StoredLayer {
    /// The decision that a new record needs.
    ///
    /// - Parameter waiting: the entry that makes it, when it is in the outbox already.
    func creation(
        of content: Content, group: String?, facts: LayerMetadata, waiting: OutboxEntry? = nil
    ) throws -> Operation {
        guard content.contentType == .comments else { return .createAnnotation(group: group) }
        guard let rootID = content["rootId"]?.string else { throw EditError.noRoot }
        return try reply(to: rootID, group: group, facts: facts, waiting: waiting)
    }
}

extension WritableLayer {
    func create(
        _ content: Content, id: Record.ID, group choice: LayerMetadata.GroupChoice?, author: String?, at now: Timestamp,
        facts: LayerMetadata
    ) throws -> EditReceipt {
        guard let grant = facts.grant else { throw EditError.noGrant }
        let group = choice.map(\.group) ?? facts.groupForNew
        try grant.require(try creation(of: content, group: group, facts: facts))
        let stamped = content.changing { object in
            if let name = grant.creatorName ?? author { object["creatorName"] = .string(name) }
            if object["createdAt"] == nil { object["createdAt"] = .string(now.iso8601) }
            object["updatedAt"] = .string(now.iso8601)
        }
        try stamped.check(facts.limits)
        return try enqueue(.create, id, content: stamped, group: group, at: now, facts: facts)
    }
}
