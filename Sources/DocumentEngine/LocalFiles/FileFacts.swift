import Annotations
import Crypto
import Glibc

/// What tells one version of a file from another.
struct FileFacts: Hashable, Sendable {
    var inode: UInt64
    var size: Int64
    /// Nanoseconds since 1970.
    var changed: Int64
    /// Lower-case hex.
    var sha256: String

    /// Whether the file still looks as it did, without reading it.
    func isSame(as status: stat) -> Bool {
        inode == UInt64(status.st_ino) && size == Int64(status.st_size) && changed == Self.changed(status)
    }

    /// Tells this version of the file from others, without its contents: inode, size and time of change.
    var version: String { "\(inode)-\(size)-\(changed)" }

    static func changed(_ status: stat) -> Int64 {
        // It is only compared: a file may be from any year.
        Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    }

    /// Reads a file. Blocks.
    ///
    /// - Throws: ``OwnFileError``
    static func read(_ path: String) throws -> FileFacts {
        let file = try OpenFile(path)
        let hash = try file.hash(upTo: .max)
        return FileFacts(
            inode: UInt64(file.status.st_ino), size: Int64(file.status.st_size), changed: changed(file.status),
            sha256: hash.hex)
    }

    /// Whether a file begins with these bytes: its first `size` bytes have the hash. Blocks.
    func isBeginning(of path: String) throws -> Bool {
        let file = try OpenFile(path)
        guard Int64(file.status.st_size) >= size else { return false }
        let hash = try file.hash(upTo: size)
        return hash.count == size && hash.hex == sha256
    }
}

/// A regular file that is being read.
final class OpenFile {
    let descriptor: CInt
    private(set) var status = stat()

    /// - Throws: ``OwnFileError``
    init(_ path: String) throws(OwnFileError) {
        // Opening a pipe must not block.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let code = errno
            throw code == EACCES ? .notReadable : OwnFileError(errno: code)
        }
        guard fstat(descriptor, &status) == 0 else { throw .failed(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
    }

    deinit { close(descriptor) }

    /// Whether another process has the file open for writing, as far as its file system tells.
    private var isBeingWritten: Bool {
        // Swift's Glibc has no names for these (fcntl(2)). A lease ends with a signal; this one is ignored by default.
        let (setLease, setSignal): (CInt, CInt) = (1024, 10)
        _ = fcntl(descriptor, setSignal, SIGURG)
        guard fcntl(descriptor, setLease, CInt(F_RDLCK)) != 0 else {
            _ = fcntl(descriptor, setLease, CInt(F_UNLCK))
            return false
        }
        return errno == EAGAIN && !isOnNetwork
    }

    /// Servers of network file systems grant leases as they please.
    private var isOnNetwork: Bool {
        typealias Function = @convention(c) (CInt, UnsafeMutableRawPointer) -> CInt
        // Swift's Glibc does not declare it.
        guard let function = dlsym(nil, "fstatfs").map({ unsafeBitCast($0, to: Function.self) }) else { return false }
        // Larger than struct statfs, whose first member is the type, as a word.
        var status = [Int](repeating: 0, count: 64)
        guard function(descriptor, &status) == 0 else { return false }
        // NFS, SMB, SMB 2, AFS, Ceph.
        return [0x6969, 0xFF53_4D42, 0xFE53_4D42, 0x517B, 0x5346_414F, 0x00C3_6400].contains(
            UInt32(truncatingIfNeeded: status[0]))
    }

    /// Returns once no process has the file open for writing, or after a second: some keep it open without writing.
    static func waitWhileWritten(_ path: String) {
        guard let file = try? OpenFile(path) else { return }
        for _ in 0..<100 where file.isBeingWritten { usleep(10_000) }
    }

    func hash(upTo limit: Int64) throws(OwnFileError) -> (hex: String, count: Int64) {
        var hash = SHA256()
        var count: Int64 = 0
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while count < limit {
            let wanted = Int(min(Int64(buffer.count), limit - count))
            let read = pread(descriptor, &buffer, wanted, off_t(count))
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw .failed(errno) }
            guard read > 0 else { break }
            hash.update(data: buffer[..<read])
            count += Int64(read)
        }
        return (hash.finalize().hexadecimal, count)
    }
}
