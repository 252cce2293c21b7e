import Crypto
import FoundationEssentials
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Files by their SHA-256, never changed once they have their names: PDFs in one folder, attachments in another.
struct Blobs: Sendable {
    let folder: String
    private let suffix: String

    /// - Parameter suffix: behind the hash in each file's name.
    /// - Throws: ``StoreError`` when the folder cannot be used.
    init(folder: String, suffix: String) throws {
        self.folder = folder
        self.suffix = suffix
        try PrivateFiles.make(folder: folder)
        // What an upload left behind when the program was killed.
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasPrefix("upload-") {
            unlink("\(folder)/\(name)")
        }
    }

    func path(_ sha256: String) -> String { "\(folder)/\(sha256)\(suffix)" }

    func remove(_ sha256: String) { unlink(path(sha256)) }

    /// A file being received.
    func receive() throws -> Upload { try Upload(folder: folder) }

    /// Gives a received file its name and makes that durable. Done where documents are written, and so is `remove`:
    /// then none is removed between its arrival and the row that names it.
    func keep(_ received: Upload.Received) throws {
        guard rename(received.path, path(received.sha256)) == 0 else {
            throw StoreError.folder(folder, String(cString: strerror(errno)))
        }
        try PrivateFiles.sync(folder: folder)
    }
}

/// Bytes on their way into the store: hashed while they are written, gone again unless they are kept.
final class Upload {
    let path: String
    private(set) var bytes: Int64 = 0
    private var hash = SHA256()
    private let descriptor: CInt

    fileprivate init(folder: String) throws {
        path = "\(folder)/upload-\(UUID().uuidString)"
        descriptor = PrivateFiles.create(file: path)
        guard descriptor >= 0 else { throw StoreError.folder(folder, String(cString: strerror(errno))) }
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    func write(_ buffer: ByteBuffer) throws {
        try buffer.withUnsafeReadableBytes { bytes in
            hash.update(bufferPointer: bytes)
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                guard count > 0 || errno == EINTR else {
                    throw StoreError.folder("the store", String(cString: strerror(errno)))
                }
                if count > 0 { rest = rest.dropFirst(count) }
            }
        }
        bytes += Int64(buffer.readableBytes)
    }

    /// A file that is complete and on disk.
    struct Received: Hashable, Sendable {
        var path: String
        var bytes: Int64
        /// Lower-case hex.
        var sha256: String
    }

    func finish() throws -> Received {
        guard fsync(descriptor) == 0 else { throw StoreError.folder("the store", String(cString: strerror(errno))) }
        let digits = Array("0123456789abcdef".utf8)
        let text = hash.finalize().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return Received(path: path, bytes: bytes, sha256: String(decoding: text, as: UTF8.self))
    }
}
