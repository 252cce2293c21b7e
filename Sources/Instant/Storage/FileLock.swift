#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// An advisory lock on a file, held until this value goes away or the process ends, however it ends.
final class FileLock: Sendable {
    private let descriptor: Int32

    /// nil when another process (or another opening in this one) holds it, or the file cannot be made.
    init?(path: String) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        // Not kept before it is ours: from then on `deinit` closes it, also when this fails.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
    }

    deinit {
        // Unlocked, not only closed: a child that is being started has a copy until it runs its own program.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
