import Annotations
import Glibc

/// A file during its download, hashed as it grows. One process at a time writes to it.
///
/// Never opened through a symbolic link; for this user only. ``resume(total:)`` first hashes what an earlier attempt
/// left, so that a resumed download is verified as a whole.
final class PartFile {
    /// Another process is downloading the same file.
    struct Busy: Error {}

    let path: String
    private let descriptor: Int32
    private(set) var size: Int64 = 0
    /// Whether it begins with what an earlier attempt left. A power failure may have damaged that.
    private(set) var isResumed = false
    private var hash = SHA256Hash()

    /// - Throws: ``Busy``, or ``InstantError`` if the file cannot be opened.
    init(path: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.failure("cannot open \(path)") }
        var (here, named) = (stat(), stat())
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw Busy()
        }
        guard fstat(descriptor, &here) == 0, here.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw InstantError(.couldNotWriteToDisk, "\(path) is not a regular file")
        }
        guard lstat(path, &named) == 0, named.st_ino == here.st_ino else {
            // It was finished and renamed between opening and locking.
            close(descriptor)
            throw Busy()
        }
        // Stored last: once all properties are set, `deinit` closes it, even if something here fails.
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        // Unlocked, not only closed: a child process being started has a copy until it runs its own program.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Whether any process is writing the file.
    static func isBeingWritten(_ path: String) -> Bool {
        guard path.ends(with: ".part") else { return false }
        let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return true }
        flock(descriptor, LOCK_UN)
        return false
    }

    /// Hashes what an earlier download left; drops it if it exceeds the total.
    func resume(total: Int64) throws {
        try rewind()
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure("cannot read \(path)") }
            guard count > 0 else { break }
            hash.add(buffer[..<count])
            size += Int64(count)
        }
        isResumed = size > 0
        if size > total { try drop() }
    }

    func drop() throws {
        guard ftruncate(descriptor, 0) == 0 else { throw Self.failure("cannot truncate \(path)") }
        try rewind()
    }

    private func rewind() throws {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw Self.failure("cannot read \(path)") }
        size = 0
        isResumed = false
        hash = SHA256Hash()
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes[...]
        while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
            let count = write(descriptor, start, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("cannot write \(path)") }
            rest = rest.dropFirst(count)
        }
        hash.add(bytes)
        size += Int64(bytes.count)
    }

    /// SHA-256 of all bytes so far, in lower-case hex.
    var sha256: String { hash.digest.hexadecimal }

    /// Gives the file its final name. Its bytes and its name are on disk when this returns.
    ///
    /// After a failed fsync, the kernel takes the bytes for written although they are not, and the next fsync succeeds.
    /// The file is removed, so that the next attempt fetches it anew.
    func finish(as name: String, in folder: String) throws {
        guard fsync(descriptor) == 0 else {
            let failure = Self.failure("cannot complete \(name)")
            try? drop()
            unlink(path)
            throw failure
        }
        guard rename(path, name) == 0 else { throw Self.failure("cannot complete \(name)") }
        try Folders.flush(folder)
    }

    private static func failure(_ what: String) -> InstantError {
        InstantError(.couldNotWriteToDisk, "\(what): \(errnoText())")
    }
}
