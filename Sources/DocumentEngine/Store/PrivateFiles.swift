import EngineCore
import FoundationEssentials
import Glibc
import NIOCore

/// Files that only their owner may read (0600) in folders that only their owner may enter (0700).
enum PrivateFiles {
    /// Creates a folder and its parents.
    ///
    /// - Parameter mayBeLink: whether the path may be a link to a private folder of this user, as systemd makes them for a
    ///   service with a user of its own.
    /// - Throws: ``StoreError`` if it is another link, not a folder, owned by another user, or cannot be made private.
    static func make(folder given: String, mayBeLink: Bool = false) throws(StoreError) {
        var path = given
        // With a slash at the end, a link would be followed unseen.
        while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
        if mayBeLink, FileStatus(link: path)?.isLink == true { return try checkLink(path) }
        // The checks below explain a failure.
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else {
            throw .folder(path, "it does not exist and cannot be created")
        }
        guard attributes[.type] as? FileAttributeType == .typeDirectory else {
            throw .folder(path, "it is a link or not a folder")
        }
        guard attributes[.ownerAccountID] as? UInt == UInt(geteuid()) else {
            throw .folder(path, "it belongs to another user")
        }
        let rights = attributes[.posixPermissions] as? UInt ?? 0o777
        if rights & 0o077 != 0, chmod(path, 0o700) != 0 { throw .folder(path, "it is accessible to other users") }
    }

    /// The owner of a link decides where the data is, so it must be root or this user. The target is not changed.
    private static func checkLink(_ path: String) throws(StoreError) {
        guard let link = FileStatus(link: path), [0, geteuid()].contains(link.owner) else {
            throw .folder(path, "it is a link of another user")
        }
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &bytes, bytes.count - 1)
        guard count > 0 else { throw .folder(path, String(cString: strerror(errno))) }
        var target = String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        while target.utf8.count > 1, target.utf8.last == UInt8(ascii: "/") { target.removeLast() }
        if target.utf8.first != UInt8(ascii: "/") { target = Storage.folder(of: path) + "/" + target }
        guard let status = FileStatus(link: target) else { throw .folder(path, "it is a link to nothing: \(target)") }
        guard status.isFolder else { throw .folder(path, "it is a link to \(target), which is a link or not a folder") }
        guard status.owner == geteuid() else {
            throw .folder(path, "it is a link to \(target), which belongs to another user")
        }
        guard status.mode & 0o777 == 0o700 else {
            throw .folder(path, "it is a link to \(target), which must have mode 0700; run chmod 700 \(target)")
        }
    }

    /// Creates an empty file unless it exists.
    static func make(file path: String) throws(StoreError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unusable(path, String(cString: strerror(errno))) }
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else { throw .unusable(path, String(cString: strerror(errno))) }
    }

    /// Creates a new file for writing.
    ///
    /// - Returns: its descriptor; negative on failure, with the cause in `errno`.
    static func create(file path: String) -> CInt {
        open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }

    /// - Returns: false on failure, with the cause in `errno`.
    static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Creates a copy of a file, byte by byte; durable when it returns.
    static func copy(file source: String, to target: String) throws {
        let bytes = try FileBlob(path: source)
        let descriptor = create(file: target)
        guard descriptor >= 0 else { throw failure(in: target) }
        defer { close(descriptor) }
        var offset: Int64 = 0
        while offset < bytes.length {
            let piece = try bytes.read(at: offset, 1 << 20)
            guard piece.withUnsafeReadableBytes({ writeAll($0, to: descriptor) }) else { throw failure(in: target) }
            offset += Int64(piece.readableBytes)
        }
        guard fsync(descriptor) == 0 else { throw failure(in: target) }
    }

    /// Exchanges two folders in one step. Not every file system can (`EINVAL`).
    ///
    /// - Returns: false on failure, with the cause in `errno`.
    static func exchange(_ one: String, _ other: String) -> Bool {
        rename(one, other, 2)  // RENAME_EXCHANGE
    }

    /// Renames a file unless there is one of that name (`EEXIST`).
    ///
    /// - Returns: false on failure, with the cause in `errno`.
    static func rename(_ path: String, toFree name: String) -> Bool {
        if rename(path, name, 1) { return true }  // RENAME_NOREPLACE
        guard [EINVAL, ENOSYS, ENOTSUP].contains(errno) else { return false }
        // Not every file system can.
        guard access(name, F_OK) != 0 else {
            errno = EEXIST
            return false
        }
        return Glibc.rename(path, name) == 0
    }

    private static func rename(_ one: String, _ other: String, _ flags: CUnsignedInt) -> Bool {
        typealias Renameat2 =
            @convention(c) (
                CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt
            ) -> CInt
        // Looked up by name: its declaration needs _GNU_SOURCE, which Swift does not set.
        guard let symbol = dlsym(nil, "renameat2") else {
            errno = ENOSYS
            return false
        }
        return unsafeBitCast(symbol, to: Renameat2.self)(AT_FDCWD, one, AT_FDCWD, other, flags) == 0
    }

    /// The error for a call that has just failed, from `errno`.
    static func failure(in folder: String) -> any Error {
        let code = errno
        return APIError.fullDisk(errno: code) ?? StoreError.folder(folder, String(cString: strerror(code)))
    }

    /// Makes what was written to a file durable.
    static func sync(file path: String) throws { try sync(path, O_RDONLY) }

    /// Makes renames and removals in a folder durable.
    static func sync(folder path: String) throws { try sync(path, O_RDONLY | O_DIRECTORY) }

    private static func sync(_ path: String, _ flags: CInt) throws {
        let descriptor = open(path, flags | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError.folder(path, String(cString: strerror(errno))) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw StoreError.folder(path, String(cString: strerror(errno))) }
    }
}
