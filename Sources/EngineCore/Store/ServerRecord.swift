package import Annotations
package import Authorization
package import SyncProtocol

/// A record of a layer as stored: live, or a tombstone.
package struct ServerRecord: Hashable, Sendable {
    package var record: Record
    /// 0: a base record unchanged in this layer.
    package var revision: Revision
    /// The type on which permissions are decided; stored separately so that the content need not be parsed.
    package var contentType: ContentType
    /// The root of a comment's thread.
    package var rootID: Record.ID?
    /// Whether the annotation was created for its comments, as its content said at creation; later contents do not
    /// change it. False for a record of the PDF.
    package var isCommentThreadRoot: Bool
    /// The current run of changes by one client.
    package var run: Run
    /// Set if the record is deleted; the other members hold its last state.
    package var removal: Removal?

    /// Consecutive changes by one client. The client may base a change on any state since the run's start, because no
    /// one else has written in between.
    package struct Run: Hashable, Sendable {
        /// nil: a backend wrote last; no client can continue the run.
        package var client: String?
        /// The revision before the run's first change.
        package var start: Revision

        package init(client: String?, start: Revision) {
            self.client = client
            self.start = start
        }
    }

    package struct Removal: Hashable, Sendable {
        package var by: String?
        /// The clientID that deleted the record; nil: a backend.
        package var client: String?
        /// The revision of the record with which it was deleted; restoring that record restores this one.
        package var cascade: Revision?
        package var at: Timestamp

        package init(by: String?, client: String?, cascade: Revision? = nil, at: Timestamp) {
            self.by = by
            self.client = client
            self.cascade = cascade
            self.at = at
        }
    }

    package init(
        _ record: Record, revision: Revision, contentType: ContentType, rootID: Record.ID?,
        isCommentThreadRoot: Bool = false, run: Run, removal: Removal? = nil
    ) {
        self.record = record
        self.revision = revision
        self.contentType = contentType
        self.rootID = rootID
        self.isCommentThreadRoot = isCommentThreadRoot
        self.run = run
        self.removal = removal
    }

    /// Creates a record of the PDF itself, as every layer first sees it.
    package init(base record: Record) {
        let rootID = record.content["rootId"]?.string
        self.init(
            record, revision: 0, contentType: record.contentType, rootID: rootID, run: Run(client: nil, start: 0))
    }

    package var id: Record.ID { record.id }
    package var isLive: Bool { removal == nil }
    package var subject: Subject { Subject(contentType, createdBy: record.createdBy, group: record.group) }
    package var item: SyncItem { isLive ? .record(record, revision) : .removed(id, revision) }
}

/// The data that identifies a live record's state and decides who may see it.
package struct RecordMark: Hashable, Sendable {
    package var id: Record.ID
    package var revision: Revision
    package var subject: Subject

    package init(id: Record.ID, revision: Revision, subject: Subject) {
        self.id = id
        self.revision = revision
        self.subject = subject
    }
}

/// The departure of a record from a group, and so from the views that saw it through that group.
package struct Departure: Hashable, Sendable {
    package var id: Record.ID
    package var revision: Revision
    /// Before the departure.
    package var subject: Subject
    package var at: Timestamp

    package init(id: Record.ID, revision: Revision, subject: Subject, at: Timestamp) {
        self.id = id
        self.revision = revision
        self.subject = subject
        self.at = at
    }
}
