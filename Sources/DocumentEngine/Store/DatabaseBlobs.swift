import NIOCore
import Postgres

/// Blobs in the database, available to every server. They still arrive as files, which the tools need.
struct DatabaseBlobs: Blobs {
    private let uploads: UploadFolder
    private let blobs: PostgresBlobs

    init(_ blobs: PostgresBlobs, arrivingIn folder: String, space: DiskSpace) throws {
        uploads = try UploadFolder(folder, space: space)
        self.blobs = blobs
    }

    func receive() throws -> Upload { try uploads.receive() }

    func keep(_ received: Upload.CompletedFile) throws {
        let file = try FileBlob(path: received.path)
        try blobs.keep(received.sha256, bytes: received.bytes) { offset, count in
            let piece = try file.read(at: offset, count)
            guard piece.readableBytes == count else {
                throw StoreError.unusable("an upload", "it is shorter than before")
            }
            return Array(piece.readableBytesView)
        }
    }

    func remove(_ sha256: String) throws { try blobs.remove(sha256) }

    func open(_ sha256: String) throws -> any Blob {
        guard let length = try blobs.length(of: sha256) else { throw StoreError.unusable("a file", "it was deleted") }
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
        guard !piece.isEmpty else { throw StoreError.unusable("a file", "it was deleted") }
        return ByteBuffer(bytes: piece.prefix(count))
    }
}
