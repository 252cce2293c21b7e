import Annotations
import InstantCore

extension LocalStoreContract {
    /// Keyboards and file systems spell letters with accents as one scalar or as two. Each finds the other; ids do not.
    static func filtersRowsInAnySpelling(_ store: any LocalStore) throws {
        let (one, two) = ("Jos\u{E9}", "Jose\u{301}")
        try show(
            [
                note("a\u{E9}", author: one, text: "Caf\u{E9}", group: one),
                note("ae\u{301}", author: two, text: "Cafe\u{301}", group: two),
                note("b", author: "Jose", text: "Cafe", group: "Jose"),
            ], in: store)
        try store.write { try $0.setQuotes([ByteOrdered("b"): "R\u{E9}sum\u{E9}"]) }
        let both = ["ae\u{301}", "a\u{E9}"]
        for spelling in [one, two] {
            let cafe = "C" + spelling.replacing("Jos", with: "AF").uppercased()
            let filters: [(String, (inout ListFilter) -> Void, [String])] = [
                ("text", { $0.text = String(cafe.dropFirst()) }, both), ("author", { $0.author = spelling }, both),
                ("author as text", { $0.text = spelling.uppercased() }, both),
                ("letters in their order", { $0.fuzzy = ["c" + spelling.dropFirst(3)] }, both),
                ("group", { $0.group = spelling }, both),
                ("not a word", { $0.excluded.words = [spelling] }, ["b"]),
                ("not an author", { $0.excluded.authors = [spelling] }, ["b"]),
                ("not a group", { $0.excluded.groups = [spelling] }, ["b"]),
                ("quoted", { ($0.text, $0.inQuotes) = ("r" + spelling.dropFirst(3) + "s", true) }, ["b"]),
            ]
            for (what, change, wanted) in filters {
                var query = ListQuery()
                change(&query.filter)
                try store.read { layer in
                    let found = try layer.rows(query, offset: 0, limit: 9).map(\.id)
                    try equal(
                        Set(found.map(ByteOrdered.init)), Set(wanted.map(ByteOrdered.init)), "\(what): \(spelling)")
                    try equal(try layer.count(query), wanted.count, "count: \(what)")
                }
            }
        }
        try store.read { layer in
            let facets = try layer.facets()
            try equal(facets.authors.map(\.count), [2, 1], "authors")
            try equal(facets.groups.map(\.count), [2, 1], "groups")
            try equal(facets.authors.map(\.value), [one, "Jose"], "an author in any spelling")
        }
    }
}
