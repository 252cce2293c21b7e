import Glibc

/// Who may replace a file, and what its successor gets from it. All functions block.
enum FileRights {
    /// Returns what is at a path if it may be replaced; nil if nothing is there.
    ///
    /// - Parameter replacesOthers: whether root replaces the file of another account, which keeps its owner.
    static func replaceable(_ path: String, replacesOthers: Bool) throws(OwnFileError) -> stat? {
        var status = stat()
        // A link that came after the path was followed is not.
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw OwnFileError(errno: errno) }
            return nil
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
        guard status.st_uid == geteuid() || (replacesOthers && geteuid() == 0) else { throw .otherOwner }
        guard status.st_mode & 0o200 != 0 else { throw .notWritable }
        return status
    }

    /// Gives a new file the mode, access list and extended attributes of an old one.
    ///
    /// - Parameters:
    ///   - old: nil: there is none.
    ///   - path: of the old file.
    ///   - mask: the permissions that a file without a predecessor does not get; nil: as this process.
    static func copy(of old: stat?, at path: String, to descriptor: CInt, mask: mode_t?) throws(OwnFileError) {
        guard let old else {
            guard fchmod(descriptor, 0o666 & ~(mask ?? FileMask.current)) == 0 else { throw .failed(errno) }
            return
        }
        // The group may be one that the user is not in; the mode below then gives it no more than everybody has.
        if old.st_uid != geteuid(), fchown(descriptor, old.st_uid, gid_t.max) != 0 { throw .failed(errno) }
        let keepsGroup = fchown(descriptor, uid_t.max, old.st_gid) == 0
        let mode = keepsGroup ? old.st_mode & 0o7777 : (old.st_mode & 0o7707) | ((old.st_mode & 0o7) << 3)
        guard fchmod(descriptor, mode) == 0 else { throw .failed(errno) }
        // Includes the access list (system.posix_acl_access).
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard file >= 0 else { throw OwnFileError(errno: errno) }
        defer { close(file) }
        ExtendedAttributes.copy(from: file, to: descriptor)
    }

    /// Makes renames and removals in a folder durable.
    static func sync(folder: String) throws(OwnFileError) {
        let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else {
            guard errno == EACCES else { throw .failed(errno) }
            // A folder that may be written and not be read.
            return Glibc.sync()
        }
        defer { close(directory) }
        guard fsync(directory) == 0 else {
            // Not every file system can sync a folder.
            guard [EINVAL, ENOSYS, ENOTSUP].contains(errno) else { throw .failed(errno) }
            return Glibc.sync()
        }
    }
}
