/// Bytes under their hash, cut into pieces: a value of PostgreSQL is handled whole, and a PDF may be large.
///
/// Each call is a transaction of its own.
package struct PostgresBlobs: Sendable {
    /// What is kept apart: the one kind knows nothing of the other.
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

    /// - Parameter read: so many bytes from an offset on.
    package func keep(_ sha256: String, bytes: Int64, _ read: (Int64, Int) throws -> [UInt8]) throws {
        try store.transaction { connection in
            // Somebody else may have kept the same: then there is nothing to do.
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

    /// nil: it is not there.
    package func length(of sha256: String) throws -> Int64? {
        try store.transaction {
            try $0.one("SELECT bytes FROM blob WHERE kind = $1 AND sha256 = $2", [kind, .text(sha256)]) {
                $0.integer(0)
            }
        }
    }

    /// What lies from an offset to the end of its piece; empty: it is not there.
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
        try store.transaction { try $0.all("SELECT sha256 FROM blob WHERE kind = $1", [kind]) { $0.text(0) } }
    }
}
