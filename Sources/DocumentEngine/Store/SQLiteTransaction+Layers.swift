import Annotations
import EngineCore
import SQLite
import SyncProtocol

extension SQLiteTransaction {
    func layer(_ key: LayerKey) throws -> ServerLayer? { key.isHidden ? nil : try find(key) }

    func hiddenLayer(_ key: LayerKey) throws -> ServerLayer? { key.isHidden ? try find(key) : nil }

    /// Finds a layer. Its head is the newest revision of its records, or the stored head if that is higher.
    private func find(_ key: LayerKey) throws -> ServerLayer? {
        try statements.prepared(composed: Self.layer).first([.text(key.document), .text(key.name)]) { row in
            guard isIntact(row, .layer) else { throw DamagedRow(StoredTable.layer.noun) }
            let document = StoredTable.layer.count + 1
            guard isIntact(row, .document, from: document) else { throw DamagedRow(StoredTable.document.noun) }
            let newest = document + StoredTable.document.count + 1
            return ServerLayer(
                id: row.integer(0), key: key, generation: row.text(3), head: max(row.integer(4), row.integer(newest)),
                horizon: row.integer(5), base: row.integer(document + 5), pageCount: row.number(document + 7))
        }
    }

    private static let layer = """
        SELECT \(StoredTable.layer.qualified), \(StoredTable.document.qualified),
            coalesce((SELECT max(revision) FROM record WHERE record.layer = layer.id), 0)
        FROM layer JOIN document ON document.id = layer.document WHERE layer.document = ? AND layer.name = ?
        """

    func layers(_ keys: [LayerKey]) throws -> [ServerLayer] { try keys.compactMap(layer) }

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
        try first(.deletedLayer, Self.deletion, .text(key.document), .text(key.name)) {
            Timestamp(milliseconds: $0.integer(2))
        }
    }

    static let deletion =
        "SELECT \(StoredTable.deletedLayer.all) FROM deleted_layer WHERE document = ? AND name = ?"

    func addLayer(_ key: LayerKey, generation: String) throws -> ServerLayer {
        let id = try one(
            """
            INSERT INTO layer (document, name, generation, head, horizon, checksum) VALUES (?, ?, ?, 0, 0, 0)
            RETURNING id
            """, .text(key.document), .text(key.name), .text(generation)
        ) { $0.integer(0) }
        let layer = ServerLayer(id: id ?? 0, key: key, generation: generation, base: 0, pageCount: 0)
        try put(layer)
        guard let layer = try find(key) else { throw StoreError.unusable(key.document, "the document was deleted") }
        return layer
    }

    /// Replaces the row of a layer.
    private func put(_ layer: ServerLayer) throws {
        try put(
            layer: layer.id, document: layer.key.document, name: layer.key.name, layer.generation, head: layer.head,
            horizon: layer.horizon)
    }

    private func put(
        layer id: Int64, document: String, name: String, _ generation: String, head: Revision, horizon: Revision
    ) throws {
        let values: [SQLValue] = [
            .integer(id), .text(document), .text(name), .text(generation), .integer(head), .integer(horizon),
        ]
        try statements.prepared(
            """
            UPDATE layer SET document = ?2, name = ?3, generation = ?4, head = ?5, horizon = ?6, checksum = ?7
            WHERE id = ?1
            """
        ).run(values + [.integer(RowChecksum.of(values))])
    }

    func move(_ layer: ServerLayer, to key: LayerKey) throws {
        var moved = layer
        moved.key = key
        try put(moved)
    }

    /// Takes all layers of a document out of use, damaged ones included, and notes when.
    func removeLayers(of document: String, at moment: Timestamp) throws {
        let rows = try statements.prepared(composed: "SELECT \(StoredTable.layer.all) FROM layer WHERE document = ?")
            .rows([.text(document)]) { row in
                (
                    id: row.integer(0), name: row.text(2), generation: row.text(3), head: row.integer(4),
                    horizon: row.integer(5)
                )
            }
        for row in rows {
            if !LayerKey(document: document, name: row.name).isHidden {
                try noteDeletion(of: LayerKey(document: document, name: row.name), at: moment)
            }
            let removed = LayerKey.removed(row.id)
            try put(
                layer: row.id, document: removed.document, name: removed.name, row.generation, head: row.head,
                horizon: row.horizon)
        }
    }

    func removeLayer(_ layer: ServerLayer, at moment: Timestamp) throws {
        guard !layer.key.document.isEmpty else { return }
        try move(layer, to: .removed(layer.id))
        if !layer.key.isHidden { try noteDeletion(of: layer.key, at: moment) }
    }

    func noteDeletion(of key: LayerKey, at moment: Timestamp) throws {
        // A damaged note is replaced: it refuses every token, and nothing else would bring the layer back.
        let earlier = try? deletion(of: key)
        let last = max(moment, earlier ?? moment)
        try put(.deletedLayer, .text(key.document), .text(key.name), .integer(last.milliseconds))
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
        if left > 0 {
            if try database.tableExists(StoredTable.lineage.name) {
                try run("DELETE FROM lineage WHERE layer = ?", .integer(id))
            }
            try run("DELETE FROM layer WHERE id = ?", .integer(id))
        }
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
        // Not the name: SQLite would write the index of names too.
        let checksum = RowChecksum.of([
            .integer(layer.id), .text(layer.key.document), .text(layer.key.name), .text(layer.generation),
            .integer(head), .integer(layer.horizon),
        ])
        try run(
            "UPDATE layer SET head = ?, checksum = ? WHERE id = ?", .integer(head), .integer(checksum),
            .integer(layer.id))
    }

    func restoredGenerations(of layer: ServerLayer) throws -> [LineageEntry] {
        guard try database.tableExists(StoredTable.lineage.name) else { return [] }
        return try intact(
            .lineage, "SELECT \(StoredTable.lineage.all) FROM lineage WHERE layer = ? ORDER BY n", .integer(layer.id)
        ) {
            LineageEntry(
                generation: $0.text(2), head: $0.integer(3), at: Timestamp(milliseconds: $0.integer(4)),
                ending: .restored)
        }
    }

    func renew(_ layer: ServerLayer, generation: String, at moment: Timestamp) throws {
        let last = try one("SELECT max(n) FROM lineage WHERE layer = ?", .integer(layer.id)) { $0.optionalInteger(0) }
        let n = (last.flatMap(\.self) ?? 0) + 1
        try put(
            .lineage, .integer(layer.id), .integer(n), .text(layer.generation), .integer(layer.head),
            .integer(moment.milliseconds))
        try run(
            "DELETE FROM lineage WHERE layer = ? AND n <= ?", .integer(layer.id),
            .integer(n - Int64(LineageEntry.maxCount)))
        var renewed = layer
        renewed.generation = generation
        try put(renewed)
        try forgetClients(of: layer)
    }

    private func forgetClients(of layer: ServerLayer) throws {
        try run("DELETE FROM client WHERE layer = ?", .integer(layer.id))
        try run("DELETE FROM answer WHERE layer = ?", .integer(layer.id))
    }

    func prune(_ layer: ServerLayer, before moment: Timestamp) throws {
        // Only intact rows count: a damaged one may be live, or newer than it says.
        let old = try statements.prepared(composed: Self.oldTombstones)
        var (newest, gone) = (Revision(0), [Record.ID]())
        try old.each([.integer(layer.id), .integer(moment.milliseconds), .integer(layer.base)]) { row in
            guard isIntact(row, .record) else { return }
            newest = max(newest, row.integer(8))
            if row.flag(StoredTable.record.count + 1) { gone.append(row.text(1)) }
        }
        let departed = try intact(
            .departure, "SELECT \(StoredTable.departure.all) FROM departure WHERE layer = ? AND at < ?",
            .integer(layer.id), .integer(moment.milliseconds)
        ) { $0.integer(1) }
        newest = max(newest, departed.max() ?? 0)
        // The newest record may be among those deleted.
        if var changed = try find(layer.key) {
            changed.horizon = max(changed.horizon, min(newest, changed.head))
            try put(changed)
        }
        for id in gone { try run("DELETE FROM record WHERE layer = ? AND id = ?", .integer(layer.id), .text(id)) }
        try run(
            "DELETE FROM departure WHERE layer = ? AND at < ?", .integer(layer.id), .integer(moment.milliseconds))
    }

    /// The old tombstones, and whether each one can be deleted.
    private static let oldTombstones = """
        SELECT \(StoredTable.record.all),
            NOT EXISTS (SELECT 1 FROM base_record WHERE base = ?3 AND id = record.id)
            AND NOT EXISTS (
                SELECT 1 FROM record AS comment INDEXED BY record_root
                WHERE comment.layer = ?1 AND comment.root = record.id AND comment.removed_at IS NULL)
            AND NOT EXISTS (
                SELECT 1 FROM base_record AS comment INDEXED BY base_record_root
                WHERE comment.base = ?3 AND comment.root = record.id
                AND NOT EXISTS (SELECT 1 FROM record AS own WHERE own.layer = ?1 AND own.id = comment.id))
        FROM record WHERE layer = ?1 AND removed_at < ?2
        """
}
