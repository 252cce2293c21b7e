import Annotations
import InstantCore
import SQLite

import struct Annotations.Record

// The counts of a list, and the index of a row in it.
extension LocalSQLiteTransaction {
    func count(_ query: ListQuery) throws -> Int {
        let condition = try condition(query)
        if let leftOut = condition.leftOut {
            // SQLite counts all rows of a table by the pages of its smallest index, and few rows are left out.
            var count = try number("SELECT count(*) FROM shown")
            count -= try number("SELECT count(*) FROM shown WHERE listed = 0")
            if leftOut.contains(2) { count -= try number("SELECT count(*) FROM shown WHERE listed = 2") }
            if leftOut.contains(3) { count -= try number("SELECT count(*) FROM shown WHERE listed = 3") }
            return count
        }
        return try number(
            composed: "SELECT count(*) FROM shown s \(condition.source) WHERE \(condition.sql)", condition.values)
    }

    func position(of id: Record.ID, in query: ListQuery) throws -> Int? {
        let condition = try condition(query)
        guard let place = try place(of: id, condition) else { return nil }
        if query.order == .page, let leftOut = condition.leftOut {
            // The rows of earlier pages are counted without comparing each.
            let counted = [1, 2, 3].filter { !leftOut.contains($0) }.map(String.init).joined(separator: ", ")
            let before = try number(
                composed: """
                    SELECT count(*) FROM shown INDEXED BY shown_listed WHERE listed IN (\(counted)) AND page < ?
                    """, [.integer(place.page)])
            let onPage = try number(
                composed: """
                    SELECT count(*) FROM shown s INDEXED BY shown_page
                    WHERE \(condition.sql) AND s.page = ? AND (s.top, s.id) < (?, ?)
                    """, condition.values + [.integer(place.page), .real(place.top), .text(id)])
            return before + onPage
        }
        return try number(
            composed: """
                SELECT count(*) FROM shown s, (SELECT * FROM shown WHERE id = ?) it
                WHERE \(condition.sql) AND \(query.order.isBefore)
                """, [.text(id)] + condition.values)
    }

    func counts(_ query: ListQuery, before id: Record.ID?) throws -> ListCounts {
        var counts = try matchCounts(query, before: id)
        if query.filter.resolved == false { counts.resolvedHidden = try resolvedCount() }
        if query.filter.hidesFurniture { (counts.hidden, counts.unread) = (try hidden(), try unreadCount()) }
        counts.all -= try leftOutCount(query.filter, furniture: counts.hidden.reduce(0) { $0 + $1.count })
        return counts
    }

    /// Counts the rows that a filter leaves out even without its search.
    private func leftOutCount(_ filter: ListFilter, furniture: Int) throws -> Int {
        var others: [String] = []
        if filter.headsOnly, try hasGroups() { others.append(Condition.parts) }
        if filter.resolved == false, try hasStates() { others.append(Condition.resolved) }
        guard !others.isEmpty else { return furniture }
        let ids = (filter.hidesFurniture ? [Condition.furniture] : []) + others
        return try number(
            composed: "SELECT count(*) FROM shown s WHERE s.listed AND s.id IN (\(ids.joined(separator: " UNION ")))",
            [])
    }

    private func resolvedCount() throws -> Int {
        guard try hasStates() else { return 0 }
        return try number(
            composed: "SELECT count(*) FROM shown s WHERE s.listed AND s.id IN (\(Condition.resolved))", [])
    }

    private func matchCounts(_ query: ListQuery, before id: Record.ID?) throws -> ListCounts {
        let condition = try condition(query)
        switch condition.way {
        case .any:
            let matching = try count(query)
            return ListCounts(
                matching: matching, all: condition.asksNothing ? matching : try count(ListQuery()),
                unread: try unreadCount(), position: try id.flatMap { try position(of: $0, in: query) })
        case .scan:
            let anchor = try id.flatMap { try isListed($0, condition) ? $0 : nil }
            return try counts(condition, query.order, before: anchor)
        case .inPageOrder:
            let anchor = try id.flatMap { try place(of: $0, condition) }
            return try counts(condition, before: anchor)
        }
    }

    /// Counts everything in one statement.
    private func counts(
        _ condition: Condition, _ order: ListQuery.Order, before anchor: Record.ID?
    ) throws -> ListCounts {
        let isBefore = anchor == nil ? "0" : order.isBefore
        let it = anchor == nil ? "" : "(SELECT * FROM shown WHERE id = ?) it CROSS JOIN "
        let values = condition.values + (anchor.map { [.text($0)] } ?? [])
        return try statements.prepared(
            composed: """
                SELECT count(*) FILTER (WHERE matches), count(*), count(*) FILTER (WHERE unread),
                    count(*) FILTER (WHERE is_before AND matches)
                FROM (SELECT \(condition.sought) AS matches, s.unread AS unread, \(isBefore) AS is_before
                    FROM \(it)shown s \(condition.source) WHERE s.listed)
                """
        ).first(values) {
            ListCounts(
                matching: $0.number(0), all: $0.number(1), unread: $0.number(2),
                position: anchor == nil ? nil : $0.number(3))
        } ?? ListCounts(matching: 0, all: 0, unread: 0)
    }

    /// Counts the rows before a row and those from it on, because the index is in the order of the list.
    private func counts(_ condition: Condition, before anchor: Place?) throws -> ListCounts {
        guard let anchor else {
            let all = try counted(condition, "", [])
            return ListCounts(matching: all.matching, all: all.all, unread: try unreadCount())
        }
        let values: [SQLValue] = [.integer(anchor.page), .real(anchor.top), .text(anchor.id)]
        let before = try counted(condition, "AND (s.page, s.top, s.id) < (?, ?, ?)", values)
        let rest = try counted(condition, "AND (s.page, s.top, s.id) >= (?, ?, ?)", values)
        return ListCounts(
            matching: before.matching + rest.matching, all: before.all + rest.all, unread: try unreadCount(),
            position: before.matching)
    }

    private func counted(
        _ condition: Condition, _ range: String, _ values: [SQLValue]
    ) throws -> (matching: Int, all: Int) {
        try statements.prepared(
            composed: """
                SELECT count(*) FILTER (WHERE \(condition.sought)), count(*) FROM shown s \(condition.source)
                WHERE s.listed \(range)
                """
        ).first(condition.values + values) { ($0.number(0), $0.number(1)) } ?? (0, 0)
    }

    /// The position of a row in the page order.
    private struct Place {
        var page: Int
        var top: Double
        var id: Record.ID
    }

    /// Returns nil if the condition does not list it.
    private func place(of id: Record.ID, _ condition: Condition) throws -> Place? {
        try statements.prepared(composed: "SELECT page, top FROM shown s WHERE \(condition.sql) AND id = ?")
            .first(condition.values + [.text(id)]) { Place(page: $0.number(0), top: $0.real(1), id: id) }
    }

    private func isListed(_ id: Record.ID, _ condition: Condition) throws -> Bool {
        try place(of: id, condition) != nil
    }
}

extension ListQuery.Order {
    /// Whether row `s` comes before row `it`.
    fileprivate var isBefore: String {
        switch self {
        case .page: "(s.page, s.top, s.id) < (it.page, it.top, it.id)"
        case .newest: "(s.changed > it.changed OR (s.changed = it.changed AND s.id < it.id))"
        case .group: "(ifnull(s.grp, ''), s.page, s.top, s.id) < (ifnull(it.grp, ''), it.page, it.top, it.id)"
        case .author: "(s.author_key, s.page, s.top, s.id) < (it.author_key, it.page, it.top, it.id)"
        }
    }
}
