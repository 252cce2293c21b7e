/// Blobs stored under their hash, in pieces: PostgreSQL handles a value as a whole, and a PDF can be large.
///
/// Each call is a separate transaction.
package struct PostgresBlobs: Sendable {
    /// Separate namespaces.
    package enum Kind: String, Sendable {
        case pdf, attachment
    }

    private let store: PostgresStore
    private let kind: PostgresValue

    static let pieceBytes: Int64 = 256 << 10

    package init(_ store: PostgresStore, _ kind: Kind) {
        self.store = store
        self.kind = .text(kind.rawValue)
    }

    /// Stores a blob.
    ///
    /// - Parameter read: returns a number of bytes from an offset.
    package func keep(_ sha256: String, bytes: Int64, _ read: (Int64, Int) throws -> [UInt8]) throws {
        try store.transaction { connection in
            // Another server may have stored the same blob.
            let isNew = try connection.one(
                "INSERT INTO blob VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING bytes",
                [kind, .text(sha256), .integer(bytes)]
            ) { _ in true }
            guard isNew == true else { return }
            for offset in stride(from: 0, to: bytes, by: Int(Self.pieceBytes)) {
                let piece = try read(offset, Int(min(Self.pieceBytes, bytes - offset)))
                try connection.run(
                    "INSERT INTO blob_piece VALUES ($1, $2, $3, $4)",
                    [kind, .text(sha256), .integer(offset / Self.pieceBytes), .bytes(piece)])
            }
        }
    }

    package func remove(_ sha256: String) throws {
        try store.transaction { connection in
            try connection.run("DELETE FROM blob_piece WHERE kind = $1 AND sha256 = $2", [kind, .text(sha256)])
            try connection.run("DELETE FROM blob WHERE kind = $1 AND sha256 = $2", [kind, .text(sha256)])
        }
    }

    /// Returns nil if the blob does not exist.
    package func length(of sha256: String) throws -> Int64? {
        try store.transaction {
            try $0.one("SELECT bytes FROM blob WHERE kind = $1 AND sha256 = $2", [kind, .text(sha256)]) {
                $0.integer(0)
            }
        }
    }

    /// Returns the bytes from an offset to the end of its piece; empty if there are none.
    package func piece(of sha256: String, at offset: Int64) throws -> [UInt8] {
        try store.transaction {
            try $0.one(
                """
                SELECT substring(bytes FROM ($4::bigint + 1)::integer) FROM blob_piece
                WHERE kind = $1 AND sha256 = $2 AND n = $3
                """,
                [
                    kind, .text(sha256), .integer(offset / Self.pieceBytes), .integer(offset % Self.pieceBytes),
                ]
            ) { $0.bytes(0) }
        } ?? []
    }

    package func names() throws -> [String] {
        try store.transaction { connection in
            try connection.withPatience(.seconds(600)) {
                try connection.all("SELECT sha256 FROM blob WHERE kind = $1", [kind]) { $0.text(0) }
            }
        }
    }
}
