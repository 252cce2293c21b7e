import Annotations
import InstantCore

// Groups of annotations, and the number of rows beside what lists leave out.
extension LocalStoreContract {
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
