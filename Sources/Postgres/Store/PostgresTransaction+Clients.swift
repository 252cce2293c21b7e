import Annotations
import EngineCore
import SyncProtocol

extension PostgresTransaction {
    func client(_ id: String, in layer: ServerLayer) throws -> StoredClient? {
        try one(
            "SELECT user_id, last_n, acked FROM client WHERE layer = $1 AND id = $2", [.integer(layer.id), .text(id)]
        ) { StoredClient(id: id, userID: $0.optionalText(0), lastN: $0.integer(1), acked: $0.integer(2)) }
    }

    func answer(_ n: Int64, to client: String, in layer: ServerLayer) throws -> StoredAnswer? {
        try one(
            "SELECT hash, record, status, revision, reason FROM answer WHERE layer = $1 AND client = $2 AND n = $3",
            [.integer(layer.id), .text(client), .integer(n)]
        ) { row in
            guard let status = ChangeResult.Status(rawValue: row.text(2)) else {
                throw PostgresError("an answer with an unknown status")
            }
            return StoredAnswer(
                n: n, bodyHash: row.text(0), recordID: row.text(1), status: status, revision: row.optionalInteger(3),
                reason: row.optionalText(4))
        }
    }

    func put(_ client: StoredClient, in layer: ServerLayer) throws {
        try run(
            """
            INSERT INTO client VALUES ($1, $2, $3, $4, $5) ON CONFLICT (layer, id) DO UPDATE
            SET user_id = excluded.user_id, last_n = excluded.last_n, acked = excluded.acked
            """,
            [
                .integer(layer.id), .text(client.id), PostgresValue(client.userID), .integer(client.lastN),
                .integer(client.acked),
            ])
    }

    func put(_ answer: StoredAnswer, to client: String, in layer: ServerLayer) throws {
        try run(
            """
            INSERT INTO answer VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (layer, client, n) DO UPDATE
            SET hash = excluded.hash, record = excluded.record, status = excluded.status,
                revision = excluded.revision, reason = excluded.reason
            """,
            [
                .integer(layer.id), .text(client), .integer(answer.n), .text(answer.bodyHash), .text(answer.recordID),
                .text(answer.status.rawValue), PostgresValue(answer.revision), PostgresValue(answer.reason),
            ])
    }

    func removeAnswers(upTo n: Int64, to client: String, in layer: ServerLayer) throws {
        try run(
            "DELETE FROM answer WHERE layer = $1 AND client = $2 AND n <= $3",
            [.integer(layer.id), .text(client), .integer(n)])
    }

    // MARK: Tokens

    func isRevoked(tokenID: String) throws -> Bool {
        try one("SELECT 1 FROM revoked WHERE jti = $1", [.text(tokenID)]) { _ in true } ?? false
    }

    func revoked(among tokenIDs: [String]) throws -> [String] {
        let storable = tokenIDs.filter { !$0.utf8.contains(0) }
        return try all("SELECT jti FROM revoked WHERE jti = ANY($1)", [.texts(storable)]) { $0.text(0) }
    }

    func revoke(tokenID: String, until expiry: Timestamp) throws {
        try run(
            """
            INSERT INTO revoked VALUES ($1, $2)
            ON CONFLICT (jti) DO UPDATE SET expires_at = greatest(revoked.expires_at, excluded.expires_at)
            """, [.text(tokenID), .integer(expiry.milliseconds)])
    }

    func removeRevocations(before moment: Timestamp) throws {
        try run("DELETE FROM revoked WHERE expires_at < $1", [.integer(moment.milliseconds)])
    }
}
