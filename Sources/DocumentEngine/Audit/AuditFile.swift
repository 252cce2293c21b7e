import Annotations
import EngineCore
import Glibc

/// The file of an audit log, open for appending. Used by one thread.
struct AuditFile {
    /// Writes to standard error instead.
    static let standardError = "-"

    private let path: String
    private var descriptor: CInt
    /// Whether it can be synced to disk; a pipe or a terminal cannot.
    private var isRegular = false
    /// The bytes of the next line that are in the file already, because a write failed in the middle of the line.
    private var begun = 0

    /// Opens the file and creates it if it is missing, with mode 0600.
    ///
    /// - Throws: ``StoreError`` with the path and the cause.
    init(_ path: String) throws(StoreError) {
        self.path = path
        descriptor = -1
        try reopen()
    }

    /// Opens the file under its name again, after it was renamed. The earlier one stays open if this fails.
    mutating func reopen() throws(StoreError) {
        let new = try Self.open(path)
        close()
        descriptor = new
        begun = 0
        var status = stat()
        isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        guard isRegular else { return }
        fchmod(descriptor, 0o600)
        // The process may have been killed in the middle of a line.
        var last: UInt8 = 0
        if status.st_size > 0, pread(descriptor, &last, 1, status.st_size - 1) == 1, last != 0x0A {
            _ = write(descriptor, "\n", 1)
        }
    }

    private static func open(_ path: String) throws(StoreError) -> CInt {
        guard path != standardError else {
            let copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
            guard copy >= 0 else { throw .folder(path, reason) }
            return copy
        }
        let isNew = access(path, F_OK) != 0
        // Do not wait for the reader of a named pipe.
        let flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let new = Glibc.open(path, flags, 0o600)
        guard new >= 0 else { throw .folder(path, reason) }
        if isNew {
            // Best effort: the data itself is made durable in any case.
            let folder = path.unicodeScalars.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
            try? PrivateFiles.sync(folder: folder.isEmpty ? "/" : folder)
        }
        return new
    }

    /// Appends whole lines, and makes them durable.
    ///
    /// - Parameter lines: written lines are removed, even if the rest fails.
    /// - Throws: ``StoreError`` with the path and the cause.
    mutating func append(_ lines: inout [UInt8]) throws(StoreError) {
        var (offset, cause) = (begun, String?.none)
        while offset < lines.count {
            let count = lines.withUnsafeBytes { write(descriptor, $0.baseAddress! + offset, $0.count - offset) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                cause = Self.reason
                break
            }
            offset += count
        }
        let ended = lines[..<offset].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        begun = offset - ended
        lines.removeSubrange(..<ended)
        if cause == nil, isRegular, fdatasync(descriptor) != 0 { cause = Self.reason }
        if let cause { throw .folder(path, cause) }
    }

    mutating func close() {
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }

    private static var reason: String { String(cString: strerror(errno)) }
}
