import Annotations
import Authorization
import EngineCore
import SyncProtocol
import Testing

/// The first writer wins; a client never conflicts with its own unbroken run.
@Suite("Updating") struct UpdateTests {
    private let world: World
    private let bo = World.grant("bo")

    init() throws { world = try World(base: ["7"]) }

    @Test func whoIsSecondGetsTheWinner() throws {
        try world.push(.create, "a", World.note("one"))
        #expect(try world.push(.update, "a", at: 1, World.note("two"), client: "d", as: bo).revision == 2)
        let lost = try world.push(.update, "a", at: 1, World.note("mine"))
        #expect(lost.status == .conflict)
        #expect(lost.item?.revision == 2)
        #expect(try world.text("a") == "two")
        #expect(try world.push(.update, "a", at: 2, World.note("three")).revision == 3)
    }

    /// Which base revisions are valid after each history of writers, for one more update by c (this client).
    @Test(arguments: [
        // Created by c at 1, then updated by c at 2 and 3: any of them.
        ("ccc", [0, 1, 2, 3], [4, 99]), ("c", [0, 1], [2]),
        // Another writer in between: only revisions from that one on.
        ("cdc", [2, 3], [0, 1, 4]), ("dc", [1, 2], [0, 3]), ("dcc", [1, 2, 3], [0]),
        // Another writer last: only that revision.
        ("cd", [2], [0, 1, 3]), ("ccdd", [4], [0, 1, 2, 3]),
        // A backend write ends a run like any other.
        ("cB", [2], [0, 1]), ("cBc", [2, 3], [0, 1]),
    ])
    func whichBasesFitWhichRun(_ history: String, _ good: [Revision], _ bad: [Revision]) throws {
        for base in good + bad {
            let world = try World()
            var revision: Revision = 0
            for writer in history {
                if writer == "B" {
                    try world.backend { try $0.replace("a", World.note("B"), user: nil, group: nil) }
                } else if revision == 0 {
                    try world.push(.create, "a", World.note("x"), client: String(writer))
                } else {
                    try world.push(.update, "a", at: revision, World.note("x"), client: String(writer))
                }
                revision += 1
            }
            #expect(try world.layer.head == revision)
            let answer = try world.push(.update, "a", at: base, World.note("last"), client: "c")
            #expect(answer.status == (good.contains(base) ? .applied : .conflict), "\(history) at \(base)")
        }
    }

    @Test func anOwnBurstIsNoConflict() throws {
        let changes = (1...5).map { n in
            Change(
                n: n, kind: n == 1 ? .create : .update, id: "a", baseRevision: 0, content: World.note("\(n)"))
        }
        let request = PushRequest(clientID: "c", acked: 0, cursor: nil, changes: changes)
        #expect(try world.send(request, World.grant()).results.map(\.revision) == [1, 2, 3, 4, 5])
        let commit = try #require(world.commits.last)
        #expect(commit.records.map(\.revision) == [5], "one state for listeners")
    }

    @Test func theBaseOfThePDFStaysAsItIs() throws {
        #expect(try world.push(.update, "7", at: 0, World.highlight("mine")).revision == 1)
        #expect(try world.text("7") == "mine")
        #expect(try world.record("7")?.record.createdBy == nil)
        #expect(try world.record("7")?.record.updatedBy == "ana")
        #expect(try world.push(.update, "7", at: 0, World.highlight("late"), client: "d", as: bo).status == .conflict)
        let other = try world.store.write { store in
            let layer = try store.addLayer(LayerKey(document: "doc", name: "other"), generation: "o")
            return try store.record("7", in: layer)
        }
        #expect(other?.record.content["text"] == "of the PDF")
    }

    @Test func whoMadeItStays() throws {
        let named = World.grant("ana", name: "Ana")
        try world.push(.create, "a", World.note("one"), as: named)
        let forged = World.content("pspdfkit/note", "two", more: [("creatorName", "Bo")])
        try world.push(.update, "a", at: 1, forged, client: "d", as: World.grant("bo", name: "Bo"))
        let record = try #require(try world.record("a")?.record)
        #expect((record.createdBy, record.updatedBy) == ("ana", "bo"))
        #expect(record.content["creatorName"] == "Ana")
    }

    @Test func whatIsGoneIsGone() throws {
        try world.push(.create, "a", World.note("one"))
        try world.push(.delete, "a", at: 1)
        #expect(try world.push(.update, "a", at: 2, World.note("two")).status == .gone)
        #expect(try world.push(.update, "none", at: 1, World.note("two")).status == .gone)
    }

    @Test func aRecordStaysWhatItIs() throws {
        try world.push(.create, "c1", World.comment(on: "7"))
        var revision: Revision = 1
        for other in [
            World.note("a note now"), World.comment(on: "8"), try Content(#"{"v":2,"text":"no root"}"#),
            World.comment(on: "7").setting(.accepted), World.comment(on: "7", "new words"),
        ] {
            let answer = try world.push(.update, "c1", at: revision, other)
            #expect(answer.status == .applied)
            revision = try #require(answer.revision)
            let stored = try #require(try world.record("c1"))
            #expect((stored.contentType, stored.rootID, stored.record.content["rootId"]) == (.comments, "7", "7"))
            #expect(stored.record.content["type"] == nil && stored.record.content.state == nil)
        }
        #expect(try world.text("c1") == "new words")
        // An annotation does not become a comment, and still needs a place.
        #expect(try world.push(.update, "7", at: 0, World.comment(on: "7")).status == .invalid)
        let placed = World.content("pspdfkit/comment", "here", more: [("rootId", "7")])
        #expect(try world.push(.update, "7", at: 0, placed).status == .applied)
        let mark = try #require(try world.record("7"))
        #expect((mark.contentType, mark.rootID) == (.annotations, nil))
        #expect(mark.record.content["type"] == "pspdfkit/markup/highlight" && mark.record.content["rootId"] == nil)
    }

    /// A client that sends less, or claims more, changes nothing about who created a record, and when.
    @Test(
        arguments: [
            [], [("creatorName", "Bo"), ("createdAt", "1990-01-01T00:00:00Z"), ("isCommentThreadRoot", false)],
            [("createdBy", "bo"), ("updatedBy", "bo")], [("createdAt", .null), ("creatorName", .null)],
        ] as [[(String, JSON)]])
    func theOriginStays(_ claims: [(String, JSON)]) throws {
        let made = World.content(
            "pspdfkit/note", "one",
            more: [("createdAt", "2024-01-01T00:00:00Z"), ("isCommentThreadRoot", true), ("createdBy", "bo")])
        try world.push(.create, "a", made, as: World.grant("ana", name: "Ana"))
        let edit = World.content("pspdfkit/note", "two", more: claims)
        try world.push(.update, "a", at: 1, edit, client: "d", as: bo)
        let content = try #require(try world.record("a")?.record.content)
        #expect(content["text"] == "two" && content["creatorName"] == "Ana")
        #expect(content["createdAt"] == "2024-01-01T00:00:00Z" && content["isCommentThreadRoot"] == true)
        #expect(content["createdBy"] == nil && content["updatedBy"] == nil)
        // What the stored record lacks stays absent.
        try world.push(.update, "7", at: 0, World.content("pspdfkit/markup/highlight", "two", more: claims))
        let mark = try #require(try world.record("7")?.record.content)
        for member in Content.originMembers.union(Content.userMembers) { #expect(mark[member] == nil, "\(member)") }
    }

    /// The backend replaces the whole content.
    @Test func aBackendSetsTheOriginItself() throws {
        try world.push(.create, "a", World.note("one"), as: World.grant("ana", name: "Ana"))
        let other = World.content("pspdfkit/note", "two", more: [("createdAt", "1990-01-01T00:00:00Z")])
        try world.backend { try $0.replace("a", other, user: "boss", group: nil) }
        #expect(try world.record("a")?.record.content == other)
    }

    @Test func whatCameIncompleteFromAPDFCanBeEdited() throws {
        let world = try World()
        let bare = try Content(#"{"type":"pspdfkit/note","v":2}"#)
        try world.store.write { store in
            var document = try #require(try store.document("doc"))
            document.base = try store.addBase([Record(id: "9", content: bare)])
            try store.put(document)
        }
        let edited = bare.changing { $0["text"] = "words" }
        #expect(try world.push(.update, "9", at: 0, edited).status == .applied)
        // Once complete, it must stay complete.
        try world.push(.update, "9", at: 1, World.note("whole"))
        #expect(try world.push(.update, "9", at: 2, edited).status == .invalid)
    }
}
