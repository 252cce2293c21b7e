import Annotations
import GRDB
import InstantCore

import struct Annotations.Record

extension SQLiteTransaction {
    func show(_ shown: ShownRow) throws {
        let row = shown.row
        let boxes = ([row.box ?? Rect(left: 0, top: 0, width: -1, height: 0)] + row.rects).map {
            "\($0.left) \($0.top) \($0.width) \($0.height)"
        }
        try run(
            """
            INSERT INTO shown(id, root, listed, page, top, kind, author, author_key, created_by, grp, boxes, text,
                search, changed, created, delivery, warning)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT(id) DO UPDATE SET root = excluded.root, listed = excluded.listed, page = excluded.page,
                top = excluded.top, kind = excluded.kind, author = excluded.author, author_key = excluded.author_key,
                created_by = excluded.created_by, grp = excluded.grp, boxes = excluded.boxes, text = excluded.text,
                search = excluded.search, changed = excluded.changed, created = excluded.created,
                delivery = excluded.delivery, warning = excluded.warning
            """,
            [
                row.id, shown.root, !shown.isComment, row.pageKey, row.topKey, row.kind.type, row.author,
                row.authorKey, row.createdBy, row.group, boxes.joined(separator: " "), row.text, shown.search,
                row.changedKey, shown.createdAt?.milliseconds ?? Int64.min, row.delivery.rawValue, row.warning,
            ])
    }

    func hide(_ id: Record.ID) throws { try run("DELETE FROM shown WHERE id = ?", [id]) }

    func setUnread(_ ids: some Sequence<Record.ID>, _ unread: Bool) throws {
        for id in ids { try run("UPDATE shown SET unread = ? WHERE id = ?", [unread, id]) }
    }

    func unreadCount() throws -> Int { try number("SELECT count(*) FROM shown WHERE listed AND unread") }

    func row(_ id: Record.ID) throws -> ListRow? {
        try one("SELECT \(Self.columns) FROM shown s WHERE id = ?", [id], listRow)
    }

    func count(_ query: ListQuery) throws -> Int {
        let (clause, values) = condition(query.filter)
        return try number("SELECT count(*) FROM shown s WHERE \(clause)", values)
    }

    func rows(_ query: ListQuery, offset: Int, limit: Int) throws -> [ListRow] {
        let (clause, values) = condition(query.filter)
        return try all(
            """
            SELECT \(Self.columns) FROM shown s WHERE \(clause) ORDER BY \(query.order.columns) LIMIT ? OFFSET ?
            """, values + [max(0, limit), max(0, offset)], listRow)
    }

    func position(of id: Record.ID, in query: ListQuery) throws -> Int? {
        let (clause, values) = condition(query.filter)
        guard try number("SELECT count(*) FROM shown s WHERE \(clause) AND id = ?", values + [id]) > 0 else {
            return nil
        }
        return try number(
            """
            SELECT count(*) FROM shown s, (SELECT * FROM shown WHERE id = ?) it
            WHERE \(clause) AND \(query.order.isBefore)
            """, [id] + values)
    }

    func rows(onPage page: Int) throws -> [ListRow] {
        try all("SELECT \(Self.columns) FROM shown s WHERE listed AND page = ? ORDER BY top, id", [page], listRow)
    }

    func thread(under root: Record.ID) throws -> [Record.ID] {
        try all("SELECT id FROM shown WHERE root = ? ORDER BY created, id", [root]) { $0[0] }
    }

    private func condition(_ filter: ListFilter) -> (String, [Value]) {
        var clauses = ["s.listed"]
        var values: [Value] = []
        if !filter.kinds.isEmpty {
            clauses.append("s.kind IN (\(filter.kinds.map { _ in "?" }.joined(separator: ", ")))")
            values += filter.kinds.map(\.type).sorted()
        }
        if !filter.text.isEmpty {
            clauses.append("instr(s.search, ?) > 0")
            values.append(filter.text.lowercased())
        }
        if let author = filter.author {
            clauses.append("s.author = ?")
            values.append(author)
        }
        if let page = filter.pageIndex {
            clauses.append("s.page = ?")
            values.append(page)
        }
        if filter.unreadOnly { clauses.append("s.unread") }
        if filter.pendingOnly { clauses.append("s.delivery <> 'delivered'") }
        return (clauses.joined(separator: " AND "), values)
    }

    private static let columns = """
        id, kind, page, boxes, text, author, created_by, grp, changed, delivery, unread, warning,
        (SELECT count(*) FROM shown c WHERE c.root = s.id)
        """

    private func listRow(_ row: Row) throws -> ListRow {
        let numbers = (row[3] as String).split(separator: " ").compactMap { Double($0) }
        var boxes = stride(from: 0, to: numbers.count - 3, by: 4).map {
            Rect(left: numbers[$0], top: numbers[$0 + 1], width: numbers[$0 + 2], height: numbers[$0 + 3])
        }
        let box = boxes.isEmpty ? nil : boxes.removeFirst()
        let page: Int = row[2]
        let changed: Int64 = row[8]
        return ListRow(
            id: row[0], kind: AnnotationKind(type: row[1]), pageIndex: page == ListRow.noPage ? nil : page,
            box: box.flatMap { $0.width < 0 ? nil : $0 }, rects: boxes, text: row[4], author: row[5],
            createdBy: row[6], group: row[7],
            changedAt: changed == .min ? nil : Timestamp(milliseconds: changed),
            delivery: Delivery(rawValue: row[9]) ?? .delivered, isUnread: row[10], warning: row[11], replies: row[12])
    }
}

extension ListQuery.Order {
    fileprivate var columns: String {
        switch self {
        case .page: "s.page, s.top, s.id"
        case .newest: "s.changed DESC, s.id"
        case .author: "s.author_key, s.page, s.top, s.id"
        }
    }

    /// Whether row `s` comes before row `it`.
    fileprivate var isBefore: String {
        switch self {
        case .page: "(s.page, s.top, s.id) < (it.page, it.top, it.id)"
        case .newest: "(s.changed > it.changed OR (s.changed = it.changed AND s.id < it.id))"
        case .author: "(s.author_key, s.page, s.top, s.id) < (it.author_key, it.page, it.top, it.id)"
        }
    }
}
