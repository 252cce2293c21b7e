package import Annotations

/// A PDF that the library offers: one in the current folder, or one elsewhere with changes that are not in it.
package struct LibraryFile: Hashable, Sendable, Identifiable {
    /// As the screen shows it and as `Effect.openFile` takes it, uncleaned: a name for a file in the current folder.
    package var path: String
    /// nil if the file is missing.
    package var bytes: Int64?
    /// When the file was last written.
    package var modified: Timestamp?
    /// The number of changes that are kept on this machine and not in the file.
    package var unwritten: Int
    package var isMissing: Bool

    package var id: String { path }

    package init(
        path: String, bytes: Int64? = nil, modified: Timestamp? = nil, unwritten: Int = 0, isMissing: Bool = false
    ) {
        self.path = path
        self.bytes = bytes
        self.modified = modified
        self.unwritten = unwritten
        self.isMissing = isMissing
    }
}
