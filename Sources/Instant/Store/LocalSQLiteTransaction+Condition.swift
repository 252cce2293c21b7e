import InstantCore
import SQLite

extension LocalSQLiteTransaction {
    /// What a filter asks of a row `s` of the list.
    struct Condition {
        /// What is asked for beyond being listed. An index says that of all its rows and does not hold it: to ask a row once
        /// more would look it up.
        private(set) var sought = "true"
        private(set) var values: [SQLValue] = []
        /// How the rows are come by that it is asked of.
        let way: Way

        /// Everything that is listed is meant.
        let asksNothing: Bool

        enum Way: Hashable {
            /// By whatever index SQLite finds best.
            case any
            /// One behind the other as they lie, since all are looked at. The planner takes an index for it, because one
            /// says what is listed, and looks each row up, which takes three times as long.
            case asTheyLie
            /// By the index of the page order, which holds what such a filter asks for, and no row at all.
            case inPageOrder
        }

        var sql: String { "s.listed AND \(sought)" }

        /// Behind the name of the table.
        var source: String {
            switch way {
            case .any: ""
            case .asTheyLie: "NOT INDEXED"
            case .inPageOrder: "INDEXED BY shown_page"
            }
        }

        init(_ query: ListQuery) {
            let filter = query.filter
            var words = ListFilter()
            (words.text, words.fuzzy, words.inQuotes) = (filter.text, filter.fuzzy, filter.inQuotes)
            var nothing = ListFilter()
            nothing.inQuotes = filter.inQuotes
            asksNothing = filter == nothing
            let looksAtAll = !asksNothing && filter.pageIndex == nil && !filter.unreadOnly
            way = !looksAtAll ? .any : filter == words && query.order == .page ? .inPageOrder : .asTheyLie
            if !filter.kinds.isEmpty {
                add(
                    "s.kind IN (\(filter.kinds.map { _ in "?" }.joined(separator: ", ")))",
                    filter.kinds.map(\.type).sorted())
            }
            // What is sought is kept in lower case.
            let columns = filter.inQuotes ? ["s.search", "s.quoted"] : ["s.search"]
            func find(_ function: String, _ text: String) {
                let places = columns.map { "\(function)(\($0), ?)" }.joined(separator: " OR ")
                add("(\(places))", columns.map { _ in text.lowercased() })
            }
            if !filter.text.isEmpty { find("says", filter.text) }
            for word in filter.fuzzy { find("spells", word) }
            if let group = filter.group { add("ifnull(s.grp, '') = ?", [group]) }
            if let author = filter.author { add("s.author = ?", [author]) }
            if let page = filter.pageIndex {
                add("s.page = ?", [])
                values.append(.integer(page))
            }
            if filter.unreadOnly { add("s.unread", []) }
            if filter.pendingOnly { add("s.delivery <> 'delivered'", []) }
        }

        private mutating func add(_ clause: String, _ texts: [String]) {
            sought += " AND \(clause)"
            values += texts.map { .text($0) }
        }
    }
}
