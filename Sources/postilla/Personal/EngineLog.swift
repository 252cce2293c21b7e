import Annotations
import DocumentEngine
import Glibc
import Screen
import Synchronization
import SystemPackage

/// The log of engines, which is standard error of their processes. When it is full it gets another name, and the one of
/// that name is lost: two files of this size are all there ever is.
///
/// Engines of several data folders may write one log.
final class EngineLog: Sendable {
    private let path: String
    private let limit: Int64
    /// So that two threads do not rename two files.
    private let isBusy = Mutex(())

    static let limit: Int64 = 1 << 20

    /// - Parameter limit: in bytes.
    init(_ path: String, limit: Int64 = EngineLog.limit) { (self.path, self.limit) = (path, limit) }

    /// The name of the last full log.
    static func old(_ path: String) -> String { path + ".1" }

    /// Opens the log for a new engine. Blocks.
    ///
    /// - Returns: a descriptor above those of the standard streams.
    /// - Throws: ``CommandFailure`` with the folder.
    static func open(_ path: String) throws -> CInt {
        let descriptor = Glibc.open(path, flags, 0o600)
        guard descriptor >= 0 else {
            let folder = path.unicodeScalars.lastIndex(of: "/").map { String(path[..<$0]) } ?? path
            throw CommandFailure(
                "cannot start the engine for PDFs on this machine, because it cannot write its log: "
                    + PlaceProblem(folder: folder, code: errno).sentence)
        }
        guard descriptor <= STDERR_FILENO else { return descriptor }
        defer { close(descriptor) }
        return fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
    }

    /// The text after a place in the log; empty if it cannot be read. Blocks briefly.
    static func text(_ path: String, from start: Int64) -> String {
        guard let bytes = try? PrivateFile.bytes(path, limit: Int(limit) << 2), start <= bytes.count else { return "" }
        return String(decoding: bytes[Int(start)...], as: UTF8.self)
    }

    private static let flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC

    /// Writes a line, and begins another file if this one is full. Blocks.
    ///
    /// - Parameter descriptor: of the log.
    func write(_ line: PrintableText, to descriptor: CInt) {
        // Without a log there is nobody to tell.
        _ = try? FileDescriptor(rawValue: descriptor).writeAll(line.string.utf8)
        isBusy.withLock { _ in turn(descriptor) }
    }

    /// - Parameter descriptor: of the log; it gets the new file.
    private func turn(_ descriptor: CInt) {
        var (here, there) = (stat(), stat())
        guard fstat(descriptor, &here) == 0, here.st_mode & S_IFMT == S_IFREG, here.st_size >= limit else { return }
        func isHere(_ path: String) -> Bool {
            lstat(path, &there) == 0 && here.st_dev == there.st_dev && here.st_ino == there.st_ino
        }
        if isHere(path) {
            guard rename(path, Self.old(path)) == 0 else { return }
        } else {
            // Another engine has begun a new file; any other file is not the log.
            guard here.st_nlink == 0 || isHere(Self.old(path)) else { return }
        }
        let new = Glibc.open(path, Self.flags, 0o600)
        guard new >= 0 else { return }
        dup2(new, descriptor)
        close(new)
    }
}
