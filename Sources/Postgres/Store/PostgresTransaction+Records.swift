import Annotations
import Authorization
import EngineCore
import SyncProtocol

extension PostgresTransaction {
    /// The columns in the order in which ``record(_:)`` reads them.
    static let columns = """
        id, content, type, root, created_by, updated_by, grp, revision, run_client, run_start,
        removed_at, removed_by, removed_client, cascade, thread_root
        """
    /// The same for a base record.
    static let baseColumns = """
        id, content, type, root, created_by, updated_by, grp, 0::bigint, NULL::text, 0::bigint,
        NULL::bigint, NULL::text, NULL::text, NULL::bigint, 0::bigint
        """
    static let isNotCovered =
        "NOT EXISTS (SELECT 1 FROM record WHERE record.layer = $1 AND record.id = base_record.id)"

    func record(_ id: Record.ID, in layer: ServerLayer) throws -> ServerRecord? {
        try one(
            """
            SELECT \(Self.columns) FROM record WHERE layer = $1 AND id = $3
            UNION ALL SELECT \(Self.baseColumns) FROM base_record WHERE base = $2 AND id = $3 AND \(Self.isNotCovered)
            """, [.integer(layer.id), .integer(layer.base), .text(id)], Self.record)
    }

    /// The content, which may be stored elsewhere, is not read.
    func subject(of id: Record.ID, in layer: ServerLayer) throws -> Subject? {
        try all(
            """
            SELECT type, created_by, grp, 0 AS place FROM record WHERE layer = $1 AND id = $3
            UNION ALL SELECT type, created_by, grp, 1 FROM base_record WHERE base = $2 AND id = $3
            ORDER BY place
            """, [.integer(layer.id), .integer(layer.base), .text(id)]
        ) { try Self.subject($0, from: 0) }.first
    }

    /// Limits each half separately, so that its index scan stops early.
    func live(in layer: ServerLayer, after id: Record.ID?, limit: Int) throws -> [ServerRecord] {
        try all(
            """
            (SELECT \(Self.columns) FROM record WHERE layer = $1 AND id > $3 AND removed_at IS NULL ORDER BY id LIMIT $4)
            UNION ALL
            (SELECT \(Self.baseColumns) FROM base_record WHERE base = $2 AND id > $3 AND \(Self.isNotCovered)
            ORDER BY id LIMIT $4)
            ORDER BY id LIMIT $4
            """, [.integer(layer.id), .integer(layer.base), .text(id ?? ""), .integer(Int64(limit))], Self.record)
    }

    func visitLive(
        in layer: ServerLayer, after id: Record.ID?, where isVisible: ((Subject) -> Bool)?,
        _ visit: (LiveRow) throws -> Bool
    ) throws {
        guard let isVisible else { return try visitPages(in: layer, after: id, visit) }
        let step = 200
        var last = id
        while true {
            let visible = try marks(in: layer, after: last, limit: step, where: isVisible)
            for record in try live(visible.map(\.id), in: layer) {
                if try !record.withRow(visit) { return }
            }
            guard visible.count == step, let reached = visible.last?.id else { return }
            last = reached
        }
    }

    /// Returns those of these records that are live, in id order.
    private func live(_ ids: [Record.ID], in layer: ServerLayer) throws -> [ServerRecord] {
        try all(
            """
            SELECT \(Self.columns) FROM record WHERE layer = $1 AND id = ANY($3) AND removed_at IS NULL
            UNION ALL
            SELECT \(Self.baseColumns) FROM base_record WHERE base = $2 AND id = ANY($3) AND \(Self.isNotCovered)
            ORDER BY id
            """, [.integer(layer.id), .integer(layer.base), .texts(ids)], Self.record)
    }

    func marks(
        in layer: ServerLayer, after id: Record.ID?, limit: Int, where isVisible: ((Subject) -> Bool)?
    ) throws -> [RecordMark] {
        var (found, last) = ([RecordMark](), id)
        while found.count < limit {
            let marks = try marks(in: layer, after: last, limit: limit)
            found += marks.filter { isVisible?($0.subject) ?? true }.prefix(limit - found.count)
            guard marks.count == limit else { break }
            last = marks.last?.id
        }
        return found
    }

    private func marks(in layer: ServerLayer, after id: Record.ID?, limit: Int) throws -> [RecordMark] {
        try all(
            """
            (SELECT id, revision, type, created_by, grp FROM record
            WHERE layer = $1 AND id > $3 AND removed_at IS NULL ORDER BY id LIMIT $4)
            UNION ALL
            (SELECT id, 0::bigint, type, created_by, grp FROM base_record
            WHERE base = $2 AND id > $3 AND \(Self.isNotCovered) ORDER BY id LIMIT $4)
            ORDER BY id LIMIT $4
            """, [.integer(layer.id), .integer(layer.base), .text(id ?? ""), .integer(Int64(limit))]
        ) { RecordMark(id: $0.text(0), revision: $0.integer(1), subject: try Self.subject($0, from: 2)) }
    }

    func changed(in layer: ServerLayer, after revision: Revision, limit: Int) throws -> [ServerRecord] {
        try all(
            "SELECT \(Self.columns) FROM record WHERE layer = $1 AND revision > $2 ORDER BY revision LIMIT $3",
            [.integer(layer.id), .integer(revision), .integer(Int64(limit))], Self.record)
    }

    func departures(in layer: ServerLayer, after revision: Revision, limit: Int) throws -> [Departure] {
        try all(
            """
            SELECT id, revision, type, created_by, grp, at FROM departure
            WHERE layer = $1 AND revision > $2 ORDER BY revision LIMIT $3
            """, [.integer(layer.id), .integer(revision), .integer(Int64(limit))]
        ) { row in
            Departure(
                id: row.text(0), revision: row.integer(1), subject: try Self.subject(row, from: 2),
                at: Timestamp(milliseconds: row.integer(5)))
        }
    }

    func thread(of root: Record.ID, in layer: ServerLayer) throws -> [ServerRecord] {
        try all(
            """
            SELECT \(Self.columns) FROM record WHERE layer = $1 AND root = $3 AND removed_at IS NULL
            UNION ALL SELECT \(Self.baseColumns) FROM base_record WHERE base = $2 AND root = $3 AND \(Self.isNotCovered)
            ORDER BY id
            """, [.integer(layer.id), .integer(layer.base), .text(root)], Self.record)
    }

    func marks(ofThread root: Record.ID, in layer: ServerLayer) throws -> [RecordMark] {
        try all(
            """
            SELECT id, revision, type, created_by, grp FROM record
            WHERE layer = $1 AND root = $3 AND removed_at IS NULL
            UNION ALL SELECT id, 0::bigint, type, created_by, grp FROM base_record
            WHERE base = $2 AND root = $3 AND \(Self.isNotCovered)
            ORDER BY id
            """, [.integer(layer.id), .integer(layer.base), .text(root)]
        ) { RecordMark(id: $0.text(0), revision: $0.integer(1), subject: try Self.subject($0, from: 2)) }
    }

    func cascade(of revision: Revision, in layer: ServerLayer) throws -> [ServerRecord] {
        try all(
            "SELECT \(Self.columns) FROM record WHERE layer = $1 AND cascade = $2 ORDER BY revision",
            [.integer(layer.id), .integer(revision)], Self.record)
    }

    // MARK: Writing

    func put(_ stored: ServerRecord, in layer: ServerLayer) throws {
        try run(
            """
            INSERT INTO record VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
            ON CONFLICT (layer, id) DO UPDATE SET content = excluded.content, type = excluded.type,
                root = excluded.root, created_by = excluded.created_by, updated_by = excluded.updated_by,
                grp = excluded.grp, revision = excluded.revision, run_client = excluded.run_client,
                run_start = excluded.run_start, removed_at = excluded.removed_at, removed_by = excluded.removed_by,
                removed_client = excluded.removed_client, cascade = excluded.cascade, attachment = excluded.attachment,
                thread_root = excluded.thread_root
            """,
            [
                .integer(layer.id), .text(stored.id), .text(stored.record.content.text),
                .text(stored.contentType.rawValue), PostgresValue(stored.rootID),
                PostgresValue(stored.record.createdBy), PostgresValue(stored.record.updatedBy),
                PostgresValue(stored.record.group), .integer(stored.revision), PostgresValue(stored.run.client),
                .integer(stored.run.start), PostgresValue(stored.removal?.at.milliseconds),
                PostgresValue(stored.removal?.by), PostgresValue(stored.removal?.client),
                PostgresValue(stored.removal?.cascade), PostgresValue(stored.record.content.attachmentID?.hex),
                .integer(stored.isCommentThreadRoot ? 1 : 0),
            ])
    }

    func add(_ departure: Departure, in layer: ServerLayer) throws {
        try run(
            """
            INSERT INTO departure VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (layer, revision, id) DO UPDATE
            SET type = excluded.type, created_by = excluded.created_by, grp = excluded.grp, at = excluded.at
            """,
            [
                .integer(layer.id), .integer(departure.revision), .text(departure.id),
                .text(departure.subject.contentType.rawValue), PostgresValue(departure.subject.createdBy),
                PostgresValue(departure.subject.group), .integer(departure.at.milliseconds),
            ])
    }

    // MARK: Rows

    static func record(_ row: PostgresRow) throws -> ServerRecord {
        let record = Record(
            id: row.text(0), content: Content(checked: row.text(1)), createdBy: row.optionalText(4),
            updatedBy: row.optionalText(5), group: row.optionalText(6))
        var stored = ServerRecord(
            record, revision: row.integer(7), contentType: try type(row.text(2)), rootID: row.optionalText(3),
            isCommentThreadRoot: row.integer(14) != 0,
            run: ServerRecord.Run(client: row.optionalText(8), start: row.integer(9)))
        if let at = row.optionalInteger(10) {
            stored.removal = ServerRecord.Removal(
                by: row.optionalText(11), client: row.optionalText(12), cascade: row.optionalInteger(13),
                at: Timestamp(milliseconds: at))
        }
        return stored
    }

    /// Reads type, creator and group from adjacent columns.
    static func subject(_ row: PostgresRow, from column: Int) throws -> Subject {
        Subject(
            try type(row.text(column)), createdBy: row.optionalText(column + 1), group: row.optionalText(column + 2))
    }

    private static func type(_ text: String) throws -> ContentType {
        guard let type = ContentType(rawValue: text) else { throw PostgresError("a record of an unknown type") }
        return type
    }
}
