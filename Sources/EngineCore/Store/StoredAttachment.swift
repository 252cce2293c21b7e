package import Annotations

/// A file that was uploaded for the records of a document. Its bytes lie elsewhere, under its name.
package struct StoredAttachment: Hashable, Sendable {
    package var id: AttachmentID
    package var document: String
    package var bytes: Int64
    /// When it was last uploaded: what no record has named a day later is forgotten.
    package var at: Timestamp

    package init(_ id: AttachmentID, document: String, bytes: Int64, at: Timestamp) {
        self.id = id
        self.document = document
        self.bytes = bytes
        self.at = at
    }
}
