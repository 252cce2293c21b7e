import Glibc

/// A folder or file that only this user can enter, read and change.
enum OwnFolder {
    /// Why it is not.
    enum Fault: Hashable, Sendable {
        case missing
        case link
        case notAFolder
        case otherOwner
        case open
        case failed(CInt)
    }

    /// Checks a folder, without following a link at its end. Blocks.
    static func fault(_ folder: String) -> Fault? {
        var status = stat()
        guard lstat(folder, &status) == 0 else { return errno == ENOENT ? .missing : .failed(errno) }
        return fault(status, user: geteuid())
    }

    static func isPrivate(_ folder: String) -> Bool { fault(folder) == nil }

    static func fault(_ status: stat, user: uid_t) -> Fault? {
        switch status.st_mode & S_IFMT {
        case S_IFLNK: .link
        case S_IFDIR where status.st_uid != user: .otherOwner
        case S_IFDIR where status.st_mode & 0o077 != 0: .open
        case S_IFDIR: nil
        default: .notAFolder
        }
    }

    /// - Throws: ``CommandFailure`` with what to do.
    static func check(_ folder: String) throws {
        guard fault(folder) != nil else { return }
        throw CommandFailure(
            "\(folder) must be a folder of your own that no other account can enter, not a link; run chmod 700, or remove it"
        )
    }

    /// Reads a small file that no other account can have written. Blocks.
    ///
    /// - Returns: nil if there is no such file.
    /// - Throws: ``CommandFailure``
    static func read(_ path: String, limit: Int = 64 << 10) throws -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw CommandFailure("cannot read \(path): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & 0o022 == 0
        else {
            throw CommandFailure("\(path) may have been written by another account; remove it, and try again")
        }
        var bytes = [UInt8](repeating: 0, count: limit)
        var count = 0
        while count < limit {
            let more = bytes[count...].withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if more < 0, errno == EINTR { continue }
            guard more >= 0 else {
                throw CommandFailure("cannot read \(path): \(String(cString: strerror(errno)))")
            }
            if more == 0 { break }
            count += more
        }
        return Array(bytes[..<count])
    }
}
