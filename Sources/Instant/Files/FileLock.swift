import Glibc

/// An advisory lock on a file, held until this value is released or the process ends, however it ends.
///
/// An open file description lock (fcntl(2)): it can be queried without being taken, and a shared lock becomes an
/// exclusive one without being released in between.
package final class FileLock: Sendable {
    private let path: String
    let descriptor: Int32

    /// Why a lock was not taken.
    package enum Refusal: Error, Hashable, Sendable {
        /// Another process (or another instance in this one) holds it.
        case held
        /// Its file was removed or replaced before it was locked.
        case replaced
        /// The file cannot be created or locked; the value is `errno`.
        case failed(Int32)

        /// Whether this user may not write where the file is.
        var isReadOnly: Bool { [.failed(EACCES), .failed(EPERM), .failed(EROFS)].contains(self) }
    }

    /// - Parameters:
    ///   - shared: Whether others may hold it shared too.
    ///   - milliseconds: How long to wait for it. Blocks the thread.
    package init(taking path: String, shared: Bool = false, milliseconds: Int = 0) throws(Refusal) {
        var left = milliseconds
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw .failed(errno) }
            if Self.lock(descriptor, shared ? F_RDLCK : F_WRLCK) {
                // Stored only once the lock is held: from then on `deinit` closes it, even if this initializer fails.
                self.path = path
                self.descriptor = descriptor
                if isCurrent { return }
                throw .replaced
            }
            let reason = errno
            close(descriptor)
            guard reason == EAGAIN || reason == EACCES else { throw .failed(reason) }
            guard left > 0 else { throw .held }
            usleep(5000)
            left -= 5
        }
    }

    /// Returns nil for any ``Refusal``.
    package convenience init?(path: String, shared: Bool = false, milliseconds: Int = 0) {
        do { try self.init(taking: path, shared: shared, milliseconds: milliseconds) } catch { return nil }
    }

    /// Whether the file still has its name: another process may have removed or replaced it.
    package var isCurrent: Bool {
        var (here, named) = (stat(), stat())
        return fstat(descriptor, &here) == 0 && lstat(path, &named) == 0 && here.st_ino == named.st_ino
            && here.st_dev == named.st_dev
    }

    /// Whether any process holds it, shared or not. The file need not be writable.
    package static func isHeld(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return isHeldElsewhere(descriptor)
    }

    /// Whether this process is the only holder of the shared lock.
    var isAlone: Bool { !Self.isHeldElsewhere(descriptor) }

    /// Makes a shared lock exclusive; if that is impossible, it stays shared.
    func becomeExclusive() -> Bool { Self.lock(descriptor, F_WRLCK) }

    func becomeShared() { _ = Self.lock(descriptor, F_RDLCK) }

    /// Runs the body if this is the only holder of the shared lock; other holders wait meanwhile.
    func ifAlone(_ body: () -> Void) {
        guard becomeExclusive() else { return }
        body()
        becomeShared()
    }

    deinit {
        // Unlocked, not only closed: a child process being started has a copy until it runs its own program.
        _ = Self.lock(descriptor, F_UNLCK)
        close(descriptor)
    }

    private static func request(_ kind: Int32) -> Glibc.flock {
        var request = Glibc.flock()
        request.l_type = Int16(kind)
        request.l_whence = Int16(SEEK_SET)
        return request
    }

    private static func lock(_ descriptor: Int32, _ kind: Int32) -> Bool {
        var request = request(kind)
        return fcntl(descriptor, setLock, &request) == 0
    }

    private static func isHeldElsewhere(_ descriptor: Int32) -> Bool {
        var request = request(F_WRLCK)
        return fcntl(descriptor, getLock, &request) == 0 && Int32(request.l_type) != F_UNLCK
    }

    // `F_OFD_GETLK` and `F_OFD_SETLK`.
    #if canImport(Darwin)
        private static let (getLock, setLock): (Int32, Int32) = (92, 90)
    #else
        private static let (getLock, setLock): (Int32, Int32) = (36, 37)
    #endif
}
