import Annotations
import Glibc

/// Where a path leads: an absolute path without links, `.` and `..`. Its last parts may not exist yet.
struct RealPath: Sendable {
    private let bytes: [UInt8]

    /// - Throws: ``StoreError/folder(_:_:)`` if the path cannot be followed.
    init(_ given: String) throws(StoreError) {
        var rest = Array(given.utf8)
        guard !rest.isEmpty else { throw .folder("an empty path", "name a place") }
        var missing: [[UInt8]] = []
        while true {
            while rest.count > 1, rest.last == Self.slash { rest.removeLast() }
            let path = Self.text(rest)
            if let found = realpath(path, nil) {
                defer { free(found) }
                bytes = missing.reversed().reduce(Array(String(cString: found).utf8), Self.join)
                return
            }
            let code = errno
            guard code == ENOENT else { throw .folder(given, String(cString: strerror(code))) }
            guard FileStatus(link: path) == nil else {
                throw .folder(given, "\(path) is a link to a place that does not exist")
            }
            let name = Array(rest[((rest.lastIndex(of: Self.slash) ?? -1) + 1)...])
            // The system cannot go up from what does not exist, and this program must not create it to do so.
            guard name != Array("..".utf8) else { throw .folder(given, "it goes up from a folder that does not exist") }
            if name != Array(".".utf8) { missing.append(name) }
            rest.removeLast(name.count)
            if rest.isEmpty { rest = Array(".".utf8) }
        }
    }

    var path: String { Self.text(bytes) }

    /// The folder that contains it.
    var parent: String {
        let end = bytes.lastIndex(of: Self.slash) ?? 0
        return Self.text(bytes[..<max(end, 1)])
    }

    /// Whether it is this folder or below it. A folder may have several paths, for example by a bind mount, so existing
    /// ones are also compared by their inode.
    func isWithin(_ folder: RealPath) -> Bool {
        if bytes == folder.bytes || path(below: folder) != nil { return true }
        guard let sought = FileStatus(folder.path) else { return false }
        // The root, and the path up to each slash.
        let ends = [1] + bytes.indices.filter { bytes[$0] == Self.slash && $0 > 0 } + [bytes.count]
        return ends.contains { sought.isSame(as: FileStatus(Self.text(bytes[..<$0]))) }
    }

    /// The path relative to this folder; nil if it is not below it.
    func path(below folder: RealPath) -> String? {
        let start = Self.join(folder.bytes, [])
        guard bytes.count > start.count, bytes.starts(with: start) else { return nil }
        return Self.text(bytes[start.count...])
    }

    private static let slash = UInt8(ascii: "/")

    private static func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func join(_ folder: [UInt8], _ name: [UInt8]) -> [UInt8] {
        folder + (folder.last == slash ? [] : [slash]) + name
    }
}

/// What the system knows about an existing file or folder.
struct FileStatus: Sendable {
    let device: UInt64
    private let number: UInt64
    let bytes: Int64
    let isFolder: Bool
    let isFile: Bool
    let isLink: Bool
    let owner: UInt32
    let group: UInt32
    /// The permission bits.
    let mode: UInt32
    /// When its contents were last changed.
    let changed: Timestamp

    /// Returns nil if the path leads nowhere.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// Does not follow a link.
    init?(link path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        (device, number, bytes) = (UInt64(status.st_dev), UInt64(status.st_ino), Int64(status.st_size))
        (owner, group, mode) = (status.st_uid, status.st_gid, status.st_mode & 0o7777)
        changed = Timestamp(seconds: Int64(status.st_mtim.tv_sec))
        isLink = status.st_mode & S_IFMT == S_IFLNK
        (isFolder, isFile) = (status.st_mode & S_IFMT == S_IFDIR, status.st_mode & S_IFMT == S_IFREG)
    }

    /// Whether both are the same file or folder, whatever their paths.
    func isSame(as other: FileStatus?) -> Bool { device == other?.device && number == other?.number }
}
