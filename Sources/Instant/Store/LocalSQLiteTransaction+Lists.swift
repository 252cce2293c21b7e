import Annotations
import GRDB
import InstantCore
import SQLite

import struct Annotations.Record

extension LocalSQLiteTransaction {
    func show(_ shown: ShownRow) throws {
        let row = shown.row
        var values: [SQLValue] = [
            .text(row.id), .text(shown.root), .integer(shown.place.rawValue),
            .integer(row.pageKey), .real(row.topKey),
            .text(row.kind.type), .text(row.author), .text(row.authorKey), .text(row.createdBy), .text(row.group),
            .text(StoredBoxes.text(box: row.box, rects: row.rects)), .text(row.text), .text(shown.search),
            .integer(row.changedKey), .integer(shown.createdAt?.milliseconds ?? Int64.min),
            .text(row.delivery.rawValue), .text(row.warning), .text(row.updatedBy), .text(shown.state?.rawValue),
            .text(row.head), .text(row.color), .null,
        ]
        var sum = RowChecksum()
        sum.add(values[..<18])
        // Not unread, without words.
        sum.add(Int64(0))
        sum.addNull()
        sum.add(values[18..<21])
        values[21] = .integer(sum.value)
        // Most rows are new, or differ only in their delivery state: neither moves an index entry.
        if try run(Self.insertion, all: values) { return }
        let shownValues = Array(values[..<21])
        if try run(Self.delivery, all: shownValues) { return }
        if try run(Self.replacement, all: shownValues) { return }
        // The row is damaged.
        try run("DELETE FROM shown WHERE id = ?", .text(row.id))
        try run(Self.insertion, all: values)
        damage.forget(.row(row.id))
    }

    private static let insertion: StaticString = """
        INSERT OR IGNORE INTO shown(id, root, listed, page, top, kind, author, author_key, created_by, grp, boxes, text,
            search, changed, created, delivery, warning, updated_by, state, head, color, checksum)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22)
        """

    private static let delivery: StaticString = """
        UPDATE shown SET delivery = ?16, checksum = row_checksum(
            ?1, ?2, ?3, ?4, top, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, unread, quoted,
            ?19, ?20, ?21)
        WHERE id = ?1 AND root IS ?2 AND listed = ?3 AND page = ?4 AND top = ?5 AND kind = ?6 AND author IS ?7
            AND author_key = ?8 AND created_by IS ?9 AND grp IS ?10 AND boxes = ?11 AND text = ?12 AND search = ?13
            AND changed = ?14 AND created = ?15 AND warning IS ?17 AND updated_by IS ?18
            AND state IS ?19 AND head IS ?20 AND color IS ?21 AND checksum = row_checksum(
                id, root, listed, page, top, kind, author, author_key, created_by, grp, boxes, text, search, changed,
                created, delivery, warning, updated_by, unread, quoted, state, head, color)
        """

    private static let replacement: StaticString = """
        UPDATE shown SET root = ?2, listed = ?3, page = ?4, top = ?5, kind = ?6, author = ?7, author_key = ?8,
            created_by = ?9, grp = ?10, boxes = ?11, text = ?12, search = ?13, changed = ?14, created = ?15,
            delivery = ?16, warning = ?17, updated_by = ?18, state = ?19, head = ?20, color = ?21,
            quoted = CASE WHEN page = ?4 AND boxes = ?11 THEN quoted END,
            checksum = row_checksum(
                ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, unread,
                CASE WHEN page = ?4 AND boxes = ?11 THEN quoted END, ?19, ?20, ?21)
        WHERE id = ?1 AND checksum = row_checksum(
                id, root, listed, page, top, kind, author, author_key, created_by, grp, boxes, text, search, changed,
                created, delivery, warning, updated_by, unread, quoted, state, head, color)
        """

    private static let quote: StaticString = """
        UPDATE shown SET quoted = ?1, checksum = row_checksum(
                id, root, listed, page, top, kind, author, author_key, created_by, grp, boxes, text, search, changed,
                created, delivery, warning, updated_by, unread, ?1, state, head, color)
        WHERE id = ?2 AND checksum = row_checksum(
                id, root, listed, page, top, kind, author, author_key, created_by, grp, boxes, text, search, changed,
                created, delivery, warning, updated_by, unread, quoted, state, head, color)
        """

    private static let unread: StaticString = """
        UPDATE shown SET unread = ?1, checksum = row_checksum(
                id, root, listed, page, top, kind, author, author_key, created_by, grp, boxes, text, search, changed,
                created, delivery, warning, updated_by, ?1, quoted, state, head, color)
        WHERE id = ?2 AND checksum = row_checksum(
                id, root, listed, page, top, kind, author, author_key, created_by, grp, boxes, text, search, changed,
                created, delivery, warning, updated_by, unread, quoted, state, head, color)
        """

    func hide(_ id: Record.ID) throws -> Record.ID? {
        defer { damage.forget(.row(id)) }
        return try one("DELETE FROM shown WHERE id = ? RETURNING root", .text(id)) { $0.optionalText(0) } ?? nil
    }

    func setQuotes(_ words: [ByteOrdered: String]) throws {
        for (id, words) in words {
            try run(Self.quote, .text(words.searchForm), .text(id.text))
        }
    }

    func forgetQuotes() throws {
        try run(
            """
            UPDATE shown SET quoted = NULL, checksum = row_checksum(
                id, root, listed, page, top, kind, author, author_key, created_by, grp, boxes, text, search, changed,
                created, delivery, warning, updated_by, unread, NULL, state, head, color)
            WHERE quoted IS NOT NULL AND checksum = row_checksum(
                id, root, listed, page, top, kind, author, author_key, created_by, grp, boxes, text, search, changed,
                created, delivery, warning, updated_by, unread, quoted, state, head, color)
            """)
    }

    func pagesToQuote() throws -> [Int] {
        try composed(
            "SELECT DISTINCT page FROM shown s NOT INDEXED WHERE \(Self.unquoted) ORDER BY page",
            [.integer(ListRow.noPage)]
        ) { $0.number(0) }
    }

    func rowsToQuote(onPage page: Int) throws -> [ListRow] {
        try list(
            """
            SELECT \(Self.columns) FROM shown s WHERE \(Self.unquoted) AND s.page = ? ORDER BY s.top, s.id
            """, [.integer(ListRow.noPage), .integer(page)])
    }

    private static let unquoted: String = {
        let kinds = AnnotationKind.markups.map { "'\($0.type)'" }
        return "s.listed AND s.quoted IS NULL AND s.page <> ? AND s.kind IN (\(kinds.joined(separator: ", ")))"
    }()

    func setUnread(_ ids: some Sequence<Record.ID>, _ unread: Bool) throws {
        for id in ids { try run(Self.unread, .integer(unread), .text(id)) }
    }

    func setRead(_ query: ListQuery, limit: Int) throws -> Int {
        var query = query
        query.filter.unreadOnly = true
        let condition = try condition(query)
        return try composed(
            """
            UPDATE shown SET unread = 0, checksum = row_checksum(
                id, root, listed, page, top, kind, author, author_key, created_by, grp, boxes, text, search, changed,
                created, delivery, warning, updated_by, 0, quoted, state, head, color)
            WHERE rowid IN (SELECT s.rowid FROM shown s \(condition.source) WHERE \(condition.sql) LIMIT ?)
                AND checksum = row_checksum(
                id, root, listed, page, top, kind, author, author_key, created_by, grp, boxes, text, search, changed,
                created, delivery, warning, updated_by, unread, quoted, state, head, color)
            RETURNING 1
            """, condition.values + [.integer(max(0, limit))]
        ) { $0.number(0) }.count
    }

    func mentions(of user: String) throws -> [MentioningComment] {
        try composed(
            """
            SELECT id, root, unread FROM shown INDEXED BY shown_mentions
            WHERE \(StoredColumns.isMentioning) AND instr(search, ?) > 0 LIMIT 10000
            """, [.text(ShownRow.mark(ofMentioned: user))]
        ) { MentioningComment(id: $0.text(0), root: $0.text(1), isUnread: $0.flag(2)) }
    }

    func people() throws -> [RecordCreator] {
        let names = try composed(
            """
            SELECT created_by, author, count(*), sum(count(*)) OVER (PARTITION BY created_by) AS whole
            FROM shown NOT INDEXED WHERE created_by IS NOT NULL
            GROUP BY created_by, author ORDER BY whole DESC, created_by, author IS NULL, count(*) DESC, author
            """, []
        ) { RecordCreator(userID: $0.text(0), name: $0.optionalText(1)) }
        var people: [RecordCreator] = []
        for person in names where people.last.map({ !person.userID.isExactly($0.userID) }) ?? true {
            people.append(person)
            if people.count == RecordCreator.maxCount { break }
        }
        return people
    }

    func unreadCount() throws -> Int {
        try number("SELECT count(*) FROM shown WHERE listed AND unread AND listed <> 3")
    }

    func hidden() throws -> [ListFacets.Facet<AnnotationKind>] {
        try all(
            """
            SELECT kind, count(*) FROM shown INDEXED BY shown_hidden WHERE listed = 3
            GROUP BY kind ORDER BY count(*) DESC, kind
            """
        ) {
            ListFacets.Facet(AnnotationKind(type: $0.text(0)), $0.number(1))
        }
    }

    func facets() throws -> ListFacets {
        ListFacets(
            kinds: try facet("kind").map { ListFacets.Facet(AnnotationKind(type: $0.value), $0.count) },
            authors: try facet("author"), groups: try facet("grp"))
    }

    /// Values that differ only in the spelling of letters with accents are one.
    private func facet(_ column: String) throws -> [ListFacets.Facet<String>] {
        let found = try composed(
            """
            SELECT \(column), count(*) FROM shown s WHERE listed AND \(column) IS NOT NULL
            GROUP BY \(column) ORDER BY count(*) DESC, \(column) LIMIT \(ListFacets.maxRows)
            """, []
        ) { ListFacets.Facet($0.text(0), $0.number(1)) }
        var facets: [ListFacets.Facet<String>] = []
        var places: [String: Int] = [:]
        for facet in found {
            if let place = places[facet.value] {
                facets[place].count += facet.count
            } else {
                places[facet.value] = facets.count
                facets.append(facet)
            }
        }
        // Stable, so that those that were not joined stay in their order.
        return places.count < found.count ? facets.sorted { $0.count > $1.count } : facets
    }

    func row(_ id: Record.ID) throws -> ListRow? {
        try list("SELECT \(Self.columns) FROM shown s WHERE id = ?", [.text(id)]).first
    }

    /// A list without its damaged rows keeps its order and its counts: it is read again without those that were found.
    func rows(_ query: ListQuery, offset: Int, limit: Int, of total: Int?) throws -> [ListRow] {
        while true {
            let known = damage.rows.count
            let rows = try rows(query, condition(query), offset: offset, limit: limit, of: total)
            if damage.rows.count <= known { return rows }
        }
    }

    private func rows(
        _ query: ListQuery, _ condition: Condition, offset: Int, limit: Int, of total: Int?
    ) throws -> [ListRow] {
        let end = Double(max(0, offset)) + Double(max(0, limit))
        // With an index that lacks the filtered columns, rows are looked up one by one until enough match. If that
        // would be many, because the window is far down or few rows match, all rows are read in storage order and
        // sorted.
        let sorts = condition.way == .scan && total.map { Double($0) < end * Self.lookUpCost } ?? false
        let source = sorts || condition.way == .inPageOrder ? condition.source : ""
        return try list(
            """
            SELECT \(Self.columns) FROM shown s \(source) WHERE \(condition.sql)
            ORDER BY \(query.order.columns) LIMIT ? OFFSET ?
            """, condition.values + [.integer(max(0, limit)), .integer(max(0, offset))], in: query.order)
    }

    /// How many rows are scanned in the time of one lookup.
    private static let lookUpCost = 4.0

    func rows(onPage page: Int) throws -> [ListRow] {
        // The plus keeps SQLite from an index that is not in this order.
        let own = try list(
            "SELECT \(Self.columns) FROM shown s WHERE listed AND +listed IN (1, 3) AND page = ? ORDER BY top, id",
            [.integer(page)])
        let others = try rowsOfOtherPages(on: page)
        return others.isEmpty ? own : (own + others).sortedOnPage
    }

    /// Returns the rows of earlier pages whose annotations stand on a page, too.
    func rowsOfOtherPages(on page: Int) throws -> [ListRow] {
        let member = "\"pageIndex\":\(page)"
        let candidates = try all(
            """
            SELECT * FROM record INDEXED BY record_pages WHERE instr(content, '"pages"') > 0
                AND (instr(content, ?) > 0 OR instr(content, ?) > 0)
            """, .text(member + "}"), .text(member + ",")
        ) { stored($0, or: { .record($0) }) }
        return try candidates.compactMap { candidate in
            guard let record = candidate?.record, record.content.otherPlaces.contains(where: { $0.pageIndex == page })
            else { return nil }
            return try list("SELECT \(Self.columns) FROM shown s WHERE id = ? AND listed IN (1, 3)", [.text(record.id)])
                .first?.standing(on: page, as: record.content)
        }
    }

    func thread(under root: Record.ID) throws -> [Record.ID] {
        try all("SELECT id FROM shown WHERE root = ? ORDER BY created, id", .text(root)) { $0.text(0) }
    }

    func threadSummary(under root: Record.ID) throws -> ThreadSummary? {
        try one("SELECT count(*), min(page), max(changed) FROM shown WHERE root = ?", .text(root)) {
            row -> ThreadSummary? in
            guard row.number(0) > 0 else { return nil }
            let (page, changed) = (row.number(1), row.integer(2))
            return ThreadSummary(
                pageIndex: page == ListRow.noPage ? nil : page,
                changedAt: changed == .min ? nil : Timestamp(milliseconds: changed))
        } ?? nil
    }

    func rootsWithoutRow() throws -> [Record.ID] {
        try all(
            """
            SELECT DISTINCT root FROM shown AS comment
            WHERE root IS NOT NULL AND NOT EXISTS (SELECT 1 FROM shown WHERE shown.id = comment.root)
            """
        ) { $0.text(0) }
    }

    func isAnnotationShown(_ id: Record.ID) throws -> Bool {
        try one("SELECT listed FROM shown WHERE id = ?", .text(id)) { [1, 3].contains($0.number(0)) } ?? false
    }

    func root(ofShown id: Record.ID) throws -> Record.ID? {
        try one("SELECT root FROM shown WHERE id = ?", .text(id)) { $0.optionalText(0) } ?? nil
    }

    func composed<T>(_ sql: String, _ values: [SQLValue], _ read: (Columns) throws -> T) throws -> [T] {
        try statements.prepared(composed: sql).rows(values, read)
    }

    func number(composed sql: String, _ values: [SQLValue]) throws -> Int {
        try statements.prepared(composed: sql).first(values) { $0.number(0) } ?? 0
    }

    /// All columns of the checksum and the checksum, for every row that is read.
    private static let columns =
        StoredColumns.shown
            + """
            , checksum, (SELECT count(*) FROM shown c WHERE c.root = s.id), s.rowid,
            (SELECT count(*) FROM shown c WHERE c.root = s.id AND c.state IS NOT NULL),
            (SELECT c.state FROM shown c WHERE c.root = s.id AND c.state IS NOT NULL AND c.state NOT IN ('marked', 'unmarked')
                ORDER BY c.created DESC, c.id DESC LIMIT 1)
            """

    /// Leaves out damaged rows, which it notes.
    ///
    /// - Parameter order: the order in which the rows must come: a damaged index could return one twice.
    private func list(_ sql: String, _ values: [SQLValue], in order: ListQuery.Order? = nil) throws -> [ListRow] {
        var found: [ListRow] = []
        var last: OrderKey?
        try statements.prepared(composed: sql).each(values) { row in
            guard row.isIntact(StoredColumns.shownCount) else {
                guard damage.rows.count < DamageLog.maxRows else { throw Self.corrupt("too many rows have changed") }
                return damage.note(row: row.integer(25), of: row.text(0))
            }
            if let order {
                let key = OrderKey(row, order)
                guard last?.isBefore(key) ?? true else { throw Self.corrupt("an index of its list is not in order") }
                last = key
            }
            found.append(listRow(row))
        }
        return found
    }

    private func listRow(_ row: Columns) -> ListRow {
        let (box, rects) = row.bytes(10).map { StoredBoxes.boxes(in: $0) } ?? (nil, [])
        let page = row.number(3)
        let changed = row.integer(13)
        var listRow = ListRow(
            id: row.text(0), kind: AnnotationKind(type: row.text(5)), pageIndex: page == ListRow.noPage ? nil : page,
            box: box, rects: rects, text: row.text(11),
            author: row.optionalText(6), createdBy: row.optionalText(8), updatedBy: row.optionalText(17),
            group: row.optionalText(9), changedAt: changed == .min ? nil : Timestamp(milliseconds: changed),
            delivery: DeliveryState(rawValue: row.text(15)) ?? .delivered, isUnread: row.flag(18),
            warning: row.optionalText(16), replies: row.number(24))
        listRow.states = row.number(26)
        listRow.review = row.optionalText(27).flatMap(AnnotationState.init(rawValue:))
        listRow.head = row.optionalText(21)
        listRow.color = row.optionalText(22)
        listRow.isDeletedRoot = row.number(2) == 2
        return listRow
    }
}

/// The stored values that order a row in a list.
private struct OrderKey {
    /// The newest change, negative so that it ascends; 0 in other orders.
    var changed: Int64 = 0
    var name = ""
    var page = 0
    var top = 0.0
    var id: Record.ID

    init(_ row: Columns, _ order: ListQuery.Order) {
        id = row.text(0)
        switch order {
        case .newest:
            changed = ~row.integer(13)
            return
        case .page: break
        case .author: name = row.text(7)
        case .group: name = row.text(9)
        }
        (page, top) = (row.number(3), row.real(4))
    }

    func isBefore(_ other: OrderKey) -> Bool {
        if changed != other.changed { return changed < other.changed }
        if !name.isExactly(other.name) { return name.isBefore(other.name) }
        if page != other.page { return page < other.page }
        if top != other.top { return top < other.top }
        return id.isBefore(other.id)
    }
}

extension ListQuery.Order {
    fileprivate var columns: String {
        switch self {
        case .page: "s.page, s.top, s.id"
        case .newest: "s.changed DESC, s.id"
        case .author: "s.author_key, s.page, s.top, s.id"
        case .group: "ifnull(s.grp, ''), s.page, s.top, s.id"
        }
    }
}
