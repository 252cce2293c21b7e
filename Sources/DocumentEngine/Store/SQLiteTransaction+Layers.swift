import Annotations
import EngineCore
import SQLite
import SyncProtocol

extension SQLiteTransaction {
    /// A head is also written down, for a layer that no record stands for any more.
    func layer(_ key: LayerKey) throws -> StoredLayer? {
        if let known = memory?.layer(key) { return known.stored }
        let found = try one(
            """
            SELECT layer.id, generation,
                max(head, coalesce((SELECT max(revision) FROM record WHERE record.layer = layer.id), 0)),
                horizon, document.base, document.page_count,
                NOT EXISTS (SELECT 1 FROM base_record WHERE base_record.base = document.base)
            FROM layer JOIN document ON document.id = layer.document WHERE layer.document = ? AND layer.name = ?
            """, .text(key.document), .text(key.name)
        ) { row in
            let layer = StoredLayer(
                id: row.integer(0), key: key, generation: row.text(1), head: row.integer(2), horizon: row.integer(3),
                base: row.integer(4), pageCount: row.number(5))
            return WriterMemory.Layer(stored: layer, isBaseEmpty: row.flag(6))
        }
        if let found { memory?.note(found) }
        return found?.stored
    }

    func layers() throws -> [LayerKey] {
        try all("SELECT document, name FROM layer ORDER BY id") { LayerKey(document: $0.text(0), name: $0.text(1)) }
    }

    func layerNames(of document: String) throws -> [String] {
        try all("SELECT name FROM layer WHERE document = ? ORDER BY name", .text(document)) { $0.text(0) }
    }

    func deletion(of key: LayerKey) throws -> Timestamp? {
        try one(
            "SELECT at FROM deleted_layer WHERE document = ? AND name = ?", .text(key.document), .text(key.name)
        ) { Timestamp(milliseconds: $0.integer(0)) }
    }

    func addLayer(_ key: LayerKey, generation: String) throws -> StoredLayer {
        try run(
            "INSERT INTO layer (document, name, generation, head, horizon) VALUES (?, ?, ?, 0, 0)",
            .text(key.document), .text(key.name), .text(generation))
        guard let layer = try layer(key) else { throw StoreError.unusable(key.document, "the document is gone") }
        return layer
    }

    func removeLayer(_ layer: StoredLayer, at moment: Timestamp) throws {
        defer { memory?.forget() }
        try run("DELETE FROM record WHERE layer = ?", .integer(layer.id))
        try run("DELETE FROM departure WHERE layer = ?", .integer(layer.id))
        try forgetClients(of: layer)
        try run("DELETE FROM layer WHERE id = ?", .integer(layer.id))
        try run(
            "INSERT OR REPLACE INTO deleted_layer VALUES (?, ?, ?)", .text(layer.key.document), .text(layer.key.name),
            .integer(moment.milliseconds))
    }

    func setHead(_ head: Revision, of layer: StoredLayer) throws {
        if memory?.finds(head: head, of: layer) == true { return }
        defer { memory?.forget() }
        try run("UPDATE layer SET head = ? WHERE id = ?", .integer(head), .integer(layer.id))
    }

    func renew(_ layer: StoredLayer, generation: String) throws {
        defer { memory?.forget() }
        try run("UPDATE layer SET generation = ? WHERE id = ?", .text(generation), .integer(layer.id))
        try forgetClients(of: layer)
    }

    private func forgetClients(of layer: StoredLayer) throws {
        try run("DELETE FROM client WHERE layer = ?", .integer(layer.id))
        try run("DELETE FROM answer WHERE layer = ?", .integer(layer.id))
    }

    func prune(_ layer: StoredLayer, before moment: Timestamp) throws {
        defer { memory?.forget() }
        // The newest of its records may be among those that go.
        if let head = try self.layer(layer.key)?.head {
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
            """, id, moment, .integer(layer.base))
        try run("DELETE FROM departure WHERE layer = ? AND at < ?", id, moment)
    }
}
