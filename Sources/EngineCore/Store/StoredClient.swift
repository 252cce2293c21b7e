package import Annotations
package import SyncProtocol

/// What a layer knows of one clientID.
package struct StoredClient: Hashable, Sendable {
    package var id: String
    /// Who it belongs to; nil: anonymous.
    package var userID: String?
    /// The newest n that was answered.
    package var lastN: Int64
    /// Answers up to here are forgotten.
    package var acked: Int64

    package init(id: String, userID: String?, lastN: Int64 = 0, acked: Int64 = 0) {
        self.id = id
        self.userID = userID
        self.lastN = lastN
        self.acked = acked
    }
}

/// The answer to one change, kept until the client has acknowledged it. The record that won a conflict is not kept:
/// it is looked up again.
package struct StoredAnswer: Hashable, Sendable {
    package var n: Int64
    /// Hash of the change's canonical text.
    package var bodyHash: String
    package var recordID: String
    package var status: ChangeResult.Status
    package var revision: Revision?
    package var reason: String?

    package init(
        n: Int64, bodyHash: String, recordID: String, status: ChangeResult.Status, revision: Revision?, reason: String?
    ) {
        self.n = n
        self.bodyHash = bodyHash
        self.recordID = recordID
        self.status = status
        self.revision = revision
        self.reason = reason
    }
}

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
