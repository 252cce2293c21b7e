package import Annotations
package import Authorization
package import SyncProtocol

/// A record of a layer as it stands in a store: live, or what is left of it.
package struct ServerRecord: Hashable, Sendable {
    package var record: Record
    /// 0: a base record that nobody touched in this layer.
    package var revision: Revision
    /// What permissions look at; kept beside the content, which would have to be parsed for it.
    package var contentType: ContentType
    /// The root of the thread, of a comment.
    package var rootID: Record.ID?
    /// Who writes it at present.
    package var run: Run
    /// Set: it is deleted, and the rest is how it was.
    package var removal: Removal?

    /// Changes of one client in a row. It may go on from any state since the run's start, because in between there
    /// was nobody else.
    package struct Run: Hashable, Sendable {
        /// nil: a backend wrote last; nobody goes on.
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
        /// The clientID that deleted it; nil: a backend.
        package var client: String?
        /// Deleted together with the record that got this revision: restoring that one restores it.
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
        _ record: Record, revision: Revision, contentType: ContentType, rootID: Record.ID?, run: Run,
        removal: Removal? = nil
    ) {
        self.record = record
        self.revision = revision
        self.contentType = contentType
        self.rootID = rootID
        self.run = run
        self.removal = removal
    }

    /// A record of the PDF itself, as every layer first sees it.
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

/// What tells one state of a live record from another, and who may see it.
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

/// A record left a group, and with it the views that saw it for its group.
package struct Departure: Hashable, Sendable {
    package var id: Record.ID
    package var revision: Revision
    /// As it was before.
    package var subject: Subject
    package var at: Timestamp

    package init(id: Record.ID, revision: Revision, subject: Subject, at: Timestamp) {
        self.id = id
        self.revision = revision
        self.subject = subject
        self.at = at
    }
}
