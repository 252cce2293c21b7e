import Glibc
import Synchronization

/// Keeps a data folder to one server: two on one store would not hear each other's changes, and each would take the
/// other's uploads for left-overs. The lock is the kernel's and lies on the folder itself: it ends with the process,
/// however that ends, and leaves no file behind.
final class FolderLock: Sendable {
    private let descriptor: Mutex<Int32>

    /// - Throws: ``StoreError/folder(_:_:)`` when another server holds it.
    init(folder path: String) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .folder(path, String(cString: strerror(errno))) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw .folder(path, "another server is running on it")
        }
        self.descriptor = Mutex(descriptor)
    }

    func release() {
        descriptor.withLock { descriptor in
            guard descriptor >= 0 else { return }
            // Unlocked, not only closed: a child that is being started has a copy until it runs its own program.
            flock(descriptor, LOCK_UN)
            close(descriptor)
            descriptor = -1
        }
    }

    deinit { release() }
}
