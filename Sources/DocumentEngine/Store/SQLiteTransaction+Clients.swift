import Annotations
import EngineCore
import SQLite
import SyncProtocol

/// Clients of a layer, their stored answers, and revoked tokens.
extension SQLiteTransaction {
    /// Returns the client's state. Answers are written in any case, so the client's row is only written if they do not
    /// imply the same state.
    func client(_ id: String, in layer: ServerLayer) throws -> StoredClient? {
        let row = try first(
            .client, "SELECT \(StoredTable.client.all) FROM client WHERE layer = ? AND id = ?", .integer(layer.id),
            .text(id)
        ) {
            StoredClient(id: id, userID: $0.optionalText(2), lastN: $0.integer(3), acked: $0.integer(4))
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
        try first(
            .answer, "SELECT \(StoredTable.answer.all) FROM answer WHERE layer = ? AND client = ? AND n = ?",
            .integer(layer.id), .text(client), .integer(n)
        ) { row in
            guard let status = ChangeResult.Status(rawValue: row.text(5)) else {
                throw StoreError.unusable("an answer", "unknown status")
            }
            return StoredAnswer(
                n: n, bodyHash: row.text(3), recordID: row.text(4), status: status,
                revision: row.optionalInteger(6), reason: row.optionalText(7))
        }
    }

    func put(_ client: StoredClient, in layer: ServerLayer) throws {
        guard try self.client(client.id, in: layer) != client else { return }
        try put(
            .client, .integer(layer.id), .text(client.id), .text(client.userID), .integer(client.lastN),
            .integer(client.acked))
    }

    func put(_ answer: StoredAnswer, to client: String, in layer: ServerLayer) throws {
        try put(
            .answer, .integer(layer.id), .text(client), .integer(answer.n), .text(answer.bodyHash),
            .text(answer.recordID), .text(answer.status.rawValue), .integer(answer.revision), .text(answer.reason))
    }

    func removeAnswers(upTo n: Int64, to client: String, in layer: ServerLayer) throws {
        try run(
            "DELETE FROM answer WHERE layer = ? AND client = ? AND n <= ?", .integer(layer.id), .text(client),
            .integer(n))
    }

    /// A damaged row revokes its token too.
    func isRevoked(tokenID: String) throws -> Bool { try revocation(of: tokenID) != nil }

    private func revocation(of tokenID: String) throws -> (expiry: Timestamp, isIntact: Bool)? {
        let sql = "SELECT \(StoredTable.revoked.all) FROM revoked WHERE jti = ?"
        return try statements.prepared(composed: sql).first([.text(tokenID)]) { row in
            (expiry: Timestamp(milliseconds: row.integer(1)), isIntact: isIntact(row, .revoked))
        }
    }

    func revoke(tokenID: String, until expiry: Timestamp) throws {
        if let earlier = try revocation(of: tokenID), earlier.isIntact, earlier.expiry >= expiry { return }
        try put(.revoked, .text(tokenID), .integer(expiry.milliseconds))
    }

    func removeRevocations(before moment: Timestamp) throws {
        // A damaged row stays, because it may expire later than it says.
        let expired = try intact(
            .revoked, "SELECT \(StoredTable.revoked.all) FROM revoked WHERE expires_at < ?",
            .integer(moment.milliseconds)
        ) { $0.text(0) }
        for tokenID in expired { try run("DELETE FROM revoked WHERE jti = ?", .text(tokenID)) }
    }
}
