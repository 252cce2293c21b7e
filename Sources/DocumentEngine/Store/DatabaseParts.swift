import Annotations
import EngineCore
import NIOCore
import Postgres

/// Parts in the database: the next request of an upload may reach another server.
struct DatabaseParts: UploadParts {
    private let parts: PostgresUploads
    private let blobs: any Blobs

    /// - Parameter blobs: where whole files arrive.
    init(_ parts: PostgresUploads, arrivingIn blobs: any Blobs) { (self.parts, self.blobs) = (parts, blobs) }

    func length(of key: UploadKey) throws -> Int64 { try parts.length(of: Self.stored(key)) }

    func add(
        _ part: Upload.Part, at offset: Int64, to key: UploadKey, at moment: Timestamp, replacesMore: Bool
    ) throws -> Bool {
        let source = try FileBlob(path: part.file.path)
        return try parts.add(
            bytes: source.length, at: offset, to: Self.stored(key), at: moment, replacesMore: replacesMore,
            keeping: Self.most
        ) { try Array(source.read(at: $0, $1).readableBytesView) }
    }

    func take(_ key: UploadKey) throws -> Upload.CompletedFile? {
        let key = Self.stored(key)
        let upload = try blobs.receive()
        while true {
            let piece = try parts.piece(of: key, at: upload.bytes)
            guard !piece.isEmpty else { break }
            try upload.write(ByteBuffer(bytes: piece))
        }
        let whole = upload.bytes > 0 ? try upload.finish() : nil
        try parts.remove(key)
        return whole
    }

    func remove(_ key: UploadKey) throws { try parts.remove(Self.stored(key)) }

    func removeAll(before moment: Timestamp) throws { try parts.removeAll(before: moment) }

    private static func stored(_ key: UploadKey) -> PostgresUploads.Key {
        PostgresUploads.Key(layer: key.layer, user: key.user ?? "", file: key.file.hex)
    }
}
