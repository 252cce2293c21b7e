import NIOCore
import Postgres

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Blobs in the database, where every server finds them. They still arrive as files, which is what the tools read.
struct DatabaseBlobs: Blobs {
    private let uploads: UploadFolder
    private let blobs: PostgresBlobs

    init(_ blobs: PostgresBlobs, arrivingIn folder: String) throws {
        uploads = try UploadFolder(folder)
        self.blobs = blobs
    }

    func receive() throws -> Upload { try uploads.receive() }

    func keep(_ received: Upload.Received) throws {
        let descriptor = Glibc.open(received.path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw StoreError.unusable("an upload", String(cString: strerror(errno))) }
        defer { close(descriptor) }
        try blobs.keep(received.sha256, bytes: received.bytes) { offset, count in
            let piece = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                filled = max(0, pread(descriptor, buffer.baseAddress, count, off_t(offset)))
            }
            guard piece.count == count else { throw StoreError.unusable("an upload", "it is shorter than it was") }
            return piece
        }
    }

    func remove(_ sha256: String) throws { try blobs.remove(sha256) }

    func open(_ sha256: String) throws -> any Blob {
        guard let length = try blobs.length(of: sha256) else { throw StoreError.unusable("a file", "it is gone") }
        return DatabaseBlob(blobs: blobs, sha256: sha256, length: length)
    }

    func path(of sha256: String) -> String? { nil }

    func names() throws -> [String] { try blobs.names() }
}

private struct DatabaseBlob: Blob {
    let blobs: PostgresBlobs
    let sha256: String
    let length: Int64

    func read(at offset: Int64, _ count: Int) throws -> ByteBuffer {
        let piece = try blobs.piece(of: sha256, at: offset)
        guard !piece.isEmpty else { throw StoreError.unusable("a file", "it is gone") }
        return ByteBuffer(bytes: piece.prefix(count))
    }
}
