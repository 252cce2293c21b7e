public import Annotations
import InstantCore

/// The annotations of a layer, live: what it answers is what is stored at that moment, own unsent edits included.
public struct InstantDocument: Sendable {
    private let descriptor: InstantDocumentDescriptor
    /// False: a view that changes with the layer and cannot change it.
    public let isEditable: Bool

    init(_ descriptor: InstantDocumentDescriptor, isEditable: Bool) {
        self.descriptor = descriptor
        self.isEditable = isEditable
    }

    /// - Parameter page: counted from 0.
    public func annotations(onPage page: Int) throws(InstantError) -> [Annotation] {
        try translated {
            try descriptor.rows(onPage: page).compactMap { try descriptor.record($0.id).map(Annotation.init) }
        }
    }

    public func record(_ id: Record.ID) throws(InstantError) -> Record? {
        try translated { try descriptor.record(id) }
    }

    /// - Parameter author: for a token without `creator_name`.
    /// - Returns: the id of the new record.
    @discardableResult
    public func add(_ content: Content, author: String? = nil) throws(InstantError) -> Record.ID {
        try editing { try descriptor.create(content, author: author).id }
    }

    public func update(_ id: Record.ID, content: Content) throws(InstantError) {
        try editing { _ = try descriptor.update(id, content: content) }
    }

    public func remove(_ id: Record.ID) throws(InstantError) {
        try editing { _ = try descriptor.delete(id) }
    }

    private func editing<T>(_ body: () throws -> T) throws(InstantError) -> T {
        guard isEditable else { throw InstantError(.accessDenied, "this document was opened for reading only") }
        return try translated(body)
    }

    private func translated<T>(_ body: () throws -> T) throws(InstantError) -> T {
        do { return try body() } catch { throw InstantError(error) }
    }
}

extension InstantDocumentDescriptor {
    /// Available before, during and after the download.
    public var editableDocument: InstantDocument { InstantDocument(self, isEditable: true) }

    public func readOnlyDocument() -> InstantDocument { InstantDocument(self, isEditable: false) }
}
