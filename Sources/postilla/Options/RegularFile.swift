import Glibc

/// A file that is opened once, read in pieces, and closed with its last reference. All functions block.
final class RegularFile: Sendable {
    let descriptor: Int32
    let size: Int64

    /// - Throws: ``CommandFailure`` for a folder, a pipe and a device, too.
    init(_ path: String) throws {
        var status = stat()
        // Do not open a pipe: closing it again would end its writer.
        guard stat(path, &status) == 0 else { throw Self.failure(path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw CommandFailure("\(path.onOneLine) is not a regular file")
        }
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            let failure = Self.failure(path)
            if descriptor >= 0 { close(descriptor) }
            throw failure
        }
        size = Int64(status.st_size)
    }

    private static func failure(_ path: String) -> CommandFailure {
        CommandFailure("cannot read \(path.onOneLine): \(String(cString: strerror(errno)))")
    }

    deinit { close(descriptor) }

    /// Reads the whole file.
    func bytes() throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(size))
        while bytes.count < size {
            bytes += try read(at: Int64(bytes.count), count: min(1 << 20, Int(size) - bytes.count))
        }
        return bytes
    }

    /// - Throws: An error when the file shrinks during reading.
    func read(at offset: Int64, count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let got = pread(descriptor, &bytes, count, off_t(offset))
        guard got > 0 else { throw CommandFailure("the file became shorter while it was read; try again") }
        bytes.removeLast(count - got)
        return bytes
    }
}
