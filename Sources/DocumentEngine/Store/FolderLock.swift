import Glibc
import Synchronization

/// Restricts a data folder to one server: two servers on one store would miss each other's changes and delete each
/// other's uploads as leftovers. The kernel's lock on the folder itself ends with the process in every case and leaves
/// no file.
final class FolderLock: Sendable {
    private let descriptor: Mutex<Int32>

    /// - Parameters:
    ///   - isShared: whether others may hold the lock too, because they only read.
    ///   - held: the message if another process holds the lock.
    /// - Throws: ``StoreError/folder(_:_:)``
    init(
        folder path: String, isShared: Bool = false, held: String = "another server is using it"
    ) throws(StoreError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .folder(path, String(cString: strerror(errno))) }
        guard flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 else {
            let code = errno
            close(descriptor)
            throw .folder(path, code == EWOULDBLOCK ? held : String(cString: strerror(code)))
        }
        self.descriptor = Mutex(descriptor)
    }

    func release() {
        descriptor.withLock { descriptor in
            guard descriptor >= 0 else { return }
            // Closing is not enough: a child process being started holds a copy of the descriptor until it executes its
            // program.
            flock(descriptor, LOCK_UN)
            close(descriptor)
            descriptor = -1
        }
    }

    deinit { release() }
}
