public import Annotations

/// Identifiers of annotations, for links, notifications and backends, and the way back.
extension InstantDocumentDescriptor {
    /// The identifier by which every client and the server know an annotation.
    ///
    /// - Throws: `unmanagedAnnotation` when this layer has none like it.
    public func identifier(for annotation: Annotation) throws(InstantError) -> Record.ID {
        guard try InstantError.translating({ try record(annotation.id) }) != nil else {
            throw InstantError(.unmanagedAnnotation, "this annotation is none of this layer")
        }
        return annotation.id
    }

    /// - Throws: `unmanagedDocument` for a document of another descriptor; `noSuchAnnotation`.
    public func annotation(
        with identifier: Record.ID, for document: InstantDocument
    ) throws(InstantError) -> InstantRecord {
        guard document.documentDescriptor === self else {
            throw InstantError(.unmanagedDocument, "this document belongs to another layer")
        }
        guard let record = try document.record(identifier) else {
            throw InstantError(.noSuchAnnotation, "there is no annotation \(identifier) in this layer")
        }
        return record
    }
}
