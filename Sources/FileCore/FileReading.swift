package import Annotations

/// A file as it was read, and what the database has of its records.
package struct FileReading: Sendable {
    package enum Origin: Sendable {
        /// The file begins with all bytes of the version that is known.
        case continues
        /// It begins with all bytes of an earlier version, which has these records.
        case continuesEarlier([Record])
        /// It was written anew. nil: its words are where they were.
        case anew((any WordMoves)?)
    }

    package var version: FileVersion
    /// By the numbers of their objects.
    package var records: [Record]
    package var origin: Origin
    /// Versions within the file, which programs may have had before.
    package var revisions: [FileVersion.Contents]
    /// Whether, as far as the system can tell, no process wrote to the file while it was read.
    package var isSettled: Bool
    /// Whether the file's table of objects had to be made again: its end may be missing.
    package var isDamaged: Bool
    /// What the database has of records that were written.
    package var synced: [ByteOrdered: LocalFileState.Row]

    package init(
        version: FileVersion, records: [Record], origin: Origin = .continues, revisions: [FileVersion.Contents] = [],
        isSettled: Bool = true, isDamaged: Bool = false, synced: [ByteOrdered: LocalFileState.Row] = [:]
    ) {
        (self.version, self.records, self.origin, self.revisions) = (version, records, origin, revisions)
        (self.isSettled, self.isDamaged, self.synced) = (isSettled, isDamaged, synced)
    }
}
