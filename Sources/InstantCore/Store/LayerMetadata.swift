package import Annotations
package import Authorization
package import SyncProtocol

/// What is known of a layer beside its records. Small: read and written as a whole.
package struct LayerMetadata: Hashable, Sendable {
    /// Which layer this is, for whom.
    package var identity: LayerIdentity
    /// This store's name at the server; drawn anew when the server lost track of what it said.
    package var clientID: String
    /// The highest n that was given away.
    package var lastN: Int64 = 0
    /// nil until a first snapshot is complete.
    package var cursor: Cursor?
    package var generation: String?
    /// What the last accepted token allows; governs the keys until the next one.
    package var grant: Grant?
    package var title = ""
    /// SHA-256 of the PDF in lower-case hex, as the server last named it; empty: not known yet.
    package var pdfSHA256 = ""
    package var pdfBytes: Int64 = 0
    /// The file from which the words under marks were read; nil: none were.
    package var quotedFrom: String?
    package var limits = ServerLimits()
    package var lastSync: Timestamp?
    /// When what is here was last compared with what the server holds, or loaded whole.
    package var checkedAt: Timestamp?
    /// The server lost what it had: nothing is sent until a fresh snapshot tells where everything stands.
    package var isRecovering = false
    package var clockOffset: Int64 = 0
    /// A snapshot under way.
    package var loading: Loading?
    /// The group for new records in place of the token's default; nil: the token decides.
    package var groupOverride: GroupChoice?
    /// Files of ours that the server is not known to have.
    package var uploads: Set<AttachmentID> = []
    /// How the rows to show were derived: ``ShownRow/derivation`` of the program that did it.
    package var derivation = ShownRow.derivation
    /// The last id whose row was derived anew; nil: that has not begun.
    package var migratedTo: Record.ID?
    /// The server's rows were dropped with tables of an old program; they come again with the next sync.
    package var wasReset = false

    package struct Loading: Hashable, Sendable {
        package var epoch: String
        package var at: Revision
        /// The last id that is here; nil: nothing yet.
        package var after: Record.ID?
        /// Into the empty table itself, so that rows are seen as they come; else beside the old ones.
        package var inPlace: Bool

        package init(epoch: String, at: Revision, after: Record.ID?, inPlace: Bool) {
            self.epoch = epoch
            self.at = at
            self.after = after
            self.inPlace = inPlace
        }
    }

    package struct GroupChoice: Hashable, Sendable {
        /// nil is the null group.
        package var group: String?

        package init(group: String?) { self.group = group }
    }

    package init(identity: LayerIdentity, clientID: String) {
        self.identity = identity
        self.clientID = clientID
    }

    /// The rows to show are those of an older program.
    package var needsMigration: Bool { wasReset || derivation < ShownRow.derivation }

    /// The group a new record gets.
    package var groupForNew: String? {
        if let groupOverride { return groupOverride.group }
        return grant?.defaultGroup
    }
}
