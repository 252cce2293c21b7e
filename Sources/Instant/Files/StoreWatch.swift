import Dispatch
import Glibc
import SQLite
import Synchronization

/// Tells when another process opens a store or leaves one, and when files in its folders are made, replaced or removed
/// (inotify(7)). Writes to the database are not told.
///
/// Unchecked: the source is used only to begin and to end it.
final class StoreWatch: @unchecked Sendable {
    private let source: any DispatchSourceRead
    private static let mask = UInt32(
        IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF)

    /// - Parameters:
    ///   - folders: of the stores. One that does not exist is left out.
    ///   - files: whose opening and closing is told.
    ///   - queue: on which `body` is called.
    /// - Returns: nil if nothing would be told: the system has no inotify, or no more of it for this user, or another machine
    ///   may change the folders.
    init?(_ folders: [String], files: [String], on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        let descriptor = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        let isRemote = folders.contains { FileSystemKind(of: $0).isRemote }
        let numbers = folders.map { inotify_add_watch(descriptor, $0, Self.mask | UInt32(IN_ONLYDIR)) }
        let files = files.map { inotify_add_watch(descriptor, $0, UInt32(IN_OPEN | IN_CLOSE_WRITE)) }
        guard !isRemote, numbers.first ?? -1 >= 0, files.allSatisfy({ $0 >= 0 }) else {
            close(descriptor)
            return nil
        }
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setCancelHandler { close(descriptor) }
        source.setEventHandler {
            var buffer = [UInt8](repeating: 0, count: 4096)
            var isTold = false
            while read(descriptor, &buffer, buffer.count) > 0 { isTold = true }
            if isTold { body() }
        }
        source.resume()
    }

    deinit { source.cancel() }
}
