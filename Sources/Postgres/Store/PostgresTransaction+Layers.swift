import Annotations
import EngineCore
import SyncProtocol

extension PostgresTransaction {
    func layer(_ key: LayerKey) throws -> StoredLayer? {
        try lock(key)
        return try one(
            """
            SELECT layer.id, generation, head, horizon, document.base, document.page_count
            FROM layer JOIN document ON document.id = layer.document WHERE layer.document = $1 AND layer.name = $2
            """, [.text(key.document), .text(key.name)]
        ) { row in
            StoredLayer(
                id: row.integer(0), key: key, generation: row.text(1), head: row.integer(2), horizon: row.integer(3),
                base: row.integer(4), pageCount: Int(row.integer(5)))
        }
    }

    func layers() throws -> [LayerKey] {
        try all("SELECT document, name FROM layer ORDER BY id", []) { LayerKey(document: $0.text(0), name: $0.text(1)) }
    }

    func layerNames(of document: String) throws -> [String] {
        try all("SELECT name FROM layer WHERE document = $1 ORDER BY name", [.text(document)]) { $0.text(0) }
    }

    func deletion(of key: LayerKey) throws -> Timestamp? {
        try one(
            "SELECT at FROM deleted_layer WHERE document = $1 AND name = $2", [.text(key.document), .text(key.name)]
        ) { Timestamp(milliseconds: $0.integer(0)) }
    }

    func addLayer(_ key: LayerKey, generation: String) throws -> StoredLayer {
        try lock(key)
        try run(
            "INSERT INTO layer (document, name, generation, head, horizon) VALUES ($1, $2, $3, 0, 0)",
            [.text(key.document), .text(key.name), .text(generation)])
        guard let layer = try layer(key) else { throw Refusal(.documentNotFound, "the document is gone") }
        return layer
    }

    func removeLayer(_ layer: StoredLayer, at moment: Timestamp) throws {
        try lock(layer.key)
        for table in ["record", "departure", "client", "answer"] {
            try run("DELETE FROM \(table) WHERE layer = $1", [.integer(layer.id)])
        }
        try run("DELETE FROM layer WHERE id = $1", [.integer(layer.id)])
        try run(
            """
            INSERT INTO deleted_layer VALUES ($1, $2, $3) ON CONFLICT (document, name) DO UPDATE SET at = excluded.at
            """, [.text(layer.key.document), .text(layer.key.name), .integer(moment.milliseconds)])
    }

    func setHead(_ head: Revision, of layer: StoredLayer) throws {
        try run("UPDATE layer SET head = $1 WHERE id = $2", [.integer(head), .integer(layer.id)])
    }

    func renew(_ layer: StoredLayer, generation: String) throws {
        try lock(layer.key)
        try run("UPDATE layer SET generation = $1 WHERE id = $2", [.text(generation), .integer(layer.id)])
        for table in ["client", "answer"] { try run("DELETE FROM \(table) WHERE layer = $1", [.integer(layer.id)]) }
    }

    func prune(_ layer: StoredLayer, before moment: Timestamp) throws {
        let (id, moment) = (PostgresValue.integer(layer.id), PostgresValue.integer(moment.milliseconds))
        try run(
            """
            UPDATE layer SET horizon = greatest(horizon,
                (SELECT max(revision) FROM record WHERE layer = $1 AND removed_at < $2),
                (SELECT max(revision) FROM departure WHERE layer = $1 AND at < $2))
            WHERE id = $1
            """, [id, moment])
        try run(
            """
            DELETE FROM record WHERE layer = $1 AND removed_at < $2
            AND NOT EXISTS (SELECT 1 FROM base_record WHERE base = $3 AND base_record.id = record.id)
            """, [id, moment, .integer(layer.base)])
        try run("DELETE FROM departure WHERE layer = $1 AND at < $2", [id, moment])
    }
}
