import Annotations
import EngineCore
import SQLite
import SyncProtocol

extension SQLiteTransaction {
    func layer(_ key: LayerKey) throws -> ServerLayer? { key.isHidden ? nil : try find(key) }

    func hiddenLayer(_ key: LayerKey) throws -> ServerLayer? { key.isHidden ? try find(key) : nil }

    /// Finds a layer. Its head is the newest revision of its records, or the stored head if that is higher.
    private func find(_ key: LayerKey) throws -> ServerLayer? {
        try one(
            """
            SELECT layer.id, generation,
                max(head, coalesce((SELECT max(revision) FROM record WHERE record.layer = layer.id), 0)),
                horizon, document.base, document.page_count
            FROM layer JOIN document ON document.id = layer.document WHERE layer.document = ? AND layer.name = ?
            """, .text(key.document), .text(key.name)
        ) { row in
            ServerLayer(
                id: row.integer(0), key: key, generation: row.text(1), head: row.integer(2), horizon: row.integer(3),
                base: row.integer(4), pageCount: row.number(5))
        }
    }

    func layers() throws -> [LayerKey] {
        try all("SELECT document, name FROM layer WHERE substr(name, 1, 1) <> '*' ORDER BY id") {
            LayerKey(document: $0.text(0), name: $0.text(1))
        }
    }

    func hiddenLayers() throws -> [HiddenLayer] {
        try all("SELECT id, document, name FROM layer WHERE substr(name, 1, 1) = '*' ORDER BY id") {
            HiddenLayer(id: $0.integer(0), key: LayerKey(document: $0.text(1), name: $0.text(2)))
        }
    }

    func layerNames(of document: String) throws -> [String] {
        try all(
            "SELECT name FROM layer WHERE document = ? AND substr(name, 1, 1) <> '*' ORDER BY name", .text(document)
        ) { $0.text(0) }
    }

    func deletion(of key: LayerKey) throws -> Timestamp? {
        try one(
            "SELECT at FROM deleted_layer WHERE document = ? AND name = ?", .text(key.document), .text(key.name)
        ) { Timestamp(milliseconds: $0.integer(0)) }
    }

    func addLayer(_ key: LayerKey, generation: String) throws -> ServerLayer {
        try run(
            "INSERT INTO layer (document, name, generation, head, horizon) VALUES (?, ?, ?, 0, 0)",
            .text(key.document), .text(key.name), .text(generation))
        guard let layer = try find(key) else { throw StoreError.unusable(key.document, "the document was deleted") }
        return layer
    }

    func move(_ layer: ServerLayer, to key: LayerKey) throws {
        try run(
            "UPDATE layer SET document = ?, name = ? WHERE id = ?", .text(key.document), .text(key.name),
            .integer(layer.id))
    }

    func removeLayer(_ layer: ServerLayer, at moment: Timestamp) throws {
        guard !layer.key.document.isEmpty else { return }
        try move(layer, to: .removed(layer.id))
        guard !layer.key.isHidden else { return }
        try run(
            "INSERT OR REPLACE INTO deleted_layer VALUES (?, ?, ?)", .text(layer.key.document), .text(layer.key.name),
            .integer(moment.milliseconds))
    }

    func removeRows(ofLayer id: Int64, limit: Int) throws -> Int {
        let isRemoved = try one("SELECT 1 FROM layer WHERE id = ? AND document = ''", .integer(id)) { _ in true }
        guard isRemoved == true else { return 0 }
        var left = limit
        for statement in Self.removals where left > 0 {
            let removed = try statements.prepared(composed: statement)
                .rows([.integer(id), .integer(left)]) { _ in true }
            left -= removed.count
        }
        if left > 0 { try run("DELETE FROM layer WHERE id = ?", .integer(id)) }
        return limit - left
    }

    private static let removals = [
        "DELETE FROM record WHERE rowid IN (SELECT rowid FROM record WHERE layer = ? LIMIT ?) RETURNING 1",
        removal(from: "departure", by: ["revision", "id"]), removal(from: "answer", by: ["client", "n"]),
        removal(from: "client", by: ["id"]), removal(from: "upload", by: ["sha256", "user_id"]),
    ]

    /// Deletes up to the last key of the first rows: with a list of keys, SQLite would scan the whole layer for each.
    private static func removal(from table: String, by columns: [String]) -> String {
        let key = columns.joined(separator: ", ")
        let falling = columns.map { $0 + " DESC" }.joined(separator: ", ")
        return """
            DELETE FROM \(table) WHERE layer = ?1 AND (\(key)) <= (
                SELECT \(key) FROM (SELECT \(key) FROM \(table) WHERE layer = ?1 ORDER BY \(key) LIMIT ?2)
                ORDER BY \(falling) LIMIT 1)
            RETURNING 1
            """
    }

    func setHead(_ head: Revision, of layer: ServerLayer) throws {
        try run("UPDATE layer SET head = ? WHERE id = ?", .integer(head), .integer(layer.id))
    }

    func renew(_ layer: ServerLayer, generation: String) throws {
        try run("UPDATE layer SET generation = ? WHERE id = ?", .text(generation), .integer(layer.id))
        try forgetClients(of: layer)
    }

    private func forgetClients(of layer: ServerLayer) throws {
        try run("DELETE FROM client WHERE layer = ?", .integer(layer.id))
        try run("DELETE FROM answer WHERE layer = ?", .integer(layer.id))
    }

    func prune(_ layer: ServerLayer, before moment: Timestamp) throws {
        // The newest record may be among those deleted.
        if let head = try find(layer.key)?.head {
            try run("UPDATE layer SET head = ? WHERE id = ?", .integer(head), .integer(layer.id))
        }
        let (id, moment) = (SQLValue.integer(layer.id), SQLValue.integer(moment.milliseconds))
        try run(
            """
            UPDATE layer SET horizon = max(horizon,
                coalesce((SELECT max(revision) FROM record WHERE layer = ?1 AND removed_at < ?2), 0),
                coalesce((SELECT max(revision) FROM departure WHERE layer = ?1 AND at < ?2), 0))
            WHERE id = ?1
            """, id, moment)
        try run(
            """
            DELETE FROM record WHERE layer = ?1 AND removed_at < ?2
            AND NOT EXISTS (SELECT 1 FROM base_record WHERE base = ?3 AND id = record.id)
            AND NOT EXISTS (
                SELECT 1 FROM record AS comment INDEXED BY record_root
                WHERE comment.layer = ?1 AND comment.root = record.id AND comment.removed_at IS NULL)
            AND NOT EXISTS (
                SELECT 1 FROM base_record AS comment INDEXED BY base_record_root
                WHERE comment.base = ?3 AND comment.root = record.id
                AND NOT EXISTS (SELECT 1 FROM record AS own WHERE own.layer = ?1 AND own.id = comment.id))
            """, id, moment, .integer(layer.base))
        try run("DELETE FROM departure WHERE layer = ? AND at < ?", id, moment)
    }
}
