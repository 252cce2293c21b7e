package import Annotations
import Merging

/// What the database of one PDF holds besides the records that file and layer have alike.
package struct LocalFileState: Hashable, Sendable {
    /// One record, as the file has it and as the layer has it.
    package struct Row: Hashable, Sendable {
        /// As the file has it; nil: not at all.
        package var base: Record?
        /// As the layer has it; nil: deleted.
        package var local: Record?
        package var written: Written?

        package init(base: Record? = nil, local: Record? = nil, written: Written? = nil) {
            (self.base, self.local, self.written) = (base, local, written)
        }

        package var isWritten: Bool { base.isSame(as: local) }
    }

    /// What the engine has written over. A program that had the file open before may save it without that.
    package struct Written: Hashable, Sendable {
        /// The number of the last write that has changed the record, or of the next one when another program brought it
        /// back. 0: the engine has not written it.
        package var number: Int64
        /// The versions that the file had of it; nil: none. The first one, and the last ones.
        package var before: [Record?]

        package init(number: Int64, before: [Record?]) { (self.number, self.before) = (number, before) }

        mutating func add(_ version: Record?) {
            before.append(version)
            if before.count > 64 { before.remove(at: 1) }
        }
    }

    /// A record that waits for a choice between two versions.
    package struct Conflict: Hashable, Sendable {
        /// Before both changes.
        package var base: Record?
        package var local: Record?
        package var remote: Record?
        /// For what the engine has written, and a file that was written anew has not: nobody knows whether that program has
        /// deleted it, or has never seen it. After so many days the file's version counts. nil: both sides changed it.
        package var daysLeft: Int?
        /// Other versions that the file has had, of which the program that replaced them knew nothing. They come next.
        package var further: [Record?] = []

        package init(
            base: Record?, local: Record?, remote: Record?, daysLeft: Int? = nil, further: [Record?] = []
        ) {
            (self.base, self.local, self.remote) = (base, local, remote)
            (self.daysLeft, self.further) = (daysLeft, further)
        }

        /// The versions of the file that are in dispute, but for deletions.
        var others: [Record?] { ([remote] + further).filter { $0 != nil } }
    }

    /// The two versions of a conflict; nil stands for a deletion.
    package struct Sides: Hashable, Sendable {
        package var local: Record?
        package var remote: Record?

        package init(local: Record?, remote: Record?) { (self.local, self.remote) = (local, remote) }
    }

    /// A write that may or may not have happened.
    package struct Intent: Hashable, Sendable {
        package var number: Int64
        /// The file once it is written.
        package var version: FileVersion
        /// The path beside the file that has the new version before the exchange, and the old one after it.
        package var hidden: String
        package var keepsIDs: Bool
        /// The records as they were written; nil: removed.
        package var rows: [ByteOrdered: Record?]

        package init(
            number: Int64, version: FileVersion, hidden: String, keepsIDs: Bool, rows: [ByteOrdered: Record?]
        ) {
            (self.number, self.version, self.hidden) = (number, version, hidden)
            (self.keepsIDs, self.rows) = (keepsIDs, rows)
        }
    }

    /// The version of the file to which ``Row/base`` belongs; nil: it was never read.
    package var version: FileVersion?
    package var earlier = EarlierContents()
    /// Whether the numbers of the file's objects are still those of its records: nothing has rewritten it.
    package var sharesIDs = true
    /// The records that differ, and for a while some that do not any more.
    package var rows: [ByteOrdered: Row] = [:]
    package var conflicts: [ByteOrdered: Conflict] = [:]
    /// The records whose words the file's text does not have any more.
    package var lost: [ByteOrdered: LostMark] = [:]
    package var intent: Intent?
    /// Paths of files that an engine has made and that must go.
    package var hidden: Set<String> = []
    package var writes: Int64 = 0
    /// Keeps nothing on disk.
    package var isPrivate = false
    /// The processes that have a private file open: what it has is given up with the last of them.
    package var owners: Set<FileUser> = []
    package var isShared = false
    /// The last day on which ``Conflict/daysLeft`` was counted down.
    package var counted: Timestamp?
    /// The checksum of the state of an earlier version that was taken over.
    package var tookOver: String?
    /// When the file became known. Programs may have opened versions from before, which are not known.
    package var takenIn: Timestamp?
    /// How many rows are not written.
    private var differing = 0

    package init() {}

    /// One part of a transaction. What the database holds and what the core knows are made of the same parts.
    package enum Change: Hashable, Sendable {
        case row(ByteOrdered, Row)
        case conflict(ByteOrdered, Conflict?)
        case lost([ByteOrdered: LostMark])
        case version(FileVersion, EarlierContents, sharesIDs: Bool)
        case intent(Intent?)
        case hidden(Set<String>, writes: Int64)
        case owners(Set<FileUser>)
        case madePrivate
        case shared(Bool)
        case counted(Timestamp)
        case tookOver(String)
        case takenIn(Timestamp)
    }

    /// - Parameter keepsWritten: whether rows that are written stay for the operation that is going on.
    package mutating func apply(_ change: Change, keepsWritten: Bool = true) {
        switch change {
        case .row(let id, let row):
            if let old = rows[id], !old.isWritten { differing -= 1 }
            if !row.isWritten { differing += 1 }
            rows[id] = keepsWritten || isNeeded(id, row) ? row : nil
        case .conflict(let id, let conflict):
            conflicts[id] = conflict
            if !keepsWritten, let row = rows[id], !isNeeded(id, row) { rows[id] = nil }
        case .lost(let marks): lost = marks
        case .version(let version, let earlier, let sharesIDs):
            (self.version, self.earlier, self.sharesIDs) = (version, earlier, sharesIDs)
        case .intent(let intent): self.intent = intent
        case .hidden(let paths, let writes): (hidden, self.writes) = (paths, writes)
        case .owners(let owners): self.owners = owners
        case .madePrivate: isPrivate = true
        case .shared(let isShared): self.isShared = isShared
        case .counted(let day): counted = day
        case .tookOver(let checksum): tookOver = checksum
        case .takenIn(let moment): takenIn = moment
        }
    }

    /// Whether a row is in ``rows``, and not only in the database.
    package func isNeeded(_ id: ByteOrdered, _ row: Row) -> Bool {
        !row.isWritten || conflicts[id] != nil || intent?.rows[id] != nil
    }

    /// Forgets rows that only the operation needed.
    mutating func dropWritten() {
        guard rows.count > differing else { return }
        rows = rows.filter { isNeeded($0.key, $0.value) }
    }

    /// Whether something would be lost without the database, or a file beside the PDF would stay.
    package var mustBeKept: Bool {
        differing > 0 || !conflicts.isEmpty || intent != nil || !hidden.isEmpty || isShared
    }

    /// - Returns: The two sides of the record's conflict; nil without one.
    package func sides(of id: ByteOrdered) -> Sides? {
        guard let conflict = conflicts[id] else { return nil }
        guard let row = rows[id] else { return Sides(local: conflict.local, remote: conflict.remote) }
        // While a deletion is disputed, the layer shows the file's version, which may be edited there.
        let isDeleted = conflict.local == nil && row.local.isSame(as: conflict.remote)
        return Sides(local: isDeleted ? nil : row.local, remote: conflict.remote)
    }

    /// How many records are not in the file as they are in the layer.
    package var unwritten: Int { rows.count { !$0.value.isWritten || conflicts[$0.key] != nil } }
}

/// A process that has a file open; one that gets the same number later is another one.
package struct FileUser: Hashable, Sendable {
    package let pid: Int32
    package let start: UInt64

    package init(pid: Int32, start: UInt64) { (self.pid, self.start) = (pid, start) }
}

extension Record? {
    /// Whether both are missing, or say the same.
    package func isSame(as other: Record?) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (let one?, let other?): one.isSame(as: other)
        default: false
        }
    }
}
