package import Annotations
package import Authorization
package import SyncProtocol

/// The data of a layer other than its records. It is small, and is read and written as a whole.
package struct LayerMetadata: Hashable, Sendable {
    /// The layer and its user.
    package var identity: LayerIdentity
    /// The id of this store on the server; replaced when the server has lost track of it.
    package var clientID: String
    /// The highest n assigned so far.
    package var lastN: Int64 = 0
    /// nil until the first snapshot is complete.
    package var cursor: Cursor?
    package var generation: String?
    /// The layer's earlier generations when a token was accepted last; nil if the server did not report them.
    package var lineage: [LineageEntry]?
    /// What the last accepted token allows; valid until the next one.
    package var grant: Grant?
    package var title = ""
    /// The server's version of the document; nil if it never reported one.
    package var documentVersion: String?
    /// SHA-256 of the PDF in lower-case hex, as last reported by the server; empty if unknown.
    package var pdfSHA256 = ""
    package var pdfBytes: Int64 = 0
    /// nil if the server never reported it.
    package var pageCount: Int?
    /// The sizes of all pages in order; empty if unknown.
    package var pageRuns: [PageRun] = []
    /// The file from which the words under markups were read; nil if none were.
    package var quotedFrom: String?
    package var limits = ServerLimits()
    package var lastSync: Timestamp?
    /// When the local records were last compared with the server's, or all loaded.
    package var checkedAt: Timestamp?
    /// Whether the server lost data. If so, nothing is sent until a new snapshot gives the revision of each record.
    package var isRecovering = false
    package var clockOffset: Int64 = 0
    /// The snapshot being loaded.
    package var loading: Loading?
    /// The group for new records instead of the token's default; nil for that default.
    package var groupOverride: GroupChoice?
    /// Local files that the server may lack.
    package var uploads: Set<AttachmentID> = []
    /// The ``ShownRow/derivation`` of the program that derived the shown rows.
    package var derivation = ShownRow.derivation
    /// The last id whose row was derived again; nil before the migration begins.
    package var migratedTo: Record.ID?
    /// The handover of this store's edits to another store, until it is complete.
    package var handover: String?
    /// The handovers whose edits this store has, until the giving store has forgotten them.
    package var received: [String] = []
    /// Grows with each process that begins to lead; only the newest writes the server's state.
    package var term: Int64 = 0
    /// Why the process that leads cannot send edits at the moment, although the server answers everything else; nil if it can.
    package var unsentBecause: String?
    /// Whether the server's rows were dropped with the tables of an old program version; the next sync loads them
    /// again.
    package var wasReset = false

    package struct Loading: Hashable, Sendable {
        package var epoch: String
        package var at: Revision
        /// The last stored id; nil if none is.
        package var after: Record.ID?
        /// Whether rows go into the empty table itself and are shown as they arrive, rather than being staged alongside
        /// the old ones.
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

    /// Whether the shown rows are from an older program version.
    package var needsMigration: Bool { wasReset || derivation < ShownRow.derivation }

    /// The group of a new record.
    package var groupForNew: String? {
        if let groupOverride { return groupOverride.group }
        return grant?.defaultGroup
    }
}
