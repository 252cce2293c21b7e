import Annotations
import DocumentEngine
import Glibc
import Screen
import SystemPackage

/// A file that replaces another in one step once it is complete: a reader sees the old file or the new one.
final class NewFile {
    /// Without links, for messages.
    private let path: String
    private let place: FilePlace
    /// The path of the file until it is complete.
    let temporary: String
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var isFinished = false
    /// Of another account's file that root replaces, which stays theirs.
    private var other: stat?

    /// A symbolic link stays, and the file that it leads to is replaced.
    ///
    /// - Parameters:
    ///   - isForced: whether root replaces the file of another account.
    ///   - purpose: tells files for one target apart; all but one are never finished.
    /// - Throws: ``CommandFailure`` when the file cannot be created, the path is that of something else, such as a device or
    ///   a folder, it leads through a link that must not be followed, or the file belongs to another account.
    init(replacing name: String, isForced: Bool = false, purpose: String = "") throws {
        var status = stat()
        if stat(name, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw CommandFailure("\(name.onOneLine) is not a regular file; nothing was written")
        }
        do throws(FilePlace.Problem) { place = try FilePlace(of: name) } catch {
            throw CommandFailure("cannot write \(name.onOneLine): \(error.reason)")
        }
        path = place.path
        if lstat(place.here, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw CommandFailure("\(name.onOneLine) is not a regular file; nothing was written")
            }
            guard status.st_uid == geteuid() || (isForced && geteuid() == 0) else {
                throw CommandFailure(
                    "\(name.onOneLine) belongs to another account; it is not replaced, so name another file")
            }
            if status.st_uid != geteuid() { other = status }
        }
        // A name may have 255 bytes.
        let end = "\(purpose).\(getpid()).new"
        temporary = "\(place.folderPath)/\(place.name.prefix(bytes: 255 - end.utf8.count))\(end)"
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Self.failure(path) }
    }

    deinit {
        close(descriptor)
        if !isFinished { unlink(temporary) }
    }

    func write(_ text: PrintableText) throws {
        buffer.append(contentsOf: text.string.utf8)
        if buffer.count >= 1 << 18 { try flush() }
    }

    func finish() throws {
        try flush()
        if let other {
            guard lchown(temporary, other.st_uid, other.st_gid) == 0, chmod(temporary, other.st_mode & 0o7777) == 0
            else {
                throw Self.failure(path)
            }
        }
        guard fsync(descriptor) == 0, rename(temporary, place.here) == 0 else { throw Self.failure(path) }
        isFinished = true
    }

    private func flush() throws {
        do { try FileDescriptor(rawValue: descriptor).writeAll(buffer) } catch {
            throw CommandFailure("cannot write \(path.onOneLine): \(error)")
        }
        buffer.removeAll(keepingCapacity: true)
    }

    private static func failure(_ path: String) -> CommandFailure {
        CommandFailure("cannot write \(path.onOneLine): \(String(cString: strerror(errno)))")
    }
}
