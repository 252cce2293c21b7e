package import Annotations
package import FileCore

/// What is kept of one local PDF, as a command reads it without an engine.
package struct KeptFile: Sendable {
    /// A random id, which says nothing about the path.
    package var document: String
    /// Of the PDF, absolute.
    package var path: String
    /// The folder of the database.
    package var folder: String
    package var isPrivate: Bool
    /// The processes that have it open, if it is private.
    package var owners: Set<FileUser>
    package var isShared: Bool
    /// The hash of the file as it was last read or written, in lower-case hex; nil: it was never read.
    package var sha256: String?
    /// The records that are not in the file as they are in the layer, or are in conflict, in the order of their ids. nil: not
    /// there.
    package var unwrittenRecords: [(file: Record?, layer: Record?)]
    /// How many there are, damaged ones included.
    package var unwritten: Int
    package var conflicts: Int
    /// Whether an engine is writing the file or a copy, or was when it was killed.
    package var isBeingWritten: Bool

    /// Whether an engine of an earlier version has left it, and none has taken it over yet.
    package var isEarlier = false

    /// The path of what has the changes.
    package var database: String {
        isEarlier ? "\(folder)/\(EarlierState.name)" : FileDatabase.path(in: folder)
    }
}

/// A file that has changes of a PDF, or something that they need, and cannot be read.
package struct DamagedKeptFile: Hashable, Sendable {
    package var path: String
    /// `it is damaged`
    package var problem: String
    /// The path of the PDF; nil: unknown.
    package var pdf: String?
    /// Whether only some of what the file has is damaged. The rest is used.
    package var isPartial = false
    /// Whether its bytes could be read, so that it will not be better later.
    var wasRead = false

    /// Whether it may concern a PDF.
    ///
    /// - Parameter path: absolute, without links.
    package func concerns(_ path: String) -> Bool { pdf.map { $0.isExactly(path) } ?? true }
}
