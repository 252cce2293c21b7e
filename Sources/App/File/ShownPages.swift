/// Tells whether the pages on the screen are still those of a file that the engine has open.
///
/// The viewer and the engine read the file at different times, and either may miss a version that the other has read.
/// Versions written by the engine have the pages of the version before.
package struct ShownPages: Sendable {
    /// What the engine knows of a file.
    package struct File: Hashable, Sendable {
        /// The version last read or written by the engine.
        package var version: String
        /// A name for the pages: as long as it is the same, so are they.
        package var pagesSince: String

        package init(version: String, pagesSince: String) { (self.version, self.pagesSince) = (version, pagesSince) }
    }

    /// The version whose pages are shown; nil: it is not known.
    private var shown: String?
    /// The engine's name for the pages that are shown; nil: it is not known.
    private var pages: String?

    package init() {}

    /// Pages of this version are shown from now on.
    package mutating func show(_ version: String?) {
        // After `mustReload`, the version that is read is usually the one that the engine has named.
        if version != shown { pages = nil }
        shown = version
    }

    /// - Parameter disk: the version of the file now.
    /// - Returns: whether the pages must be read again. They count as shown from then on.
    package mutating func mustReload(disk: String, engine: File) -> Bool {
        // The engine has not seen the newest version yet; it will be asked again.
        guard disk == engine.version else { return false }
        defer { (shown, pages) = (disk, engine.pagesSince) }
        return shown != disk && pages != engine.pagesSince
    }

    package static func version(inode: UInt64, size: Int64, changed: Int64) -> String { "\(inode)-\(size)-\(changed)" }
}
