import Annotations
import EngineCore
import SyncProtocol

extension PostgresTransaction {
    func layer(_ key: LayerKey) throws -> ServerLayer? { key.isHidden ? nil : try find(key) }

    func hiddenLayer(_ key: LayerKey) throws -> ServerLayer? { key.isHidden ? try find(key) : nil }

    private func find(_ key: LayerKey) throws -> ServerLayer? {
        try lock(key)
        return try one(
            Self.layer + "WHERE layer.document = $1 AND layer.name = $2", [.text(key.document), .text(key.name)],
            Self.layer)
    }

    func layers(_ keys: [LayerKey]) throws -> [ServerLayer] {
        for key in keys { try lock(key) }
        let storable = keys.filter { !$0.isHidden && !$0.document.utf8.contains(0) && !$0.name.utf8.contains(0) }
        return try all(
            Self.layer + """
                JOIN unnest($1::text[], $2::text[]) AS wanted (document, name)
                ON wanted.document = layer.document AND wanted.name = layer.name
                """,
            [.texts(storable.map(\.document)), .texts(storable.map(\.name))], Self.layer)
    }

    private static let layer = """
        SELECT layer.id, layer.document, layer.name, generation, head, horizon, document.base, document.page_count
        FROM layer JOIN document ON document.id = layer.document

        """

    private static func layer(_ row: PostgresRow) -> ServerLayer {
        ServerLayer(
            id: row.integer(0), key: LayerKey(document: row.text(1), name: row.text(2)), generation: row.text(3),
            head: row.integer(4), horizon: row.integer(5), base: row.integer(6), pageCount: Int(row.integer(7)))
    }

    func layers() throws -> [LayerKey] {
        try all("SELECT document, name FROM layer WHERE left(name, 1) <> '*' ORDER BY id", []) {
            LayerKey(document: $0.text(0), name: $0.text(1))
        }
    }

    func hiddenLayers() throws -> [HiddenLayer] {
        try all("SELECT id, document, name FROM layer WHERE left(name, 1) = '*' ORDER BY id", []) {
            HiddenLayer(id: $0.integer(0), key: LayerKey(document: $0.text(1), name: $0.text(2)))
        }
    }

    func layerNames(of document: String) throws -> [String] {
        try all(
            "SELECT name FROM layer WHERE document = $1 AND left(name, 1) <> '*' ORDER BY name", [.text(document)]
        ) { $0.text(0) }
    }

    func deletion(of key: LayerKey) throws -> Timestamp? {
        try one(
            "SELECT at FROM deleted_layer WHERE document = $1 AND name = $2", [.text(key.document), .text(key.name)]
        ) { Timestamp(milliseconds: $0.integer(0)) }
    }

    func deletions(of key: LayerKey) throws -> (layer: Timestamp?, document: Timestamp?) {
        let whole = LayerKey.whole(key.document)
        let rows = try all(
            "SELECT name, at FROM deleted_layer WHERE document = $1 AND name IN ($2, $3)",
            [.text(key.document), .text(key.name), .text(whole.name)]
        ) { (name: $0.text(0), at: Timestamp(milliseconds: $0.integer(1))) }
        func time(_ name: String) -> Timestamp? { rows.first { $0.name.utf8.elementsEqual(name.utf8) }?.at }
        return (layer: time(key.name), document: time(whole.name))
    }

    func addLayer(_ key: LayerKey, generation: String) throws -> ServerLayer {
        try lock(key)
        try run(
            "INSERT INTO layer (document, name, generation, head, horizon) VALUES ($1, $2, $3, 0, 0)",
            [.text(key.document), .text(key.name), .text(generation)])
        guard let layer = try find(key) else { throw APIError(.documentNotFound, "the document was deleted") }
        return layer
    }

    func move(_ layer: ServerLayer, to key: LayerKey) throws {
        try run(
            "UPDATE layer SET document = $1, name = $2 WHERE id = $3",
            [.text(key.document), .text(key.name), .integer(layer.id)])
    }

    func removeLayer(_ layer: ServerLayer, at moment: Timestamp) throws {
        guard !layer.key.document.isEmpty else { return }
        try lock(layer.key)
        try move(layer, to: .removed(layer.id))
        if !layer.key.isHidden { try noteDeletion(of: layer.key, at: moment) }
    }

    func noteDeletion(of key: LayerKey, at moment: Timestamp) throws {
        try run(
            """
            INSERT INTO deleted_layer VALUES ($1, $2, $3)
            ON CONFLICT (document, name) DO UPDATE SET at = greatest(deleted_layer.at, excluded.at)
            """, [.text(key.document), .text(key.name), .integer(moment.milliseconds)])
    }

    func removeRows(ofLayer id: Int64, limit: Int) throws -> Int {
        // Two servers may remove the same layer.
        try lock(.removed(id))
        let isRemoved = try one("SELECT 1 FROM layer WHERE id = $1 AND document = ''", [.integer(id)]) { _ in true }
        guard isRemoved == true else { return 0 }
        var left = limit
        for table in ["record", "departure", "answer", "client", "upload", "lineage"] where left > 0 {
            left -= try remove(from: table, where: "layer", is: id, limit: left)
        }
        if left > 0 { try run("DELETE FROM layer WHERE id = $1", [.integer(id)]) }
        return limit - left
    }

    /// - Returns: the number of rows removed.
    func remove(from table: String, where column: String, is value: Int64, limit: Int) throws -> Int {
        // By row address: a subquery over the key could scan the whole table.
        let places = "SELECT ctid FROM \(table) WHERE \(column) = $1 LIMIT $2"
        return try all(
            "DELETE FROM \(table) WHERE ctid = ANY(ARRAY(\(places))) RETURNING 1::bigint",
            [.integer(value), .integer(Int64(limit))]
        ) { _ in true }.count
    }

    func setHead(_ head: Revision, of layer: ServerLayer) throws {
        try run("UPDATE layer SET head = $1 WHERE id = $2", [.integer(head), .integer(layer.id)])
    }

    func restoredGenerations(of layer: ServerLayer) throws -> [LineageEntry] {
        try all("SELECT generation, head, at FROM lineage WHERE layer = $1 ORDER BY n", [.integer(layer.id)]) {
            LineageEntry(
                generation: $0.text(0), head: $0.integer(1), at: Timestamp(milliseconds: $0.integer(2)),
                ending: .restored)
        }
    }

    func renew(_ layer: ServerLayer, generation: String, at moment: Timestamp) throws {
        try lock(layer.key)
        try run(
            """
            INSERT INTO lineage
            SELECT $1, coalesce(max(n), 0) + 1, $2, $3, $4 FROM lineage WHERE layer = $1
            """,
            [.integer(layer.id), .text(layer.generation), .integer(layer.head), .integer(moment.milliseconds)])
        try run(
            "DELETE FROM lineage WHERE layer = $1 AND n <= (SELECT max(n) FROM lineage WHERE layer = $1) - $2",
            [.integer(layer.id), .integer(Int64(LineageEntry.maxCount))])
        try run("UPDATE layer SET generation = $1 WHERE id = $2", [.text(generation), .integer(layer.id)])
        for table in ["client", "answer"] { try run("DELETE FROM \(table) WHERE layer = $1", [.integer(layer.id)]) }
    }

    func prune(_ layer: ServerLayer, before moment: Timestamp) throws {
        // All tombstones of a month at once, after a bulk deletion or a long pause.
        try connection.withPatience(Self.prunePatience) { try remove(tombstonesOf: layer, before: moment) }
    }

    private static let prunePatience: Duration = .seconds(600)

    private func remove(tombstonesOf layer: ServerLayer, before moment: Timestamp) throws {
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
            AND NOT EXISTS (
                SELECT 1 FROM record AS comment
                WHERE comment.layer = $1 AND comment.root = record.id AND comment.removed_at IS NULL)
            AND NOT EXISTS (
                SELECT 1 FROM base_record AS comment WHERE comment.base = $3 AND comment.root = record.id
                AND NOT EXISTS (SELECT 1 FROM record AS own WHERE own.layer = $1 AND own.id = comment.id))
            """, [id, moment, .integer(layer.base)])
        try run("DELETE FROM departure WHERE layer = $1 AND at < $2", [id, moment])
    }
}
