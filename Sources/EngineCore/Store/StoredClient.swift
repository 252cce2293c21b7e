package import Annotations
package import SyncProtocol

/// A layer's state for one clientID.
package struct StoredClient: Hashable, Sendable {
    package var id: String
    /// The owner; nil: anonymous.
    package var userID: String?
    /// The newest change number answered.
    package var lastN: Int64
    /// Answers up to this number may have been deleted.
    package var acked: Int64

    package init(id: String, userID: String?, lastN: Int64 = 0, acked: Int64 = 0) {
        self.id = id
        self.userID = userID
        self.lastN = lastN
        self.acked = acked
    }
}

/// The answer to one change, stored until the client acknowledges it. The winner of a conflict is not stored but looked
/// up again.
package struct StoredAnswer: Hashable, Sendable {
    package var n: Int64
    /// The hash of the change's canonical text.
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

/// A file uploaded for the records of a document. Its bytes are stored separately, under its name.
package struct StoredAttachment: Hashable, Sendable {
    package var id: AttachmentID
    package var document: String
    package var bytes: Int64
    /// The last upload time: an attachment that no record names a day later is deleted.
    package var at: Timestamp

    package init(_ id: AttachmentID, document: String, bytes: Int64, at: Timestamp) {
        self.id = id
        self.document = document
        self.bytes = bytes
        self.at = at
    }
}
