import Annotations
import EngineCore
import GRDB
import SyncProtocol

extension SQLiteTransaction {
    func layer(_ key: LayerKey) throws -> StoredLayer? {
        try one(
            """
            SELECT layer.*, document.base, document.page_count FROM layer JOIN document ON document.id = layer.document
            WHERE layer.document = ? AND layer.name = ?
            """, [key.document, key.name]
        ) { row in
            StoredLayer(
                id: row["id"], key: key, generation: row["generation"], head: row["head"], horizon: row["horizon"],
                base: row["base"], pageCount: row["page_count"])
        }
    }

    func layers() throws -> [LayerKey] {
        try all("SELECT document, name FROM layer ORDER BY id", []) { LayerKey(document: $0[0], name: $0[1]) }
    }

    func layerNames(of document: String) throws -> [String] {
        try all("SELECT name FROM layer WHERE document = ? ORDER BY name", [document]) { $0[0] }
    }

    func deletion(of key: LayerKey) throws -> Timestamp? {
        try one("SELECT at FROM deleted_layer WHERE document = ? AND name = ?", [key.document, key.name]) {
            Timestamp(milliseconds: $0[0])
        }
    }

    func addLayer(_ key: LayerKey, generation: String) throws -> StoredLayer {
        try run(
            "INSERT INTO layer (document, name, generation, head, horizon) VALUES (?, ?, ?, 0, 0)",
            [key.document, key.name, generation])
        guard let layer = try layer(key) else { throw StoreError.unusable(key.document, "the document is gone") }
        return layer
    }

    func removeLayer(_ layer: StoredLayer, at moment: Timestamp) throws {
        for table in ["record", "departure", "client", "answer"] {
            try run("DELETE FROM \(table) WHERE layer = ?", [layer.id])
        }
        try run("DELETE FROM layer WHERE id = ?", [layer.id])
        try run(
            "INSERT OR REPLACE INTO deleted_layer VALUES (?, ?, ?)",
            [layer.key.document, layer.key.name, moment.milliseconds])
    }

    func setHead(_ head: Revision, of layer: StoredLayer) throws {
        try run("UPDATE layer SET head = ? WHERE id = ?", [head, layer.id])
    }

    func renew(_ layer: StoredLayer, generation: String) throws {
        try run("UPDATE layer SET generation = ? WHERE id = ?", [generation, layer.id])
        for table in ["client", "answer"] { try run("DELETE FROM \(table) WHERE layer = ?", [layer.id]) }
    }

    func prune(_ layer: StoredLayer, before moment: Timestamp) throws {
        try run(
            """
            UPDATE layer SET horizon = max(horizon,
                coalesce((SELECT max(revision) FROM record WHERE layer = ?1 AND removed_at < ?2), 0),
                coalesce((SELECT max(revision) FROM departure WHERE layer = ?1 AND at < ?2), 0))
            WHERE id = ?1
            """, [layer.id, moment.milliseconds])
        try run(
            """
            DELETE FROM record WHERE layer = ?1 AND removed_at < ?2
            AND NOT EXISTS (SELECT 1 FROM base_record WHERE base = ?3 AND id = record.id)
            """, [layer.id, moment.milliseconds, layer.base])
        try run("DELETE FROM departure WHERE layer = ? AND at < ?", [layer.id, moment.milliseconds])
    }

    // MARK: Clients and tokens

    func client(_ id: String, in layer: StoredLayer) throws -> StoredClient? {
        try one("SELECT * FROM client WHERE layer = ? AND id = ?", [layer.id, id]) {
            StoredClient(id: $0["id"], userID: $0["user_id"], lastN: $0["last_n"], acked: $0["acked"])
        }
    }

    func answer(_ n: Int64, to client: String, in layer: StoredLayer) throws -> StoredAnswer? {
        try one("SELECT * FROM answer WHERE layer = ? AND client = ? AND n = ?", [layer.id, client, n]) { row in
            guard let status = ChangeResult.Status(rawValue: row["status"]) else {
                throw StoreError.unusable("an answer", "unknown status")
            }
            return StoredAnswer(
                n: row["n"], bodyHash: row["hash"], recordID: row["record"], status: status,
                revision: row["revision"], reason: row["reason"])
        }
    }

    func put(_ client: StoredClient, in layer: StoredLayer) throws {
        try run(
            "INSERT OR REPLACE INTO client VALUES (?, ?, ?, ?, ?)",
            [layer.id, client.id, client.userID, client.lastN, client.acked])
    }

    func put(_ answer: StoredAnswer, to client: String, in layer: StoredLayer) throws {
        try run(
            "INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                layer.id, client, answer.n, answer.bodyHash, answer.recordID, answer.status.rawValue, answer.revision,
                answer.reason,
            ])
    }

    func removeAnswers(upTo n: Int64, to client: String, in layer: StoredLayer) throws {
        try run("DELETE FROM answer WHERE layer = ? AND client = ? AND n <= ?", [layer.id, client, n])
    }

    func isRevoked(tokenID: String) throws -> Bool {
        try one("SELECT 1 FROM revoked WHERE jti = ?", [tokenID]) { _ in true } ?? false
    }

    func revoke(tokenID: String, until expiry: Timestamp) throws {
        try run(
            """
            INSERT INTO revoked VALUES (?, ?)
            ON CONFLICT (jti) DO UPDATE SET expires_at = max(expires_at, excluded.expires_at)
            """, [tokenID, expiry.milliseconds])
    }

    func removeRevocations(before moment: Timestamp) throws {
        try run("DELETE FROM revoked WHERE expires_at < ?", [moment.milliseconds])
    }
}
