import Annotations
import EngineCore
import SQLite
import SyncProtocol

/// Who writes to a layer, what they were answered, and which tokens do not count any more.
extension SQLiteTransaction {
    func client(_ id: String, in layer: StoredLayer) throws -> StoredClient? { try rows(of: id, in: layer).client }

    private func rows(of id: String, in layer: StoredLayer) throws -> ClientRows {
        if let known = memory?.client(id, in: layer) { return known }
        let row = try one(
            "SELECT user_id, last_n, acked FROM client WHERE layer = ? AND id = ?", .integer(layer.id), .text(id)
        ) {
            StoredClient(id: id, userID: $0.optionalText(0), lastN: $0.integer(1), acked: $0.integer(2))
        }
        let answers: ClosedRange<Int64>?? = try one(
            "SELECT min(n), max(n) FROM answer WHERE layer = ? AND client = ?", .integer(layer.id), .text(id)
        ) { row in
            row.optionalInteger(0).map { $0...row.integer(1) }
        }
        let rows = ClientRows(row: row, answers: answers ?? nil)
        memory?.note(rows, id, in: layer)
        return rows
    }

    func answer(_ n: Int64, to client: String, in layer: StoredLayer) throws -> StoredAnswer? {
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

    func put(_ client: StoredClient, in layer: StoredLayer) throws {
        guard try rows(of: client.id, in: layer).client != client else { return }
        try run(
            "INSERT OR REPLACE INTO client VALUES (?, ?, ?, ?, ?)", .integer(layer.id), .text(client.id),
            .text(client.userID), .integer(client.lastN), .integer(client.acked))
        memory?.change(client.id, in: layer) { $0.row = client }
    }

    func put(_ answer: StoredAnswer, to client: String, in layer: StoredLayer) throws {
        try run(
            "INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?, ?, ?, ?, ?)", .integer(layer.id), .text(client),
            .integer(answer.n), .text(answer.bodyHash), .text(answer.recordID), .text(answer.status.rawValue),
            .integer(answer.revision), .text(answer.reason))
        memory?.change(client, in: layer) { $0.add(answer: answer.n) }
    }

    func removeAnswers(upTo n: Int64, to client: String, in layer: StoredLayer) throws {
        try run(
            "DELETE FROM answer WHERE layer = ? AND client = ? AND n <= ?", .integer(layer.id), .text(client),
            .integer(n))
        memory?.change(client, in: layer) { $0.removeAnswers(upTo: n) }
    }

    func isRevoked(tokenID: String) throws -> Bool {
        if memory?.isGood(tokenID: tokenID) == true { return false }
        let isRevoked = try one("SELECT 1 FROM revoked WHERE jti = ?", .text(tokenID)) { _ in true } ?? false
        if !isRevoked { memory?.noteGood(tokenID: tokenID) }
        return isRevoked
    }

    func revoke(tokenID: String, until expiry: Timestamp) throws {
        memory?.forget()
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
