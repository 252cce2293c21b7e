import Annotations
import InstantCore

extension LocalStoreContract {
    static func ordersRows(_ store: any LocalStore) throws {
        try show(
            [
                note("d", page: nil, author: "bo", changed: 1, group: nil),
                note("c", page: 0, top: 5.5, author: "Cy", changed: 4),
                note("b", page: 0, top: 5.5, author: "ana", changed: 4),
                note("a", page: 2, author: nil, changed: 9, group: nil),
                note("e", page: 0, top: -3, author: "Bo", changed: 2),
            ], in: store)
        let orders: [(ListQuery.Order, [String])] = [
            (.page, ["e", "b", "c", "a", "d"]), (.newest, ["a", "b", "c", "e", "d"]),
            (.author, ["a", "b", "e", "d", "c"]), (.group, ["a", "d", "e", "b", "c"]),
        ]
        for (order, wanted) in orders {
            let query = ListQuery(order: order)
            try store.read { layer in
                try equal(try layer.rows(query, offset: 0, limit: 9).map(\.id), wanted, "\(order)")
                try equal(try layer.rows(query, offset: 3, limit: 1).map(\.id), [wanted[3]], "window of \(order)")
                try equal(try layer.rows(query, offset: 9, limit: 9), [], "past the end")
                try equal(try layer.count(query), 5, "count")
            }
        }
    }

    static func filtersRows(_ store: any LocalStore) throws {
        try store.write { layer in
            try layer.show(ShownRow(note("a", page: 1, text: "Grüße, 100%_"), delivery: .unsent))
            try layer.show(
                ShownRow(note("b", page: 1, author: "Bo", type: "pspdfkit/markup/highlight"), delivery: .delivered))
            try layer.show(ShownRow(note("c", page: 2, type: "x/odd", group: nil), delivery: .conflict))
            try layer.show(
                ShownRow(note("d", page: 4, text: "zebra [*?]\0 and \\ back", group: "x"), delivery: .delivered))
            try layer.setUnread(["c"], true)
        }
        let filters: [(String, (inout ListFilter) -> Void, [String])] = [
            ("text in any case", { $0.text = "GRÜ" }, ["a"]),
            ("literal pattern characters", { $0.text = "%_" }, ["a"]), ("author as text", { $0.text = "BO" }, ["b"]),
            ("other literal pattern characters", { $0.text = "[*?]" }, ["d"]),
            ("one literal pattern character", { $0.text = "?" }, ["d"]),
            ("a literal character class", { $0.text = "[a]" }, []), ("a literal bracket", { $0.text = "]" }, ["d"]),
            ("after a NUL", { $0.text = "AND" }, ["d"]), ("a backslash", { $0.text = "\\" }, ["d"]),
            ("kind as text", { $0.text = "highl" }, ["b"]), ("author", { $0.author = "Bo" }, ["b"]),
            ("page", { $0.pageIndex = 1 }, ["a", "b"]),
            ("kind", { $0.kinds = [.highlight, .unknown("x/odd")] }, ["b", "c"]),
            ("unread", { $0.unreadOnly = true }, ["c"]), ("pending", { $0.pendingOnly = true }, ["a", "c"]),
            ("letters in their order", { $0.fuzzy = ["eü"] }, []), ("the same", { $0.fuzzy = ["GÜE", "1%_"] }, ["a"]),
            ("no pattern", { $0.fuzzy = ["b_"] }, []),
            ("no pattern either", { $0.fuzzy = ["b*z", "?z"] }, []), ("all of it", { $0.fuzzy = ["z[*]b"] }, ["d"]),
            ("a group", { $0.group = "x" }, ["d"]),
            ("the null group", { $0.group = "" }, ["c"]),
            ("nothing fits", { $0.text = "zzz" }, []),
            ("not a kind", { $0.excluded.kinds = [.highlight, .unknown("x/odd")] }, ["a", "d"]),
            ("not an author", { $0.excluded.authors = ["Bo"] }, ["a", "c", "d"]),
            ("not a group", { $0.excluded.groups = ["x", ""] }, ["a", "b"]),
            ("not a page", { $0.excluded.pages = [1, 4] }, ["c"]),
            ("not a word, in any case", { $0.excluded.words = ["GRÜ"] }, ["b", "c", "d"]),
            ("a page without a kind", { ($0.pageIndex, $0.excluded.kinds) = (1, [.highlight]) }, ["a"]),
        ]
        for (what, change, wanted) in filters {
            var query = ListQuery()
            change(&query.filter)
            try store.read { layer in
                try equal(try layer.rows(query, offset: 0, limit: 9).map(\.id), wanted, what)
                try equal(try layer.count(query), wanted.count, "count: \(what)")
                try expectCounts(of: query, wanted, in: layer, what)
            }
        }
    }

    /// Checks that every access path of a store returns the same list.
    private static func expectCounts(
        of query: ListQuery, _ wanted: [Record.ID], in layer: any StoredLayer, _ what: String
    ) throws {
        let counted = ListCounts(matching: wanted.count, all: 4, unread: 1)
        try equal(try layer.counts(query, before: nil), counted, "counts: \(what)")
        for id in ["a", "b", "c", "d", "none"] {
            var placed = counted
            placed.position = wanted.firstIndex(of: id)
            try equal(try layer.counts(query, before: id), placed, "place of \(id): \(what)")
        }
        for total in [wanted.count, nil] {
            try equal(
                try layer.rows(query, offset: 0, limit: 9, of: total).map(\.id), wanted,
                "\(what), counted: \(total != nil)")
            try equal(
                try layer.rows(query, offset: 1, limit: .max, of: total).map(\.id), Array(wanted.dropFirst()),
                "\(what), counted: \(total != nil), but the first")
        }
    }

    /// Links, form fields and other furniture without a remark can be left out, and are counted.
    static func hidesFurniture(_ store: any LocalStore) throws {
        try show(
            [
                note("a", page: 0), note("f", page: 1, text: "", type: "pspdfkit/widget"),
                note("g", page: 1, text: "", type: "pspdfkit/widget"),
                note("l", page: 1, text: "", type: "pspdfkit/link"),
                note("m", page: 1, text: "look", type: "pspdfkit/link"), note("z", page: 2),
                note("f:value", text: "", type: "pspdfkit/form-field-value", more: [("value", "secret")]),
            ], in: store)
        try store.write { layer in try layer.setUnread(["a", "f", "m"], true) }
        try store.read { layer in
            let all = ["a", "f", "g", "l", "m", "z"]
            for order in [ListQuery.Order.page, .newest, .author, .group] {
                var query = ListQuery(order: order)
                try equal(try Set(layer.rows(query, offset: 0, limit: 9).map(\.id)), Set(all), "all by \(order)")
                try equal(try layer.counts(query, before: nil).hidden, [], "nothing is left out by \(order)")
                for text in ["", "note"] {
                    query.filter.text = text
                    query.filter.hidesFurniture = true
                    let rows = try layer.rows(query, offset: 0, limit: 9).map(\.id)
                    try equal(rows.sorted(), text.isEmpty ? ["a", "m", "z"] : ["a", "z"], "by \(order) with \(text)")
                    var counts = ListCounts(matching: rows.count, all: 3, unread: 2)
                    counts.hidden = [.init(.formField, 2), .init(.link, 1)]
                    try equal(try layer.counts(query, before: nil), counts, "counts by \(order) with \(text)")
                    counts.position = rows.firstIndex(of: "z")
                    try equal(try layer.counts(query, before: "z"), counts, "place by \(order) with \(text)")
                    counts.position = nil
                    try equal(try layer.counts(query, before: "f"), counts, "place of a hidden row by \(order)")
                }
            }
            try equal(try layer.rows(onPage: 1).map(\.id), ["f", "g", "l", "m"], "marks of the page")
            try equal(try layer.isAnnotationShown("f"), true, "a hidden row is an annotation")
            try equal(try layer.isAnnotationShown("f:value"), false, "a value is none")
        }
        try equal(
            try Layer(store: store).row("f")?.text, "secret", "a field's row has its value as far as it is there")
    }

    static func countsFacets(_ store: any LocalStore) throws {
        try show(
            [
                note("a", author: "bo", group: "y"), note("b", author: "ana", group: nil),
                note("c", author: "ana", group: "x"),
                note("d", author: nil, type: "pspdfkit/ink", group: "x"),
                note("e", author: "cy", type: "pspdfkit/comment", group: "z", more: [("rootId", "a")]),
            ], in: store)
        try store.read { layer in
            let facets = try layer.facets()
            try equal(facets.kinds, [.init(.note, 3), .init(.ink, 1)], "kinds")
            try equal(facets.authors, [.init("ana", 2), .init("bo", 1)], "authors")
            try equal(facets.groups, [.init("x", 2), .init("y", 1)], "groups")
        }
    }

    static func findsPositions(_ store: any LocalStore) throws {
        try show(
            (0..<20).map {
                note(
                    "n\($0)", page: $0 % 3, author: "A\($0 % 4)", changed: Int64($0 / 2),
                    group: $0 % 5 == 0 ? nil : "g\($0 % 5)")
            }, in: store)
        for order in [ListQuery.Order.page, .newest, .author, .group] {
            var query = ListQuery(order: order)
            try store.read { layer in
                let rows = try layer.rows(query, offset: 0, limit: 20)
                for (index, row) in rows.enumerated() {
                    try equal(try layer.position(of: row.id, in: query), index, "position by \(order)")
                }
                query.filter.fuzzy = ["note"]
                for (index, row) in rows.enumerated() {
                    try equal(try layer.counts(query, before: row.id).position, index, "place among all by \(order)")
                }
                query.filter.fuzzy = []
                // At any offset, and for windows with many more rows than are sorted, or few.
                for limit in [1, 3, 20] {
                    for offset in 0...21 {
                        let window = Array(rows.dropFirst(offset).prefix(limit))
                        try equal(
                            try layer.rows(query, offset: offset, limit: limit, of: 20), window,
                            "\(limit) by \(order) at \(offset)")
                    }
                }
                query.filter.pageIndex = 1
                try equal(try layer.position(of: "n1", in: query) != nil, true, "listed")
                try equal(try layer.position(of: "n2", in: query), nil, "not listed")
            }
        }
    }

    static func findsQuotes(_ store: any LocalStore) throws {
        func mark(_ id: String, page: Int? = 0, top: Double = 0, text: String = "mine") -> Record {
            note(id, page: page, top: top, text: text, type: "pspdfkit/markup/highlight")
        }
        try show(
            [mark("a"), mark("b", page: 3), mark("c", page: 3, top: 5), mark("d", page: nil), note("e", page: 7)],
            in: store)
        func expect(_ text: String, _ wanted: [String], fuzzy: Bool = false, inQuotes: Bool = true) throws {
            for order in [ListQuery.Order.page, .newest, .author, .group] {
                var query = ListQuery(order: order)
                (query.filter.text, query.filter.fuzzy) = fuzzy ? ("", [text]) : (text, [])
                query.filter.inQuotes = inQuotes
                try store.read { layer in
                    try equal(try layer.rows(query, offset: 0, limit: 9).map(\.id), wanted, "\(text) by \(order)")
                    let counts = try layer.counts(query, before: wanted.last)
                    try equal(counts.matching, wanted.count, "count of \(text) by \(order)")
                    try equal(counts.position, wanted.isEmpty ? nil : wanted.count - 1, "place by \(order)")
                    try equal(counts.all, 5, "all by \(order)")
                }
            }
        }
        try store.read { layer in
            try equal(try layer.pagesToQuote(), [0, 3], "pages")
            try equal(try layer.rowsToQuote(onPage: 3).map(\.id), ["b", "c"], "rows")
            try equal(try layer.rowsToQuote(onPage: 7), [], "no marks")
        }
        try expect("tide", [])
        let found = [("a", "The Tide, ÄRGER"), ("b", "a tide table"), ("c", ""), ("none", "tide")]
        let quotes = Dictionary(uniqueKeysWithValues: found.map { (ByteOrdered($0), $1) })
        try store.write { try $0.setQuotes(quotes) }
        try equal(try store.read { try $0.pagesToQuote() }, [], "all are known")
        try expect("TIDE", ["a", "b"])
        try expect("tide", [], inQuotes: false)
        try expect("ttbl", ["b"], fuzzy: true)
        try expect("ärg", ["a"])
        try expect("mine", ["a", "b", "c", "d"])
        try expect("e ta", ["b"])
        // Words found in the text stay indexed when the mark's delivery state or text changes.
        try store.write { layer in
            try layer.show(ShownRow(mark("a"), delivery: .unsent))
            try layer.show(ShownRow(mark("b", page: 3, text: "other"), delivery: .delivered))
        }
        try expect("tide", ["a", "b"])
        // A moved mark covers other words.
        try show([mark("a", top: 9), mark("b", page: 4, text: "other")], in: store)
        try expect("tide", [])
        try equal(try store.read { try $0.pagesToQuote() }, [0, 4], "pages of those that were moved")
        try store.write { layer in
            try layer.setQuotes([ByteOrdered("a"): "ebb", ByteOrdered("b"): "ebb"])
            try layer.hide("a")
        }
        try show([mark("a", top: 9)], in: store)
        try expect("ebb", ["b"])
        try store.write { try $0.forgetQuotes() }
        try expect("ebb", [])
        try equal(try store.read { try $0.pagesToQuote() }, [0, 3, 4], "all are forgotten")
        var all = ListQuery()
        all.filter.inQuotes = true
        try equal(try store.read { try $0.counts(all, before: "b") }.matching, 5, "no text to search for")
    }

    static func keepsThreads(_ store: any LocalStore) throws {
        func comment(_ id: String, at moment: Int64) -> Record {
            note(
                id, type: "pspdfkit/comment",
                more: [
                    ("rootId", "root"), ("createdAt", .string(Timestamp(milliseconds: moment).iso8601)),
                ])
        }
        try show([note("root"), comment("z", at: 1), comment("y", at: 5), comment("x", at: 5)], in: store)
        try store.read { layer in
            try equal(try layer.thread(under: "root"), ["z", "x", "y"], "by creation")
            try equal(try layer.rows(ListQuery(), offset: 0, limit: 9).map(\.id), ["root"], "list")
            try equal(try layer.row("root")?.replies, 3, "replies")
            try equal(try layer.rows(onPage: 0).map(\.id), ["root"], "page")
        }
    }

    static func listsStates(_ store: any LocalStore) throws {
        func state(_ id: String, _ root: String, _ state: AnnotationState, at moment: Int64) -> Record {
            let made = note(
                id, type: "pspdfkit/comment",
                more: [
                    ("rootId", .string(root)), ("createdAt", .string(Timestamp(milliseconds: moment).iso8601)),
                ])
            return Record(id: id, content: made.content.setting(state))
        }
        func ids(_ change: (inout ListFilter) -> Void) throws -> [String] {
            var query = ListQuery()
            change(&query.filter)
            return try store.read { try $0.rows(query, offset: 0, limit: 9).map(\.id) }
        }
        try show([note("a"), note("b"), note("c"), note("d")], in: store)
        try equal(try ids { $0.resolved = false }, ["a", "b", "c", "d"], "no states")
        try show(
            [
                state("a1", "a", .accepted, at: 1), state("a2", "a", .unset, at: 2), state("b1", "b", .unset, at: 1),
                state("b2", "b", .completed, at: 1), state("c1", "c", .rejected, at: 5),
                state("c2", "c", .marked, at: 6), state("z", "gone", .accepted, at: 1),
            ], in: store)
        try equal(try ids { $0.resolved = true }, ["b", "c"], "resolved")
        try equal(try ids { $0.resolved = false }, ["a", "d"], "open")
        try equal(try ids { $0.states = [.completed, .unset] }, ["a", "b"], "by state")
        try equal(try ids { ($0.states, $0.resolved) = ([.rejected], true) }, ["c"], "by state and resolved")
        try store.read { layer in
            var query = ListQuery()
            query.filter.resolved = false
            var counts = ListCounts(matching: 2, all: 2, unread: 0, position: 1)
            counts.resolvedHidden = 2
            for order in ListQuery.Order.allCases where order != .newest {
                query.order = order
                try equal(try layer.counts(query, before: "d"), counts, "counts \(order)")
            }
            query.filter.text = "note"
            try equal(try layer.counts(query, before: nil).resolvedHidden, 2, "hidden of a search")
            let row = try layer.row("c")
            try equal(row?.review, .rejected, "state")
            try equal([row?.replies, row?.states, row?.remarks], [2, 2, 0], "comments")
            try equal(try layer.row("a")?.review, .unset, "withdrawn state")
            try equal(try layer.row("d")?.review, nil, "no state")
        }
        // A state that changes, as one that is edited does.
        try show([state("c1", "c", .unset, at: 5)], in: store)
        try equal(try ids { $0.resolved = true }, ["b"], "resolved after a change")
        try store.write { _ = try $0.hide("b2") }
        try equal(try ids { $0.resolved = true }, [], "resolved after a deletion")
    }

    static func headsLeftComments(_ store: any LocalStore) throws {
        func comment(_ id: String, _ root: String, page: Int?, changed: Int64) -> Record {
            note(
                id, page: page, author: "bo", type: "pspdfkit/comment", changed: changed,
                more: [("rootId", .string(root))])
        }
        try show(
            [
                note("a", page: 1), comment("c1", "gone", page: 4, changed: 30),
                comment("c2", "gone", page: 2, changed: 9),
                comment("c3", "a", page: 1, changed: 5), comment("c4", "lost", page: nil, changed: 5),
            ], in: store)
        let summary = ThreadSummary(pageIndex: 2, changedAt: Timestamp(milliseconds: 30))
        try store.write { layer in
            try equal(try layer.rootsWithoutRow().sorted(), ["gone", "lost"], "without a row")
            try equal(try layer.threadSummary(under: "gone"), summary, "summary")
            try equal(try layer.threadSummary(under: "lost")?.pageIndex, nil, "on no page")
            try equal(try layer.threadSummary(under: "none"), nil, "no comments")
            for root in ["gone", "lost"] {
                guard let thread = try layer.threadSummary(under: root) else { throw Broken(description: "no thread") }
                try layer.show(ShownRow(leftBy: root, thread))
            }
            try equal(try layer.rootsWithoutRow(), [], "all have a row")
            try equal(
                try ["a", "gone", "c1", "none"].map(layer.root(ofShown:)), [nil, nil, "gone", nil], "the roots")
            try equal(
                try ["a", "gone", "c1", "none"].map(layer.isAnnotationShown), [true, false, false, false], "shown")
        }
        func ids(_ change: (inout ListFilter) -> Void = { _ in }, _ order: ListQuery.Order = .page) throws -> [String] {
            var query = ListQuery(order: order)
            change(&query.filter)
            return try store.read { layer in
                let ids = try layer.rows(query, offset: 0, limit: 9).map(\.id)
                try equal(try layer.count(query), ids.count, "count")
                try equal(
                    try layer.counts(query, before: ids.last).position, ids.isEmpty ? nil : ids.count - 1, "place")
                return ids
            }
        }
        try equal(try ids(), ["a", "gone", "lost"], "list")
        try equal(try ids({ _ in }, .newest).first, "gone", "by its newest comment")
        try equal(try ids { $0.text = "Deleted ANN" }, ["gone", "lost"], "found by its name")
        try equal(try ids { $0.recordsOnly = true }, ["a"], "records")
        try equal(try ids { ($0.recordsOnly, $0.text) = (true, "ann") }, [], "records that are found")
        try equal(try ids { ($0.recordsOnly, $0.pageIndex) = (true, 2) }, [], "records of a page")
        try equal(try ids { $0.kinds = [.comment] }, ["gone", "lost"], "comments")
        try store.read { layer in
            let row = try layer.row("gone")
            try equal(row?.isDeletedRoot, true, "heading")
            try equal(row?.replies, 2, "replies")
            try equal(row?.name, "deleted annotation", "name")
            try equal(try layer.row("a")?.isDeletedRoot, false, "record")
            try equal(try layer.rows(onPage: 2), [], "not on the page")
        }
        // The root comes, then it goes again with one of its comments.
        try show([note("gone", page: 2)], in: store)
        try equal(try store.read { try $0.row("gone")?.isDeletedRoot }, false, "the root itself")
        try equal(try store.read { try $0.rows(onPage: 2).map(\.id) }, ["gone"], "on the page")
        try store.write { layer in
            try equal(try layer.hide("c1"), "gone", "the root of a comment")
            try equal(try layer.hide("c1"), nil, "hidden already")
            try equal(try layer.hide("gone"), nil, "of an annotation")
            try equal(try layer.rootsWithoutRow(), ["gone"], "one comment is left")
        }
    }

    /// Shows a row again, with a new delivery state or with different content.
    static func showsAgain(_ store: any LocalStore) throws {
        var edited = note("a", page: 3, text: "other words")
        edited.updatedBy = "bo"
        let states: [(Record, DeliveryState)] = [
            (note("a"), .unsent), (note("a"), .delivered), (note("a", author: nil), .delivered),
            (note("a", page: 3, text: "other words"), .conflict), (note("a", page: 3, text: "other words"), .delivered),
            (edited, .delivered), (edited, .unsent), (note("a", page: 3, text: "other words"), .delivered),
        ]
        for (record, delivery) in states {
            let shown = ShownRow(record, delivery: delivery)
            try store.write { try $0.show(shown) }
            let row = try store.read { try $0.row("a") }
            try equal(row, shown.row, "\(delivery) on \(shown.row.pageKey)")
            try equal(try store.read { try $0.count(ListQuery()) }, 1, "rows")
        }
        var filter = ListFilter()
        filter.text = "other"
        try equal(try store.read { try $0.count(ListQuery(filter: filter)) }, 1, "rows found by the new words")
    }

    static func keepsUnread(_ store: any LocalStore) throws {
        try show([note("a"), note("b")], in: store)
        try store.write { try $0.setUnread(["a"], true) }
        try show([note("a", text: "again")], in: store)
        try store.read { layer in
            try equal(try layer.row("a")?.isUnread, true, "a")
            try equal(try layer.row("b")?.isUnread, false, "b")
            try equal(try layer.unreadCount(), 1, "count")
        }
        try store.write { layer in
            try layer.hide("a")
            try layer.show(ShownRow(note("a"), delivery: .delivered))
        }
        try equal(try store.read { try $0.row("a")?.isUnread }, false, "a new row")
    }
}

extension LocalStoreContract {
    /// One row in the list, but one on each page.
    static func showsOnSeveralPages(_ store: any LocalStore) throws {
        let places = [
            OtherPlace(pageIndex: 1), OtherPlace(pageIndex: 12, box: Rect(left: 1, top: 9, width: 2, height: 3)),
        ]
        var shared = note("b", page: 0, top: 5, type: "pspdfkit/markup/highlight", more: [("rects", [[1, 2, 3, 4]])])
        shared.content = shared.content.standing(on: places)
        let moved = Record(id: "c", content: shared.content.changing { $0["pageIndex"] = 3 })
        // Text that only looks like the member, and a member that says nothing.
        let others = [
            note("a", page: 1, top: 9, text: #""pages":[{"pageIndex":12}]"#), note("d", page: 1, top: 1),
            note("e", page: 2, more: [("postilla", ["pages": "1"]), ("pages", [["pageIndex": 12]])]),
        ]
        try store.write { layer in
            for record in others + [shared, moved] {
                try layer.put(StoredRecord(record, 1))
                try layer.show(ShownRow(record, delivery: .delivered))
            }
        }
        func pages() throws -> [Int: [Record.ID]] {
            try store.read { layer in
                var found: [Int: [Record.ID]] = [:]
                for page in 0..<13 {
                    var query = ListQuery()
                    query.filter.pageIndex = page
                    let rows = try layer.rows(onPage: page).map(\.id)
                    try equal(
                        Set(try layer.rows(query, offset: 0, limit: 9).map(\.id)), Set(rows), "filter of page \(page)")
                    try equal(try layer.count(query), rows.count, "count of page \(page)")
                    if !rows.isEmpty { found[page] = rows }
                }
                return found
            }
        }
        try equal(try pages(), [0: ["b"], 1: ["d", "b", "a"], 2: ["e"], 3: ["c"], 12: ["b"]], "pages")
        try store.read { layer in
            let (same, other) = (try layer.rows(onPage: 1)[1], try layer.rows(onPage: 12)[0])
            try equal(same.box, Rect(left: 10, top: 5, width: 20, height: 20), "the same place")
            try equal(same.rects, [Rect(left: 1, top: 2, width: 3, height: 4)], "the same words")
            try equal([other.box] + other.rects, [places[1].box, places[1].box], "another place")
            try equal(other.pageIndex, 0, "the first page")
            try equal(try layer.count(ListQuery()), 5, "rows of the list")
        }
        // An edit that the server lacks moves it: it stands on its new page only.
        try store.write { layer in
            let edited = Record(id: "b", content: shared.content.changing { $0["pageIndex"] = 1 })
            try layer.show(ShownRow(edited, delivery: .unsent))
        }
        try equal(try pages(), [1: ["d", "b", "a"], 2: ["e"], 3: ["c"]], "moved")
        try store.write { _ = try $0.hide("b") }
        try equal(try pages(), [1: ["d", "a"], 2: ["e"], 3: ["c"]], "deleted")
    }
}
