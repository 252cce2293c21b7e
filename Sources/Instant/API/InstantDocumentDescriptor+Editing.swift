package import Annotations
package import InstantCore

/// What a person does. Each edit is on the disk when the call returns; it throws ``EditProblem`` with the reason when
/// the stored grant denies it.
extension InstantDocumentDescriptor {
    /// - Parameters:
    ///   - id: nil: a new one.
    ///   - group: nil: the layer's group for new records.
    ///   - author: for a token without `creator_name`.
    package func create(
        _ content: Content, id: Record.ID? = nil, group: LayerMetadata.GroupChoice? = nil, author: String? = nil
    ) throws -> EditReceipt {
        try edit { try $0.create(content, id: id ?? newID(), group: group, author: author, at: $1) }
    }

    package func update(_ id: Record.ID, content: Content) throws -> EditReceipt {
        try edit { try $0.update(id, content: content, at: $1) }
    }

    package func delete(_ id: Record.ID) throws -> EditReceipt {
        try edit { try $0.delete(id, at: $1) }
    }

    /// Puts a comment under a root.
    ///
    /// - Parameter author: for a token without `creator_name`.
    package func reply(
        to root: Record.ID, _ text: CommentText, author: String? = nil
    ) throws -> EditReceipt {
        try edit { try $0.reply(to: root, text, id: newID(), author: author, at: $1) }
    }

    /// Makes a root and says the first thing under it, both or neither.
    ///
    /// - Parameters:
    ///   - id: of the root; nil: a new one.
    ///   - commentID: nil: a new one.
    ///   - author: for a token without `creator_name`.
    package func beginThread(
        _ root: Content, id: Record.ID? = nil, _ text: CommentText, commentID: Record.ID? = nil,
        author: String? = nil
    ) throws -> (root: EditReceipt, comment: EditReceipt) {
        try edit {
            try $0.beginThread(root, id: id ?? newID(), text, commentID: commentID ?? newID(), author: author, at: $1)
        }
    }

    /// Gives a comment other words, and keeps what is in it besides.
    package func reword(_ id: Record.ID, _ words: String) throws -> EditReceipt {
        try edit { try $0.reword(id, words, at: $1) }
    }

    /// - Returns: the receipt of the undo, which can be undone in turn.
    package func undo(_ receipt: EditReceipt) throws -> EditReceipt {
        try edit { try $0.undo(receipt, at: $1) }
    }

    /// - Parameter entry: ``Conflict/id``.
    @discardableResult
    package func resolve(_ entry: Int64, _ resolution: ConflictResolution) throws -> EditReceipt? {
        try edit { try $0.resolve(entry, resolution, newID: newID(), at: $1) }
    }

    /// Takes back one edit that was not sent yet, or drops one that lost.
    package func discard(_ entry: Int64) throws { try edit { layer, _ in try layer.discard(entry) } }

    /// Drops the token from memory; one is asked for again.
    package func forgetToken() { (try? performer())?.post(.tokenForgotten) }

    package func setOnline(_ isOnline: Bool) {
        (try? performer())?.post(isOnline ? .wentOnline : .wentOffline)
    }

    /// A key was pressed or the network came back: waiting is over.
    package func retryNow() { (try? performer())?.post(.retryRequested) }

    private func edit<T>(_ body: (Layer, Timestamp) throws -> T) throws -> T {
        let performer = try performer()
        try performer.snapshot.documentState.requireEditable()
        let result = try body(performer.layer, performer.environment.now())
        performer.post(.edited)
        return result
    }

    private func newID() throws -> Record.ID {
        var random = SystemRandomNumberGenerator()
        return ULID.make(at: try performer().environment.now(), using: &random)
    }

    // MARK: The group of new records

    /// What new records get at present: the group of the override, else that of the token; nil is the null group (guide:
    /// default group). An override is local, for this layer, and kept when the token changes.
    public var defaultGroup: String? {
        get throws(InstantError) { try InstantError.translating { try layer.metadata().groupForNew } }
    }

    /// New records get this group in place of the token's default one.
    ///
    /// - Parameter group: nil is the null group.
    public func overrideDefaultGroup(with group: String?) throws(InstantError) {
        try InstantError.translating { try layer.overrideGroup(LayerMetadata.GroupChoice(group: group)) }
    }

    /// The token's default group counts again.
    public func resetDefaultGroup() throws(InstantError) {
        try InstantError.translating { try layer.overrideGroup(nil) }
    }
}

extension DocumentState {
    /// An old local store is read, and not changed before it was brought up to date.
    func requireEditable() throws(InstantError) {
        switch self {
        case .needsContentMigration, .needsResetForDatabaseMigration:
            throw InstantError(
                .contentMigrationNeeded, "this layer was stored by an older version and is brought up to date first")
        case .migratingContent, .resettingForDatabaseMigration:
            throw InstantError(
                .performingContentMigration,
                "this layer is being brought up to date just now: it can be read, try the edit again in a moment")
        default: break
        }
    }
}
