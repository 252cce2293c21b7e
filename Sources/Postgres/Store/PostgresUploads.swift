package import Annotations

/// The beginnings of uploads that were cut off, in pieces.
///
/// Each call is a separate transaction.
package struct PostgresUploads: Sendable {
    package struct Key: Sendable {
        let layer: Int64
        let user: String
        let file: String

        /// - Parameters:
        ///   - user: Empty for the anonymous user.
        ///   - file: The SHA-256 of the whole file in hex.
        package init(layer: Int64, user: String, file: String) {
            (self.layer, self.user, self.file) = (layer, user, file)
        }

        fileprivate var values: [PostgresValue] { [.integer(layer), .text(user), .text(file)] }
    }

    private static let isKey = "layer = $1 AND user_id = $2 AND sha256 = $3"
    private let store: PostgresStore

    package init(_ store: PostgresStore) { self.store = store }

    /// 0 if nothing is stored.
    package func length(of key: Key) throws -> Int64 {
        try store.transaction {
            try $0.one("SELECT bytes FROM upload_part WHERE \(Self.isKey)", key.values) { $0.integer(0) }
        } ?? 0
    }

    /// Adds bytes to those stored, or replaces them if `offset` is 0.
    ///
    /// - Parameters:
    ///   - replacesMore: Whether they also replace more bytes than they are.
    ///   - count: How many parts of this user in this layer stay; the oldest go.
    ///   - read: Returns a number of bytes from an offset.
    /// - Returns: false if another number of bytes is stored.
    package func add(
        bytes: Int64, at offset: Int64, to key: Key, at moment: Timestamp, replacesMore: Bool, keeping count: Int,
        _ read: (Int64, Int) throws -> [UInt8]
    ) throws -> Bool {
        try store.transaction { connection in
            if offset == 0 {
                // Waits for another server that adds to the same part.
                let stored = try connection.one(
                    """
                    INSERT INTO upload_part VALUES ($1, $2, $3, 0, 0) ON CONFLICT (layer, user_id, sha256)
                    DO UPDATE SET at = upload_part.at RETURNING bytes
                    """, key.values
                ) { $0.integer(0) }
                guard replacesMore || stored ?? 0 < bytes else { return false }
                try connection.run("DELETE FROM upload_piece WHERE \(Self.isKey)", key.values)
            } else {
                let stored = try connection.one(
                    "SELECT bytes FROM upload_part WHERE \(Self.isKey) FOR UPDATE", key.values
                ) { $0.integer(0) }
                guard stored == offset else { return false }
            }
            var done: Int64 = 0
            while done < bytes {
                let piece = try read(done, Int(min(PostgresBlobs.pieceBytes, bytes - done)))
                try connection.run(
                    "INSERT INTO upload_piece VALUES ($1, $2, $3, $4, $5)",
                    key.values + [.integer(offset + done), .bytes(piece)])
                done += Int64(piece.count)
            }
            try connection.run(
                "UPDATE upload_part SET bytes = $4, at = $5 WHERE \(Self.isKey)",
                key.values + [.integer(offset + bytes), .integer(moment.milliseconds)])
            try connection.run(
                """
                DELETE FROM upload_part WHERE layer = $1 AND user_id = $2 AND sha256 NOT IN (
                    SELECT sha256 FROM upload_part WHERE layer = $1 AND user_id = $2 ORDER BY at DESC LIMIT $3)
                """, [.integer(key.layer), .text(key.user), .integer(Int64(count))])
            return true
        }
    }

    /// Returns the piece that begins at an offset; empty if there is none.
    package func piece(of key: Key, at offset: Int64) throws -> [UInt8] {
        try store.transaction {
            try $0.one(
                "SELECT bytes FROM upload_piece WHERE \(Self.isKey) AND start = $4", key.values + [.integer(offset)]
            ) { $0.bytes(0) }
        } ?? []
    }

    package func remove(_ key: Key) throws {
        try store.transaction { try $0.run("DELETE FROM upload_part WHERE \(Self.isKey)", key.values) }
    }

    package func removeAll(before moment: Timestamp) throws {
        try store.transaction {
            try $0.run("DELETE FROM upload_part WHERE at < $1", [.integer(moment.milliseconds)])
        }
    }
}
