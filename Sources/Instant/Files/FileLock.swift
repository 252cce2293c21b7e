import Glibc

/// An advisory lock on a file, held until this value goes away or the process ends, however it ends.
final class FileLock: Sendable {
    private let descriptor: Int32

    /// nil when another process (or another opening in this one) holds it, or the file cannot be made.
    ///
    /// - Parameter shared: others may hold it shared as well. Waits while ``isHeld(_:)`` or ``isAlone()`` looks.
    init?(path: String, shared: Bool = false) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        // Not kept before it is ours: from then on `deinit` closes it, also when this fails.
        guard flock(descriptor, shared ? LOCK_SH : LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
    }

    /// Whether anybody holds it, shared or not.
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

    deinit {
        // Unlocked, not only closed: a child that is being started has a copy until it runs its own program.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
