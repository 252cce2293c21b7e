import Glibc

/// An advisory lock on a file, held until this value is released or the process ends, however it ends.
final class FileLock: Sendable {
    private let descriptor: Int32

    /// Returns nil if another process (or another instance in this one) holds it, or the file cannot be created.
    ///
    /// - Parameter shared: Whether others may hold it shared too. Waits while ``isHeld(_:)`` or ``isAlone()`` probes
    ///   it.
    init?(path: String, shared: Bool = false) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        // Stored only once the lock is held: from then on `deinit` closes it, even if this initializer fails.
        guard flock(descriptor, shared ? LOCK_SH : LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
    }

    /// Whether any process holds it, shared or not.
    static func isHeld(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return errno == EWOULDBLOCK }
        flock(descriptor, LOCK_UN)
        return false
    }

    /// Whether this process is the only holder of the shared lock.
    func isAlone() -> Bool {
        let isAlone = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        flock(descriptor, LOCK_SH)
        return isAlone
    }

    /// Runs the body if this is the only holder of the shared lock; other holders wait meanwhile.
    func ifAlone(_ body: () -> Void) {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { body() }
        flock(descriptor, LOCK_SH)
    }

    deinit {
        // Unlocked, not only closed: a child process being started has a copy until it runs its own program.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
