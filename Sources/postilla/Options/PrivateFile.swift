import Annotations
import Glibc
import SystemPackage

/// Small files that hold secrets: tokens, keys. They are read and written whole, for this user only.
enum PrivateFile {
    /// - Throws: ``CommandFailure`` that names the file and never its content.
    /// - Parameter pipe: As for ``bytes(_:limit:pipe:)``.
    static func read(_ path: String, limit: Int = 64 << 10, pipe time: Duration? = nil) throws -> String {
        guard let text = String(validating: try bytes(path, limit: limit, pipe: time), as: UTF8.self) else {
            throw CommandFailure("\(path) is not UTF-8 text")
        }
        return text
    }

    /// Reads a file's only line, which is sent in the head of a request.
    ///
    /// - Parameter status: The status of the failure when there is no such line.
    static func secret(_ path: String, otherwise status: ExitStatus) throws -> String {
        let secret = try read(path).trimmed
        guard !secret.isEmpty else { throw CommandFailure("\(path) is empty; it must contain only the secret", status) }
        guard secret.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw CommandFailure("\(path) is not a secret; it must contain one line", status)
        }
        return secret
    }

    /// Reads a file that need not exist.
    ///
    /// - Returns: nil if there is none.
    /// - Throws: ``CommandFailure`` if there is one that cannot be read now: it must not be taken for an empty one, and
    ///   replaced.
    static func existing(_ path: String, limit: Int) throws -> [UInt8]? {
        do { return try bytes(path, limit: limit) } catch {
            var status = stat()
            if lstat(path, &status) != 0, errno == ENOENT { return nil }
            throw error
        }
    }

    /// - Parameter pipe: how long a pipe may take; nil: as long as it wants.
    static func bytes(_ path: String, limit: Int, pipe time: Duration? = nil) throws -> [UInt8] {
        // Opening a pipe must not block until somebody writes.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | (time == nil ? 0 : O_NONBLOCK))
        guard descriptor >= 0 else { throw CommandFailure("cannot read \(path): \(reason())") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let end = time.map { ContinuousClock.now + $0 }
        while true {
            if let end { try wait(for: descriptor, until: end, path) }
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw CommandFailure("cannot read \(path): \(reason())") }
            if count == 0 { break }
            bytes.append(contentsOf: buffer[..<count])
            guard bytes.count <= limit else { throw CommandFailure("\(path) is larger than \(limit) bytes") }
        }
        return bytes
    }

    /// Waits until a read returns at once: something was written, or every writer has closed its end.
    private static func wait(for descriptor: Int32, until end: ContinuousClock.Instant, _ path: String) throws {
        while true {
            let left = max(.zero, ContinuousClock.now.duration(to: end)).components
            var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let count = poll(&input, 1, Int32(clamping: left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000))
            if count > 0 { return }
            if count < 0, errno == EINTR { continue }
            throw CommandFailure(
                count < 0 ? "cannot read \(path): \(reason())" : "nothing was written into the pipe \(path) in time")
        }
    }

    /// Returns a warning about a file that users other than its owner can read; nil if there are none.
    static func warning(ifOpen path: String) -> String? {
        // systemd grants its credentials to one user by an access list, which the mode shows as a group's right.
        if let folder = getenv("CREDENTIALS_DIRECTORY"), path.begins(with: String(cString: folder) + "/") { return nil }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o044 != 0 else { return nil }
        return "\(path) is readable by other users; run chmod 600"
    }

    /// Replaces the file in one step, with mode 0600; durable on return.
    static func write(_ text: String, to path: String) throws {
        let temporary = path + ".new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CommandFailure("cannot write \(path): \(reason())") }
        var isInPlace = false
        defer {
            close(descriptor)
            if !isInPlace { unlink(temporary) }
        }
        do { try FileDescriptor(rawValue: descriptor).writeAll(text.utf8) } catch {
            throw CommandFailure("cannot write \(path): \(error)")
        }
        guard fsync(descriptor) == 0, rename(temporary, path) == 0 else {
            throw CommandFailure("cannot write \(path): \(reason())")
        }
        isInPlace = true
        // The new name, too.
        let folder = open(
            path.unicodeScalars.lastIndex(of: "/").map { "\(path[...$0])" } ?? ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if folder >= 0 { close(folder) } }
        guard folder >= 0, fsync(folder) == 0 else {
            throw CommandFailure("\(path) is written, but a power failure may undo that: \(reason())")
        }
    }

    private static func reason() -> String { String(cString: strerror(errno)) }
}
