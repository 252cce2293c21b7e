import Annotations
import InstantCore

extension LocalStoreContract {
    private static func comment(_ id: String, _ root: String, _ xhtml: String) -> Record {
        note(
            id, type: "pspdfkit/comment",
            more: [("rootId", .string(root)), ("v", 2), ("text", ["format": "xhtml", "value": .string(xhtml)])])
    }

    static func findsComments(_ store: any LocalStore) throws {
        func naming(_ user: String) -> String { "<p>Look <span data-user-id=\"\(user)\">@Bo</span></p>" }
        // Text that only looks like a mark, and a note: only comments name people.
        let mark = ShownRow.mark(ofMentioned: "bo")
        var markup = note("b", text: "x\(mark)x")
        markup.content = markup.content.changing { $0["text"] = ["format": "xhtml", "value": .string(naming("bo"))] }
        try show(
            [
                note("a", top: 1), comment("c1", "a", naming("bo")), comment("c2", "a", naming("B")), markup,
                note("d", top: 2, text: mark), comment("c3", "d", "<p>@Bo \(mark)</p>"),
                comment("c4", "gone", naming("bo")), note("e", top: 3), comment("c5", "e", naming("b\u{e9}")),
            ], in: store)
        func found(_ change: (inout ListFilter) -> Void) throws -> [Record.ID] {
            var query = ListQuery()
            change(&query.filter)
            return try store.read { layer in
                let rows = try layer.rows(query, offset: 0, limit: 9).map(\.id)
                try equal(try layer.counts(query, before: nil).matching, rows.count, "count")
                try equal(try layer.count(query), rows.count, "count")
                return rows.sorted()
            }
        }
        try store.write { layer in
            try layer.show(ShownRow(leftBy: "gone", ThreadSummary(pageIndex: 0, changedAt: nil)))
            try layer.setUnread(["c1"], true)
        }
        try equal(try found { $0.mentions = "bo" }, ["a", "gone"], "bo")
        try equal(try found { $0.mentions = "B" }, ["a"], "B")
        try equal(try found { $0.mentions = "be\u{301}" }, [], "a look-alike")
        try equal(try found { $0.mentions = "b" }, [], "the beginning of an id")
        try equal(
            try found {
                $0.mentions = "bo"
                $0.unreadOnly = true
            }, [], "unread")
        let comments = try store.read { try $0.mentions(of: "bo") }.sorted { $0.id < $1.id }
        try equal(
            comments,
            [
                MentioningComment(id: "c1", root: "a", isUnread: true),
                MentioningComment(id: "c4", root: "gone", isUnread: false),
            ], "comments")
        try equal(try found { $0.text = "@bo" }, ["b"], "words of the annotation")
        try equal(
            try found {
                $0.text = "LOOK @bo"
                $0.inComments = true
            }, ["a", "b", "e", "gone"], "words of its comments")
        try equal(
            try found {
                $0.excluded.words = ["look"]
                $0.inComments = true
            }, ["d"], "without these words")
        try equal(
            try found {
                $0.text = "eg"
                $0.inComments = true
            }, [], "the mark of a mention")
        try store.write { _ = try $0.hide("c1") }
        try equal(try found { $0.mentions = "bo" }, ["gone"], "a deleted comment")
    }

    static func listsPeople(_ store: any LocalStore) throws {
        func record(_ id: String, by user: String?, named author: String?) -> Record {
            var record = note(id, author: author)
            record.createdBy = user
            return record
        }
        try show(
            [
                record("a", by: "bo", named: "Bo"), record("b", by: "bo", named: "Robert"),
                record("c", by: "bo", named: "Robert"), record("d", by: "bo", named: nil),
                record("e", by: "cy", named: nil), record("f", by: nil, named: "Of the PDF"),
                record("g", by: "al", named: "Al"),
            ], in: store)
        try equal(
            try store.read { try $0.people() },
            [
                RecordCreator(userID: "bo", name: "Robert"), RecordCreator(userID: "al", name: "Al"),
                RecordCreator(userID: "cy", name: nil),
            ], "people")
    }

    static func marksRead(_ store: any LocalStore) throws {
        let records = (0..<5).map { note("n\($0)", top: Double($0)) } + [note("h", type: "pspdfkit/markup/highlight")]
        try show(records, in: store)
        try store.write { try $0.setUnread(records.map(\.id), true) }
        var query = ListQuery()
        query.filter.kinds = [.note]
        for count in [2, 2, 1, 0] {
            try equal(try store.write { try $0.setRead(query, limit: 2) }, count, "marked")
        }
        try store.read { layer in
            try equal(try layer.unreadCount(), 1, "the other kind")
            try equal(try layer.row("n4")?.isUnread, false, "a row")
        }
    }
}
