import Foundation
import TestSupport
import TestThreads
import Testing

/// What a deletion also deletes and what it leaves, as commands and screens report it.
@Suite(.onOwnThreads)
struct ThreadDeletionStories {
    let engine: EngineProcess
    let ana: Person
    let ben: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
        ben = try Person("ben", at: engine)
    }

    /// A highlight by ana.
    ///
    /// - Parameter isForThread: Whether its content says that it was created for its thread.
    private func mark(isForThread: Bool = false) throws -> String {
        let flag = isForThread ? #","isCommentThreadRoot":true"# : ""
        let content =
            #"{"v":2,"type":"pspdfkit/markup/highlight","pageIndex":0,"bbox":[72,90,200,12],"rects":[[72,90,200,12]]\#(flag)}"#
        let run = try ana.script("add", "--content", "-", input: content)
        return try #require(run.lines.first, "\(run.messages)")
    }

    private func reply(_ person: Person, _ root: String, _ text: String) throws -> String {
        let run = try person.script("reply", root, "--text", text)
        return try #require(run.lines.first, "\(run.messages)")
    }

    /// Sees and deletes annotations, but sees only their own comments.
    private func guest() throws -> Person {
        let token = try engine.token {
            ($0.user, $0.creatorName) = ("gus", "Gus")
            $0.collaboration = [
                "annotations:view:all", "annotations:delete:all", "comments:view:self", "comments:reply:all",
                "comments:delete:self",
            ]
        }
        return try Person("gus", at: engine, token: token)
    }

    @Test func aRootSaysWhichCommentsItTook() throws {
        let root = try mark()
        let ids = [try reply(ana, root, "one"), try reply(ben, root, "two"), try reply(ben, root, "three")]
        let run = try ana.script("delete", root, ids[1], "--ndjson")
        #expect(run.status == 0, "\(run.messages)")
        #expect(run.messages == "also deleted 3 comments (2 by Ben) of \(root)\n")
        let lines = try run.objects()
        #expect(lines.map { $0["id"] as? String } == [root] + ids)
        #expect(lines.map { $0["status"] as? String } == ["applied", "applied", "applied", "applied"])
        #expect(lines.map { $0["with"] as? String } == [nil, root, root, root])
        #expect(lines.map { $0["createdBy"] as? String } == ["ana", "ana", "ben", "ben"])
        #expect(try !ben.listed().contains(root))
    }

    /// Deleting a user's own last reply used to delete another person's mark.
    @Test func aMarkThatWasThereBeforeOutlivesItsThread() throws {
        let root = try mark()
        let run = try ben.script("delete", try reply(ben, root, "mine"))
        #expect((run.status, run.output, run.messages) == (0, "", ""))
        #expect(try ana.listed().contains(root))
    }

    @Test func aLastCommentSaysWhichRootItTook() throws {
        let root = try mark(isForThread: true)
        let comment = try reply(ben, root, "mine")
        let run = try ben.script("delete", comment)
        #expect(run.status == 0, "\(run.messages)")
        #expect(
            run.messages == "also deleted the highlight \(root) by Ana, whose last comment this was\n"
                && run.output.isEmpty)
        #expect(try !ana.listed().contains(root))
    }

    @Test func offlineTheCommandSaysWhatWillGo() throws {
        let root = try mark(isForThread: true)
        let comment = try reply(ben, root, "mine")
        let run = try ben.script("delete", comment, "--offline", "--ndjson")
        #expect(run.messages.contains("will also delete the highlight \(root) by Ana"), "\(run.messages)")
        #expect(try run.objects().map { $0["status"] as? String } == ["waiting", "waiting"])
        #expect(try !ben.script("list", "--offline", "--format", "ndjson").output.contains(root))
        #expect(try ben.script("sync").status == 0)
        #expect(try !ana.listed().contains(root))
    }

    /// The guest cannot know that there is another comment.
    @Test func aRootThatTheServerKeepsIsReported() throws {
        let root = try mark(isForThread: true)
        _ = try reply(ana, root, "hidden")
        let gus = try guest()
        let comment = try reply(gus, root, "mine")
        let run = try gus.script("delete", comment, "--ndjson")
        #expect(run.status == 0, "\(run.messages)")
        #expect(run.messages == "kept the highlight \(root) by Ana: it has other comments, or was changed\n")
        #expect(try run.objects().map { $0["status"] as? String } == ["applied", "kept"])
        #expect(try gus.listed().contains(root))
    }

    /// Users can delete their own annotations, whoever commented on them; hidden comments stay.
    @Test func whatIsLeftIsListedAndExported() throws {
        let root = try mark()
        let comment = try reply(ben, root, "Keep *this*.")
        let gus = try guest()
        let deleted = try gus.script("delete", root)
        #expect((deleted.status, deleted.messages) == (0, ""))
        let table = try ben.script("list", "--format", "tsv").lines.map { $0.split(separator: "\t").map(String.init) }
        #expect(table.contains { $0.first == root && $0[2] == "deleted annotation" })
        #expect(table.contains { $0.first == comment && $0[2] == "comment" })
        let listed = try ben.listed()
        #expect(listed.contains(comment) && !listed.contains(#""id":"\#(root)""#), "\(listed)")
        #expect(try ben.script("comments", root, "--format", "ndjson").output.contains("Keep *this*."))
        #expect(try gus.script("comments", root).status == 1)
        #expect(try ben.script("reply", comment, "--text", "More").status == 1)
        let markdown = try ben.script("export", "--format", "markdown").output
        #expect(markdown.contains("\n## Comments of deleted annotations\n\n- **deleted annotation**\n"), "\(markdown)")
        #expect(markdown.contains("    > Keep \\*this\\*.\n"))
        #expect(try ben.script("export").output.contains("Keep *this*."))
        #expect(try ben.script("export", "--format", "csv").output.contains("Keep *this*."))
        for format in ["xfdf", "pdf"] {
            let file = ben.home.path + "/out." + format
            let run = try ben.script("export", "--format", format, "-o", file)
            #expect((run.status, run.messages) == (0, "1 comment of deleted annotations left out\n"))
        }
        #expect(try ben.script("delete", comment).status == 0)
        #expect(try !ben.script("list", "--format", "tsv").output.contains("deleted annotation"))
    }

    @Test func theScreenNamesDeletedRecordsAndUndoRestoresThem() throws {
        let root = try mark(isForThread: true)
        _ = try reply(ben, root, "Mine alone.")
        let terminal = try ben.open(columns: 100)
        try terminal.see("+1")
        try terminal.press("jd")
        try terminal.see("Delete this highlight by Ana and 1 comment? y/N")
        try terminal.press("n<tab>d")
        try terminal.see("Delete this comment “Mine alone.” and its highlight by Ana? y/N")
        try terminal.press("y")
        try terminal.see("2 in all")
        try terminal.see(no: root, at: engine)
        try terminal.press("u")
        try terminal.see("Undone")
        try terminal.see(root, at: engine)
        // The list shows the root with its comment. Records that were deleted and restored do not count as unread.
        try terminal.see("+1")
        try terminal.see("✓ synced")
        #expect(!terminal.text.contains("1 new") && !terminal.text.contains("2 new"), "\(terminal.text)")
    }
}
