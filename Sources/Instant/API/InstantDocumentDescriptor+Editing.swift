package import Annotations
package import InstantCore

/// Edits, with receipts for undo. Each edit is on disk when its call returns; the call throws ``EditError`` if the
/// grant denies the edit, and `accessDenied` if the layer was lost.
extension InstantDocumentDescriptor {
    /// - Parameters:
    ///   - id: nil for a new one.
    ///   - group: nil for the layer's group for new records.
    ///   - author: The author if the token has no `creator_name`.
    package func create(
        _ content: Content, id: Record.ID? = nil, group: LayerMetadata.GroupChoice? = nil, author: String? = nil
    ) throws -> EditReceipt {
        try edit { try $0.create(content, id: id ?? newID(), group: group, author: author, at: $1) }
    }

    /// - Parameter seen: The content that the author of the edit read, so that what was changed since is not replaced.
    package func update(_ id: Record.ID, content: Content, over seen: Content? = nil) throws -> EditReceipt {
        try edit { try $0.update(id, content: content, over: seen, at: $1) }
    }

    /// - Parameter named: The records that the user was told would also be deleted; nil if the user was not asked.
    package func delete(_ id: Record.ID, with named: [Record.ID]? = nil) throws -> EditReceipt {
        try edit { try $0.delete(id, with: named, at: $1) }
    }

    /// Creates a comment under a root.
    ///
    /// - Parameter author: The author if the token has no `creator_name`.
    package func reply(
        to root: Record.ID, _ text: CommentText, author: String? = nil
    ) throws -> EditReceipt {
        try edit { try $0.reply(to: root, text, id: newID(), author: author, at: $1) }
    }

    /// Sets the state of an annotation, as a comment in its thread.
    ///
    /// - Parameter author: The author if the token has no `creator_name`.
    package func setState(
        _ state: AnnotationState, of root: Record.ID, id: Record.ID? = nil, author: String? = nil
    ) throws -> EditReceipt {
        try edit { try $0.setState(state, of: root, id: id ?? newID(), author: author, at: $1) }
    }

    /// Creates a root and its first comment: both or neither.
    ///
    /// - Parameters:
    ///   - id: The id of the root; nil for a new one.
    ///   - commentID: nil for a new one.
    ///   - author: The author if the token has no `creator_name`.
    package func beginThread(
        _ root: Content, id: Record.ID? = nil, _ text: CommentText, commentID: Record.ID? = nil,
        author: String? = nil
    ) throws -> (root: EditReceipt, comment: EditReceipt) {
        try edit {
            try $0.beginThread(root, id: id ?? newID(), text, commentID: commentID ?? newID(), author: author, at: $1)
        }
    }

    /// Replaces the text of a comment and keeps the rest.
    package func reword(_ id: Record.ID, _ words: String) throws -> EditReceipt {
        try edit { try $0.reword(id, words, at: $1) }
    }

    /// - Returns: The receipt of the undo, which can be undone in turn.
    package func undo(_ receipt: EditReceipt) throws -> EditReceipt {
        try edit { try $0.undo(receipt, at: $1) }
    }

    /// Makes several edits: all of them or, if one fails, none.
    package func editTogether<T>(_ body: (Layer, Timestamp) throws -> T) throws -> T {
        try edit { layer, now in try layer.together { try body($0, now) } }
    }

    /// - Parameter sides: The versions that the user saw; nil to resolve the conflict as it stands.
    @discardableResult
    package func resolve(
        _ conflict: Conflict.ID, _ resolution: ConflictResolution, between sides: Conflict.Sides? = nil
    ) throws -> EditReceipt? {
        try edit(isGivingUp: resolution == .theirs) {
            try $0.resolve(conflict, resolution, between: sides, newID: newID(), at: $1)
        }
    }

    /// Discards an edit that was not sent yet, or that conflicted or was refused.
    package func discard(_ entry: Int64) throws {
        try edit(isGivingUp: true) { layer, _ in try layer.discard(entry) }
    }

    /// Ends or begins deliberate work without the server: no requests are sent while offline, and nothing is retried.
    public func setOnline(_ isOnline: Bool) {
        (try? performer())?.post(isOnline ? .wentOnline : .wentOffline)
    }

    /// Ends the wait before the next attempt, after a key press or when the network is back.
    ///
    /// Edits that were put aside, because something between here and the server refuses them, are tried again, too.
    public func retryNow() {
        (try? performer())?.retryNow()
    }

    /// - Parameter isGivingUp: Whether the edit only drops an earlier one, which is possible in a lost layer too.
    private func edit<T>(isGivingUp: Bool = false, _ body: (Layer, Timestamp) throws -> T) throws -> T {
        let performer = try performer()
        if !isGivingUp, let why = performer.lossOfAccess { throw InstantError(.accessDenied, why) }
        try performer.snapshot.documentState.requireEditable()
        let result = try body(performer.layer, performer.environment.now())
        performer.post(.edited)
        return result
    }

    package func newID() throws -> Record.ID {
        var random = SystemRandomNumberGenerator()
        return ULID.make(at: try performer().environment.now(), using: &random)
    }

    /// Why access to the layer was lost; nil if it was not.
    var lossOfAccess: String? { (try? performer())?.lossOfAccess }

    // MARK: The group of new records

    /// The group of new records: the override, or else the default of the token; nil is the null group (guide: default
    /// group). An override is local to this layer and survives a change of token.
    public var defaultGroup: String? {
        get throws(InstantError) { try InstantError.translating { try layer.metadata().groupForNew } }
    }

    /// Sets the group of new records in place of the token's default group.
    ///
    /// - Parameter group: nil is the null group.
    public func overrideDefaultGroup(with group: String?) throws(InstantError) {
        try InstantError.translating { try layer.overrideGroup(LayerMetadata.GroupChoice(group: group)) }
    }

    /// Restores the token's default group.
    public func resetDefaultGroup() throws(InstantError) {
        try InstantError.translating { try layer.overrideGroup(nil) }
    }
}

extension LayerPerformer {
    fileprivate var lossOfAccess: String? { if case .lost(let why) = snapshot.connection { why } else { nil } }
}

extension DocumentState {
    /// Throws until an old local store has been migrated; meanwhile it can be read, but not changed.
    func requireEditable() throws(InstantError) {
        switch self {
        case .needsContentMigration, .needsResetForDatabaseMigration:
            throw InstantError(
                .contentMigrationNeeded, "this layer was stored by an older version and must be migrated first")
        case .migratingContent, .resettingForDatabaseMigration:
            throw InstantError(
                .performingContentMigration,
                "this layer is being migrated and is read-only for now; try again later")
        default: break
        }
    }
}
