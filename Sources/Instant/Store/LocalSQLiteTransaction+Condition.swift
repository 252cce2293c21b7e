import Annotations
import InstantCore
import SQLite

import struct Annotations.Record

extension LocalSQLiteTransaction {
    /// Returns the condition of a query. Conditions about states and groups are left out where a layer has none, so that
    /// its lists cost nothing more.
    func condition(_ query: ListQuery) throws -> Condition {
        var filter = query.filter
        if filter.resolved == false, try !hasStates() { filter.resolved = nil }
        if filter.headsOnly, try !hasGroups() { filter.headsOnly = false }
        let others = try filter.pageIndex.map { try rowsOfOtherPages(on: $0).map(\.id) } ?? []
        return Condition(ListQuery(order: query.order, filter: filter), without: damage.rows, others: others)
    }

    func hasGroups() throws -> Bool { try number("SELECT EXISTS (SELECT 1 FROM shown WHERE head IS NOT NULL)") > 0 }

    func hasStates() throws -> Bool { try number("SELECT EXISTS (SELECT 1 FROM shown WHERE state IS NOT NULL)") > 0 }

    /// The SQL condition of a filter on a row `s` of the list.
    struct Condition {
        /// The condition without `listed`. An index contains only listed rows but not that column, so testing it again
        /// would look up each row.
        private(set) var sought = "true"
        private(set) var values: [SQLValue] = []
        /// How the tested rows are read.
        let way: Way

        /// Whether the filter matches all listed rows.
        let asksNothing: Bool

        /// The values of `listed` that the filter leaves out, if it leaves out nothing else.
        let leftOut: [Int]?

        enum Way: Hashable {
            /// By the index that SQLite chooses.
            case any
            /// A scan in storage order, because all rows are tested. The planner would use an index of the listed rows
            /// and look up each row, which takes three times as long.
            case scan
            /// By the index of the page order, which contains everything that such a filter needs; no row is read.
            case inPageOrder
        }

        var sql: String { "s.listed AND \(sought)" }

        /// The clause after the table's name.
        var source: String {
            switch way {
            case .any: ""
            case .scan: "NOT INDEXED"
            case .inPageOrder: "INDEXED BY shown_page"
            }
        }

        /// - Parameters:
        ///   - damaged: The numbers of rows to leave out.
        ///   - others: The annotations of other pages that stand on the filter's page.
        init(_ query: ListQuery, without damaged: [Int64], others: [Record.ID]) {
            let filter = query.filter
            var words = ListFilter()
            (words.text, words.fuzzy, words.inQuotes) = (filter.text, filter.fuzzy, filter.inQuotes)
            var nothing = ListFilter()
            nothing.inQuotes = filter.inQuotes
            asksNothing = filter == nothing
            nothing.recordsOnly = filter.recordsOnly
            nothing.hidesFurniture = filter.hidesFurniture
            words.hidesFurniture = filter.hidesFurniture
            (nothing.headsOnly, words.headsOnly) = (filter.headsOnly, filter.headsOnly)
            // The few resolved rows are found without looking at all rows.
            (nothing.resolved, words.resolved) = (filter.resolved, filter.resolved)
            // So are the few with mentions. Comments have an index of their own.
            (nothing.mentions, words.mentions) = (filter.mentions, filter.mentions)
            (nothing.inComments, words.inComments) = (filter.inComments, filter.inComments)
            var plain = ListFilter()
            (plain.inQuotes, plain.recordsOnly) = (filter.inQuotes, filter.recordsOnly)
            plain.hidesFurniture = filter.hidesFurniture
            leftOut =
                filter == plain && damaged.isEmpty
                ? (filter.recordsOnly ? [2] : []) + (filter.hidesFurniture ? [3] : []) : nil
            let looksAtAll = filter != nothing && filter.pageIndex == nil && !filter.unreadOnly
            way = !looksAtAll ? .any : filter == words && query.order == .page ? .inPageOrder : .scan
            if !filter.kinds.isEmpty {
                add(
                    "s.kind IN (\(filter.kinds.map { _ in "?" }.joined(separator: ", ")))",
                    filter.kinds.map(\.type).sorted())
            }
            // Search columns are in search form.
            let columns = filter.inQuotes ? ["s.search", "s.quoted"] : ["s.search"]
            func find(_ function: String, _ text: String, inComments: Bool = false) {
                var places = columns.map { "\(function)(\($0), ?)" }
                if inComments { places.append("s.id IN (\(Self.commented))") }
                add("(\(places.joined(separator: " OR ")))", places.map { _ in text.searchForm })
            }
            if !filter.text.isEmpty { find("contains_text", filter.text, inComments: filter.inComments) }
            for word in filter.fuzzy { find("is_subsequence", word) }
            if let group = filter.group { add("is_spelled(ifnull(s.grp, ''), ?)", [group]) }
            if let author = filter.author { add("is_spelled(s.author, ?)", [author]) }
            if let page = filter.pageIndex {
                let also = others.prefix(Self.maxOthers)
                let marks = also.map { _ in "?" }.joined(separator: ", ")
                add(also.isEmpty ? "s.page = ?" : "(s.page = ? OR s.id IN (\(marks)))", [])
                values.append(.integer(page))
                values += also.map { .text($0) }
            }
            if !filter.excluded.isEmpty { leaveOut(filter.excluded, columns, inComments: filter.inComments) }
            if let user = filter.mentions { add("s.id IN (\(Self.mentioning))", [ShownRow.mark(ofMentioned: user)]) }
            if filter.unreadOnly { add("s.unread", []) }
            if filter.pendingOnly { add("s.delivery <> 'delivered'", []) }
            // Not by the column, which the indexes lack: there are few such rows.
            if filter.recordsOnly { add("s.id NOT IN (\(Self.headings))", []) }
            if filter.hidesFurniture { add("s.id NOT IN (\(Self.furniture))", []) }
            if let resolved = filter.resolved { add("s.id \(resolved ? "" : "NOT ")IN (\(Self.resolved))", []) }
            if !filter.states.isEmpty {
                let states = filter.states.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")
                add("s.id IN (\(Self.annotations(where: "state IN (\(states))")))", [])
            }
            if filter.headsOnly { add("s.id NOT IN (\(Self.parts))", []) }
            if !damaged.isEmpty { add("s.rowid NOT IN (\(damaged.map { "\($0)" }.joined(separator: ", ")))", []) }
        }

        /// SQLite allows 32,766 values in one statement.
        private static let maxOthers = 10_000

        /// The annotations with a comment that has some words.
        private static let commented = """
            SELECT root FROM shown INDEXED BY shown_said WHERE root IS NOT NULL AND contains_text(search, ?)
            """

        /// The annotations with a comment that names a user.
        private static let mentioning = """
            SELECT root FROM shown INDEXED BY shown_mentions
            WHERE \(StoredColumns.isMentioning) AND instr(search, ?) > 0
            """

        /// The headings of comments whose root is gone.
        private static let headings = "SELECT id FROM shown INDEXED BY shown_heading WHERE listed = 2"

        /// The furniture that lists leave out.
        static let furniture = "SELECT id FROM shown INDEXED BY shown_hidden WHERE listed = 3"

        /// The parts of groups whose head is listed.
        static let parts = """
            SELECT part.id FROM shown part JOIN shown head ON head.id = part.head
            WHERE part.head IS NOT NULL AND head.listed = 1 AND head.head IS NULL
            """

        /// The annotations that are resolved.
        static let resolved = annotations(where: "state <> 'none'")

        /// The annotations whose newest state of the review model meets a condition.
        private static func annotations(where condition: String) -> String {
            """
            SELECT root FROM (
                SELECT root, state, row_number() OVER (PARTITION BY root ORDER BY created DESC, id DESC) AS place
                FROM shown WHERE state IS NOT NULL AND root IS NOT NULL AND state NOT IN ('marked', 'unmarked'))
            WHERE place = 1 AND \(condition)
            """
        }

        private mutating func leaveOut(_ excluded: ListFilter.Excluded, _ columns: [String], inComments: Bool) {
            func marks(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
            let kinds = excluded.kinds.map(\.type).sorted()
            if !kinds.isEmpty { add("s.kind NOT IN (\(marks(kinds.count)))", kinds) }
            for author in excluded.authors.sorted() { add("NOT is_spelled(ifnull(s.author, ''), ?)", [author]) }
            for group in excluded.groups.sorted() { add("NOT is_spelled(ifnull(s.grp, ''), ?)", [group]) }
            for page in excluded.pages.sorted() { add("s.page <> \(page)", []) }
            for word in excluded.words.sorted() {
                for column in columns {
                    add("NOT contains_text(ifnull(\(column), ''), ?)", [word.searchForm])
                }
                if inComments { add("s.id NOT IN (\(Self.commented))", [word.searchForm]) }
            }
        }

        private mutating func add(_ clause: String, _ texts: [String]) {
            sought += " AND \(clause)"
            values += texts.map { .text($0) }
        }
    }
}
