import InstantCore
import SQLite

extension SQLiteTransaction {
    /// What a filter asks of a row `s` of the list.
    struct Condition {
        private(set) var sql: String
        private(set) var values: [SQLValue] = []
        /// Whether no index knows the answer, so that every row is looked at.
        let looksAtAll: Bool

        /// Behind the name of the table. Rows are read as they lie when all of them are: the planner takes an index for
        /// it, because one says what is listed, and looks each row up, which takes three times as long.
        var source: String { looksAtAll ? "NOT INDEXED" : "" }

        init(_ filter: ListFilter) {
            sql = "s.listed"
            looksAtAll = filter != ListFilter() && filter.pageIndex == nil && !filter.unreadOnly
            if !filter.kinds.isEmpty {
                add(
                    "s.kind IN (\(filter.kinds.map { _ in "?" }.joined(separator: ", ")))",
                    filter.kinds.map(\.type).sorted())
            }
            // GLOB is exact as instr() is, and takes half the time.
            if !filter.text.isEmpty { add("s.search GLOB ?", ["*\(Self.escaped(filter.text))*"]) }
            for word in filter.fuzzy {
                let letters = word.unicodeScalars.map { Self.escaped(String($0)) }
                add("s.search GLOB ?", ["*\(letters.joined(separator: "*"))*"])
            }
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
            sql += " AND \(clause)"
            values += texts.map { .text($0) }
        }

        /// In lower case, as rows are kept, with nothing in it that GLOB would take for more than itself.
        private static func escaped(_ text: String) -> String {
            text.lowercased().unicodeScalars.reduce(into: "") { pattern, scalar in
                pattern += ["*", "?", "["].contains(scalar) ? "[\(scalar)]" : "\(scalar)"
            }
        }
    }
}
