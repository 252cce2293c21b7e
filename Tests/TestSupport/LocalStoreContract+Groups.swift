import Annotations
import InstantCore

// Groups of annotations, the number of rows beside what lists leave out, and what the page draws.
extension LocalStoreContract {
    static func keepsColors(_ store: any LocalStore) throws {
        func mark(_ id: String, _ color: JSON) -> Record {
            note(id, page: 3, type: "pspdfkit/markup/highlight", more: [("color", color)])
        }
        func colors() throws -> [String?] { try store.read { try $0.rows(onPage: 3).map(\.color) } }
        let long = JSON.string(String(repeating: "#", count: 33))
        try show(
            [
                mark("a", "#ff0000"), mark("b", "odd"), mark("c", 7), mark("d", long),
                note("e", page: 3, type: "pspdfkit/ink", more: [("strokeColor", "#00ff00")]), note("f", page: 3),
            ], in: store)
        try equal(try colors(), ["#ff0000", "odd", nil, nil, "#00ff00", nil], "as written")
        try store.read { layer in
            try equal(try layer.rows(ListQuery(), offset: 0, limit: 1).first?.color, "#ff0000", "in a list")
        }
        try store.write { layer in
            try layer.show(ShownRow(mark("a", "#0000ff"), delivery: .unsent))
            try layer.show(ShownRow(mark("b", "odd"), delivery: .parked))
            try layer.setUnread(["a", "b"], true)
            try layer.setQuotes([ByteOrdered("a"): "words"])
        }
        try equal(try colors(), ["#0000ff", "odd", nil, nil, "#00ff00", nil], "after changes")
    }

    static func joinsGroups(_ store: any LocalStore) throws {
        func part(_ id: String, of head: String) -> Record {
            note(
                id, type: "pspdfkit/markup/strikeout",
                more: [("postilla", ["inReplyTo": .string(head), "replyType": "group"])])
        }
        try show([note("caret"), part("strike", of: "caret"), part("lost", of: "none")], in: store)
        try store.read { layer in
            var query = ListQuery()
            try equal(try layer.count(query), 3, "all")
            query.filter.headsOnly = true
            try equal(try layer.rows(query, offset: 0, limit: 9).map(\.id), ["caret", "lost"], "heads")
            try equal(try layer.count(query), 2, "count")
            for text in ["", "note", "strike", "nothing"] {
                query.filter.text = text
                try equal(try layer.counts(query, before: nil).all, 2, "without the search for “\(text)”")
            }
            try equal(try layer.rows(onPage: 0).map(\.id), ["caret", "lost", "strike"], "page")
            try equal(try layer.row("strike")?.head, "caret", "head")
        }
        try store.write { _ = try $0.hide("caret") }
        var query = ListQuery()
        query.filter.headsOnly = true
        try equal(try store.read { try $0.count(query) }, 2, "parts whose head is gone")
    }

    /// A search leaves the number of all rows as it is without one, whatever the list hides.
    static func countsWithoutTheSearch(_ store: any LocalStore) throws {
        let group: (String, JSON) = ("postilla", ["inReplyTo": "head", "replyType": "group"])
        let answer = note("answer", type: "pspdfkit/comment", more: [("rootId", "done")])
        try show(
            [
                note("head"), note("open"), note("done"), note("part", more: [group]),
                note("link", text: "", type: "pspdfkit/link", more: [group]),
                Record(id: "answer", content: answer.content.setting(.accepted)),
            ], in: store)
        for order in ListQuery.Order.allCases {
            for flags in 0..<8 {
                var query = ListQuery(order: order)
                (query.filter.hidesFurniture, query.filter.headsOnly) = (flags & 1 > 0, flags & 2 > 0)
                query.filter.resolved = flags & 4 > 0 ? false : nil
                let wanted = try store.read { try $0.count(query) }
                for text in ["", "note", "nothing"] {
                    query.filter.text = text
                    for id in ["open", nil] {
                        let all = try store.read { try $0.counts(query, before: id).all }
                        try equal(all, wanted, "\(order), \(flags), “\(text)”")
                    }
                }
            }
        }
    }
}
