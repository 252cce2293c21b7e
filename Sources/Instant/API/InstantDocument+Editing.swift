public import Annotations
public import InstantCore

/// Edits. Each edit is on disk when the call returns, and is sent after
/// ``InstantDocumentDescriptor/delayForSyncingLocalChanges``.
///
/// Every method throws `accessDenied` if a permission is missing, the document is read-only or access to the layer was
/// lost; `invalidDocument` once the layer is closed; and `contentMigrationNeeded` or `performingContentMigration` while
/// an old local store is migrated. What the server would refuse is refused here: a page beyond
/// ``InstantDocumentDescriptor/pageCount`` with `invalidRequest`, an attachment that does not exist with `noSuchAttachment`.
extension InstantDocument {
    /// Creates a record.
    ///
    /// - Parameters:
    ///   - content: Instant JSON; the author, times and group are set here.
    ///   - author: The author if the token has no `creator_name`.
    ///   - allowsHidden: Whether to create a record that this user will not see.
    /// - Returns: The id of the new record.
    /// - Throws: `authorNeeded` if no author is known: ask the user once, store the answer in
    ///   ``InstantClient/rememberedAuthor`` and call again; `invalidRequest` for invalid content; `recordWouldBeHidden`
    ///   if the token does not allow viewing the record (``denialOfViewing(_:)``).
    @discardableResult
    public func add(
        _ content: Content, author: String? = nil, allowsHidden: Bool = false
    ) throws(InstantError) -> Record.ID {
        if !allowsHidden { try requireVisible(content) }
        return try step { descriptor in
            try requireAttachment(of: content, in: descriptor)
            return [try descriptor.create(content, author: name(author, for: content))]
        }[0].id
    }

    /// Returns why this user would not see a new record, because the token does not allow viewing records in the group
    /// that it would get; nil if the user would see it. Creating such a record is allowed all the same.
    public func denialOfViewing(_ content: Content) throws(InstantError) -> OperationDenial? {
        try InstantError.translating {
            try documentDescriptor.layer.viewDenial(ofNew: content).map(OperationDenial.init)
        }
    }

    /// Replaces the content, except for what an edit cannot change: `creatorName`, `createdAt`, `rootId`,
    /// `isCommentThreadRoot`, the group, and whether the record is an annotation, a comment or a state. These stay as they
    /// are stored, or absent, whatever the content says.
    ///
    /// - Throws: `noSuchAnnotation` if the record is gone; `invalidRequest` for invalid content.
    public func update(_ id: Record.ID, content: Content) throws(InstantError) {
        _ = try step { descriptor in
            try requireAttachment(of: content, in: descriptor)
            return [try descriptor.update(id, content: content)]
        }
    }

    /// Deletes a record, and what ``recordsRemoved(with:)`` names.
    ///
    /// - Throws: `noSuchAnnotation` if the record is gone.
    public func remove(_ id: Record.ID) throws(InstantError) {
        _ = try step { [try $0.delete(id)] }
    }

    /// Resolves a conflicting or refused edit as it was shown. Sending it again is an ordinary edit, which the grant must
    /// allow.
    ///
    /// - Throws: `invalidRequest` if one of the two versions has changed since ``conflicts`` returned this conflict. Nothing is
    ///   lost: show the conflict again.
    public func resolve(_ conflict: Conflict, _ resolution: ConflictResolution) throws(InstantError) {
        _ = try step { try $0.resolve(conflict.id, resolution, between: conflict.sides).map { [$0] } ?? [] }
    }

    /// Resolves a conflicting or refused edit as it is now, also if a version has changed since it was shown.
    public func resolve(_ conflict: Conflict.ID, _ resolution: ConflictResolution) throws(InstantError) {
        _ = try step { try $0.resolve(conflict, resolution).map { [$0] } ?? [] }
    }

    /// Discards an edit that was not sent yet, or that conflicted or was refused.
    public func discard(_ edit: UnsentEdit.ID) throws(InstantError) {
        try editing { try $0.discard(edit.seq) }
    }

    /// Makes one step of the undo history.
    func step(
        _ body: (InstantDocumentDescriptor) throws -> [EditReceipt]
    ) throws(InstantError) -> [EditReceipt] {
        let receipts = try editing(body)
        if !receipts.isEmpty { history.withLock { $0.add(receipts) } }
        return receipts
    }

    func requireVisible(_ content: Content) throws(InstantError) {
        guard let denial = try denialOfViewing(content), isEditable else { return }
        throw InstantError(
            .recordWouldBeHidden, "you would not see this record: viewing it \(denial.description)")
    }

    /// The server refuses a record that names a file it does not have.
    private func requireAttachment(of content: Content, in descriptor: InstantDocumentDescriptor) throws {
        guard let id = content.attachmentID, try !descriptor.performer().attachments.holds(id),
            try !descriptor.layer.isKnown(id)
        else { return }
        throw InstantError(
            .noSuchAttachment, "this record names a file that neither this machine nor the layer has",
            recoverySuggestion: "Add the file first.")
    }

    func editing<T>(_ body: (InstantDocumentDescriptor) throws -> T) throws(InstantError) -> T {
        guard isEditable else { throw Self.readOnly }
        return try InstantError.translating { try body(documentDescriptor) }
    }

    /// Returns the author of a new record: the given name, else the document's, else the remembered one; nil if none is
    /// set but the token or the record names an author.
    func name(_ author: String?, for content: Content) throws -> String? {
        if let name = author ?? defaultAnnotationUsername ?? documentDescriptor.folders.rememberedAuthor { return name }
        guard try documentDescriptor.layer.needsAuthor(for: content) else { return nil }
        throw InstantError(.authorNeeded, "no author: this token names none; pass one, or set the remembered author")
    }

    static let readOnly = InstantError(.accessDenied, "this document was opened read-only")
}
