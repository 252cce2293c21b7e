import Annotations
import EngineCore
import SQLite
import SyncProtocol

/// Clients of a layer, their stored answers, and revoked tokens.
extension SQLiteTransaction {
    /// Returns the client's state. Answers are written in any case, so the client's row is only written if they do not
    /// imply the same state.
    func client(_ id: String, in layer: ServerLayer) throws -> StoredClient? {
        let row = try one(
            "SELECT user_id, last_n, acked FROM client WHERE layer = ? AND id = ?", .integer(layer.id), .text(id)
        ) {
            StoredClient(id: id, userID: $0.optionalText(0), lastN: $0.integer(1), acked: $0.integer(2))
        }
        guard var client = row else { return nil }
        // The stored answers have consecutive numbers.
        let answers = try one(
            "SELECT min(n), max(n) FROM answer WHERE layer = ? AND client = ?", .integer(layer.id), .text(id)
        ) { row in (first: row.optionalInteger(0), last: row.optionalInteger(1)) }
        if let first = answers?.first, let last = answers?.last {
            client.lastN = max(client.lastN, last)
            client.acked = max(client.acked, first - 1)
        }
        return client
    }

    func answer(_ n: Int64, to client: String, in layer: ServerLayer) throws -> StoredAnswer? {
        try one(
            "SELECT hash, record, status, revision, reason FROM answer WHERE layer = ? AND client = ? AND n = ?",
            .integer(layer.id), .text(client), .integer(n)
        ) { row in
            guard let status = ChangeResult.Status(rawValue: row.text(2)) else {
                throw StoreError.unusable("an answer", "unknown status")
            }
            return StoredAnswer(
                n: n, bodyHash: row.text(0), recordID: row.text(1), status: status,
                revision: row.optionalInteger(3), reason: row.optionalText(4))
        }
    }

    func put(_ client: StoredClient, in layer: ServerLayer) throws {
        guard try self.client(client.id, in: layer) != client else { return }
        try run(
            "INSERT OR REPLACE INTO client VALUES (?, ?, ?, ?, ?)", .integer(layer.id), .text(client.id),
            .text(client.userID), .integer(client.lastN), .integer(client.acked))
    }

    func put(_ answer: StoredAnswer, to client: String, in layer: ServerLayer) throws {
        try run(
            "INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?, ?, ?, ?, ?)", .integer(layer.id), .text(client),
            .integer(answer.n), .text(answer.bodyHash), .text(answer.recordID), .text(answer.status.rawValue),
            .integer(answer.revision), .text(answer.reason))
    }

    func removeAnswers(upTo n: Int64, to client: String, in layer: ServerLayer) throws {
        try run(
            "DELETE FROM answer WHERE layer = ? AND client = ? AND n <= ?", .integer(layer.id), .text(client),
            .integer(n))
    }

    func isRevoked(tokenID: String) throws -> Bool {
        try one("SELECT 1 FROM revoked WHERE jti = ?", .text(tokenID)) { _ in true } ?? false
    }

    func revoke(tokenID: String, until expiry: Timestamp) throws {
        try run(
            """
            INSERT INTO revoked VALUES (?, ?)
            ON CONFLICT (jti) DO UPDATE SET expires_at = max(expires_at, excluded.expires_at)
            """, .text(tokenID), .integer(expiry.milliseconds))
    }

    func removeRevocations(before moment: Timestamp) throws {
        try run("DELETE FROM revoked WHERE expires_at < ?", .integer(moment.milliseconds))
    }
}
