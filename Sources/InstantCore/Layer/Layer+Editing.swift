package import Annotations
package import Authorization
import SyncProtocol

/// Edits. The grant of this process authorizes each edit. An edit is stamped, and is durable in the outbox when the
/// call returns.
extension Layer {
    /// - Parameters:
    ///   - id: A unique id from ``ULID``.
    ///   - choice: The group; nil for the layer's group for new records.
    ///   - author: The author if the token has no `creator_name`; the server enforces a name in the token.
    @discardableResult
    package func create(
        _ content: Content, id: Record.ID, group choice: LayerMetadata.GroupChoice? = nil, author: String?,
        at now: Timestamp
    ) throws -> EditReceipt {
        try store.write {
            try $0.create(content, id: id, group: choice, author: author, at: now, metadata: metadata(in: $0))
        }
    }

    /// Whether neither the token nor the content names an author for a new record. Checks the permission first, so that
    /// the user is asked for a name only if needed.
    package func needsAuthor(for content: Content) throws -> Bool {
        try store.read { store in
            let metadata = try metadata(in: store)
            guard let grant = metadata.grant else { throw EditError.noGrant }
            try grant.require(try store.creation(of: content, group: metadata.groupForNew, metadata: metadata))
            return grant.creatorName == nil && content["creatorName"]?.string == nil
        }
    }

    /// Returns why the user would not see a new record once the server has it; nil if they would.
    ///
    /// - Parameter choice: The group; nil for the layer's group for new records.
    package func viewDenial(
        ofNew content: Content, group choice: LayerMetadata.GroupChoice? = nil
    ) throws -> Denial? {
        let metadata = try metadata()
        let group = choice.map(\.group) ?? metadata.groupForNew
        return metadata.grant?.viewDenial(ofNew: content.contentType, in: group)
    }

    /// Replaces the content, except for what an edit cannot change (``Content/keepingOrigin(of:)``). The group does not
    /// change either.
    ///
    /// - Parameter seen: The content that the author of the edit read. What was changed since then in other members stays.
    ///   If the same member was changed, the edit becomes a conflict, and the record stays as it is. nil: the edit replaces
    ///   whatever the record has.
    @discardableResult
    package func update(
        _ id: Record.ID, content: Content, over seen: Content? = nil, at now: Timestamp
    ) throws -> EditReceipt {
        try store.write { store in
            let metadata = try metadata(in: store)
            guard let grant = metadata.grant else { throw EditError.noGrant }
            guard let record = try store.visible(id, metadata: metadata).record else {
                throw EditError.noSuchRecord(id)
            }
            try grant.require(.editing(record))
            if let limit = record.content.readInPart { throw EditError.invalid(.readInPart(limit)) }
            // First, so that members the caller left out do not count as changes.
            let content = content.keepingOrigin(of: record.content)
            let merged: Content? = if let seen { content.made(over: seen, on: record.content) } else { content }
            let stamped = (merged ?? content).changing { $0["updatedAt"] = .string(now.iso8601) }
            try stamped.check(metadata, over: record.content)
            if merged == nil, let seen {
                var base = record
                base.content = seen
                return try store.keepAside(stamped, of: record, over: base, at: now, metadata: metadata)
            }
            return try store.enqueue(.update, id, content: stamped, group: record.group, at: now, metadata: metadata)
        }
    }
}

extension Layer {
    /// Makes several edits in one transaction: all of them or, if the body throws, none.
    ///
    /// - Parameter body: gets the layer with which to make them.
    package func together<T>(_ body: (Layer) throws -> T) throws -> T {
        try store.write { transaction in
            var layer = self
            layer.store = OpenTransaction(transaction, of: store)
            return try body(layer)
        }
    }
}

extension Grant {
    func require(_ operation: Operation) throws {
        if case .denied(let denial) = decide(operation) { throw EditError.denied(denial) }
    }
}

extension Content {
    /// Rejects content that the server would reject, while the user is still editing.
    fileprivate func check(_ metadata: LayerMetadata, over stored: Content? = nil) throws {
        var pageCount = metadata.pageCount
        // An annotation of a PDF that had more pages can still be changed.
        if let stored, (try? stored.validate(pageCount: pageCount, maximumBytes: .max)) == nil { pageCount = nil }
        do {
            try validate(pageCount: pageCount, maximumBytes: metadata.limits.recordBytes)
            try checkAttachment(over: stored)
        } catch { throw EditError.invalid(error) }
    }
}

extension StoredLayer {
    /// Returns the operation to authorize for a new record.
    ///
    /// - Parameter waiting: The entry that creates the record, if it is already in the outbox.
    func creation(
        of content: Content, group: String?, metadata: LayerMetadata, waiting: OutboxEntry? = nil
    ) throws -> Operation {
        let type = content.contentType
        if type == .formFields { throw EditError.denied(.formField) }
        guard type == .comments else { return .createAnnotation(group: group) }
        guard let rootID = content["rootId"]?.string else { throw EditError.noRoot }
        return try reply(
            to: rootID, isState: content.state != nil, group: group, metadata: metadata, waiting: waiting)
    }
}

extension WritableLayer {
    func create(
        _ content: Content, id: Record.ID, group choice: LayerMetadata.GroupChoice?, author: String?, at now: Timestamp,
        metadata: LayerMetadata
    ) throws -> EditReceipt {
        guard let grant = metadata.grant else { throw EditError.noGrant }
        let group = choice.map(\.group) ?? metadata.groupForNew
        try grant.require(try creation(of: content, group: group, metadata: metadata))
        let stamped = content.changing { object in
            for key in Content.userMembers { object[key] = nil }
            if let name = grant.creatorName ?? author { object["creatorName"] = .string(name) }
            if object["createdAt"] == nil { object["createdAt"] = .string(now.iso8601) }
            object["updatedAt"] = .string(now.iso8601)
        }
        try stamped.check(metadata)
        return try enqueue(.create, id, content: stamped, group: group, at: now, metadata: metadata)
    }
}
