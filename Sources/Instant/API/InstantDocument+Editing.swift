public import Annotations
public import InstantCore

/// Edits. Each edit is on disk when the call returns, and is sent after
/// ``InstantDocumentDescriptor/delayForSyncingLocalChanges``.
///
/// Every method throws `accessDenied` if a permission is missing or the document is read-only, and
/// `contentMigrationNeeded` or `performingContentMigration` while an old local store is migrated.
extension InstantDocument {
    /// Creates a record.
    ///
    /// - Parameters:
    ///   - content: Instant JSON; the author, times and group are set here.
    ///   - author: The author if the token has no `creator_name`.
    /// - Returns: The id of the new record.
    /// - Throws: `authorNeeded` if no author is known: ask the user once, store the answer in
    ///   ``InstantClient/rememberedAuthor`` and call again; `invalidRequest` for invalid content.
    @discardableResult
    public func add(_ content: Content, author: String? = nil) throws(InstantError) -> Record.ID {
        try editing { try $0.create(content, author: name(author, for: content)).id }
    }

    /// Replaces the content; the author, creation time and group do not change.
    ///
    /// - Throws: `noSuchAnnotation` if the record is gone; `invalidRequest` for invalid content.
    public func update(_ id: Record.ID, content: Content) throws(InstantError) {
        try editing { _ = try $0.update(id, content: content) }
    }

    /// Deletes a record, and what ``recordsRemoved(with:)`` names.
    ///
    /// - Throws: `noSuchAnnotation` if the record is gone.
    public func remove(_ id: Record.ID) throws(InstantError) {
        try editing { _ = try $0.delete(id) }
    }

    /// Resolves a conflicting or refused edit. Sending it again is an ordinary edit, which the grant must allow.
    public func resolve(_ conflict: Conflict.ID, _ resolution: ConflictResolution) throws(InstantError) {
        try editing { _ = try $0.resolve(conflict, resolution) }
    }

    /// Discards an edit that was not sent yet, or that conflicted or was refused.
    public func discard(_ edit: UnsentEdit.ID) throws(InstantError) {
        try editing { try $0.discard(edit) }
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
