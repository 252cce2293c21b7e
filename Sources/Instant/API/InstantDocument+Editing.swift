public import Annotations
public import InstantCore

/// Each edit is on the disk when the call returns, and is sent after
/// ``InstantDocumentDescriptor/delayForSyncingLocalChanges``.
///
/// Every one throws `accessDenied` with the missing right, or for a document that is read-only, and while an old local
/// store is being brought up to date `contentMigrationNeeded` or `performingContentMigration`.
extension InstantDocument {
    /// - Parameters:
    ///   - content: Instant JSON; author, times and group are stamped here.
    ///   - author: for a token without `creator_name`.
    /// - Returns: the id of the new record.
    /// - Throws: `authorNeeded` when nobody says whose it is: ask the person once, keep the answer in
    ///   ``InstantClient/rememberedAuthor`` and call again.
    @discardableResult
    public func add(_ content: Content, author: String? = nil) throws(InstantError) -> Record.ID {
        try editing { try $0.create(content, author: name(author, for: content)).id }
    }

    /// Replaces the content; author, time of creation and group stay.
    ///
    /// - Throws: `noSuchAnnotation` when it is gone.
    public func update(_ id: Record.ID, content: Content) throws(InstantError) {
        try editing { _ = try $0.update(id, content: content) }
    }

    /// An annotation goes with its thread.
    ///
    /// - Throws: `noSuchAnnotation` when it is gone.
    public func remove(_ id: Record.ID) throws(InstantError) {
        try editing { _ = try $0.delete(id) }
    }

    /// Settles an edit that lost. Sending it again is an edit like any other: the rights are asked first.
    public func resolve(_ conflict: Conflict.ID, _ resolution: ConflictResolution) throws(InstantError) {
        try editing { _ = try $0.resolve(conflict, resolution) }
    }

    /// Takes back one edit that was not sent yet, or drops one that lost.
    public func discard(_ edit: UnsentEdit.ID) throws(InstantError) {
        try editing { try $0.discard(edit) }
    }

    func editing<T>(_ body: (InstantDocumentDescriptor) throws -> T) throws(InstantError) -> T {
        guard isEditable else { throw Self.readOnly }
        return try InstantError.translating { try body(documentDescriptor) }
    }

    /// Whose a new record is: the given name, that of the document, or the remembered one; nil where the token or the
    /// record says it.
    func name(_ author: String?, for content: Content) throws -> String? {
        if let name = author ?? defaultAnnotationUsername ?? documentDescriptor.folders.rememberedAuthor { return name }
        guard try documentDescriptor.layer.needsAuthor(for: content) else { return nil }
        throw InstantError(.authorNeeded, "whose is it? This token names no author: give one, or remember one")
    }

    static let readOnly = InstantError(.accessDenied, "this document was opened for reading only")
}
