public import Annotations
public import InstantCore

/// Edits. Each edit is on disk when the call returns, and is sent after
/// ``InstantDocumentDescriptor/delayForSyncingLocalChanges``.
///
/// Every method throws `accessDenied` with the missing permission, or if the document is read-only, and
/// `contentMigrationNeeded` or `performingContentMigration` while an old local store is migrated.
extension InstantDocument {
    /// Creates a record.
    ///
    /// - Parameters:
    ///   - content: Instant JSON; author, times and group are stamped here.
    ///   - author: The author for a token without `creator_name`.
    /// - Returns: The id of the new record.
    /// - Throws: `authorNeeded` if no author is known: ask the user once, store the answer in
    ///   ``InstantClient/rememberedAuthor`` and call again; `invalidRequest` for invalid content.
    @discardableResult
    public func add(_ content: Content, author: String? = nil) throws(InstantError) -> Record.ID {
        try editing { try $0.create(content, author: name(author, for: content)).id }
    }

    /// Replaces the content; author, creation time and group stay.
    ///
    /// - Throws: `noSuchAnnotation` if the record is gone; `invalidRequest` for invalid content.
    public func update(_ id: Record.ID, content: Content) throws(InstantError) {
        try editing { _ = try $0.update(id, content: content) }
    }

    /// Deletes a record; an annotation with its thread.
    ///
    /// - Throws: `noSuchAnnotation` if the record is gone.
    public func remove(_ id: Record.ID) throws(InstantError) {
        try editing { _ = try $0.delete(id) }
    }

    /// Settles an edit that lost. Sending it again is an ordinary edit: the grant must allow it.
    public func resolve(_ conflict: Conflict.ID, _ resolution: ConflictResolution) throws(InstantError) {
        try editing { _ = try $0.resolve(conflict, resolution) }
    }

    /// Discards an edit that was not sent yet or that lost.
    public func discard(_ edit: UnsentEdit.ID) throws(InstantError) {
        try editing { try $0.discard(edit) }
    }

    func editing<T>(_ body: (InstantDocumentDescriptor) throws -> T) throws(InstantError) -> T {
        guard isEditable else { throw Self.readOnly }
        return try InstantError.translating { try body(documentDescriptor) }
    }

    /// Returns the author of a new record: the given name, the document's or the remembered one; nil if the token or
    /// the record names one.
    func name(_ author: String?, for content: Content) throws -> String? {
        if let name = author ?? defaultAnnotationUsername ?? documentDescriptor.folders.rememberedAuthor { return name }
        guard try documentDescriptor.layer.needsAuthor(for: content) else { return nil }
        throw InstantError(.authorNeeded, "no author: this token names none; pass one, or set the remembered author")
    }

    static let readOnly = InstantError(.accessDenied, "this document was opened read-only")
}
