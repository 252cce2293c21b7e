import Annotations

/// What tells one version of a file from another.
package struct FileVersion: Hashable, Sendable {
    package var inode: UInt64
    package var size: Int64
    /// Nanoseconds since 1970.
    package var changed: Int64
    /// Lower-case hex.
    package var sha256: String

    package init(inode: UInt64, size: Int64, changed: Int64, sha256: String) {
        (self.inode, self.size, self.changed, self.sha256) = (inode, size, changed, sha256)
    }

    /// Whether the records of this version were read. Those of one that an earlier version of the program has left may be
    /// gone; the file is read then, whatever it has.
    package var isRead: Bool {
        get { inode != 0 }
        set { if !newValue { inode = 0 } }
    }

    /// Whether both have the same bytes.
    package func hasBytes(of other: FileVersion) -> Bool { hasBytes(of: other.contents) }

    package func hasBytes(of other: Contents) -> Bool { size == other.size && sha256.isExactly(other.sha256) }

    package var contents: Contents { Contents(size: size, sha256: sha256) }

    /// The bytes of a file, wherever it is.
    package struct Contents: Hashable, Sendable {
        package var size: Int64
        /// Lower-case hex.
        package var sha256: String

        package init(size: Int64, sha256: String) { (self.size, self.sha256) = (size, sha256) }
    }
}

/// The versions of a file that were read or written before the present one, the oldest first.
///
/// Another program may have had one of them open while the file got a newer one, and then save its own copy. What the file
/// lacks then was not deleted: that program has never seen it. A copy that continues an earlier version is compared with
/// that version.
package struct EarlierContents: Hashable, Sendable {
    package private(set) var versions: [FileVersion.Contents] = []
    /// The versions whose page text may differ from the present one.
    package private(set) var otherTexts: Set<FileVersion.Contents> = []
    private static let most = 64

    package init() {}

    package init(_ versions: [FileVersion.Contents], otherTexts: Set<FileVersion.Contents>) {
        add(versions)
        self.otherTexts = otherTexts.intersection(self.versions)
    }

    package mutating func add(_ new: [FileVersion.Contents]) {
        versions.removeAll(where: new.contains)
        versions += new
        versions.removeFirst(max(0, versions.count - Self.most))
        otherTexts = otherTexts.subtracting(new).intersection(versions)
    }

    /// Notes that the present text may differ from that of every earlier version.
    package mutating func textChanged() { otherTexts = Set(versions) }

    /// Whether a version is known to have the text that the file has now.
    package func hasPresentText(_ version: FileVersion.Contents) -> Bool {
        versions.contains(version) && !otherTexts.contains(version)
    }
}
