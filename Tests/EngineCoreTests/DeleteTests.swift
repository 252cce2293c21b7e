import Annotations
import Authorization
import EngineCore
import SyncProtocol
import Testing

/// Deleting records and threads, and restoring them.
@Suite("Deleting and restoring") struct DeleteTests {
    private let world: World
    private let bo = World.grant("bo")

    init() throws { world = try World(base: ["7"]) }

    // MARK: One record

    @Test func deletedTwiceIsDeleted() throws {
        try world.push(.create, "a", World.note("one"))
        #expect(try world.push(.delete, "a", at: 1).revision == 2)
        #expect(
            try world.push(.delete, "a", at: 1, client: "d", as: bo)
                == ChangeResult(n: 1, status: .applied, revision: 2))
        #expect(try world.push(.delete, "none", at: 1).status == .gone)
        #expect(try world.layer.head == 2)
    }

    @Test func whatHasMovedOnIsNotDeleted() throws {
        try world.push(.create, "a", World.note("one"))
        try world.push(.update, "a", at: 1, World.note("two"), client: "d", as: bo)
        let lost = try world.push(.delete, "a", at: 1)
        #expect((lost.status, lost.item?.revision) == (.conflict, 2))
        #expect(try world.isLive("a"))
    }

    @Test func aBaseRecordIsHiddenInItsLayerOnly() throws {
        #expect(try world.push(.delete, "7", at: 0).status == .applied)
        #expect(try world.isLive("7") == false)
        let other = try world.store.write { store in
            try store.live(
                in: store.addLayer(LayerKey(document: "doc", name: "o"), generation: "o"), after: nil, limit: 9)
        }
        #expect(other.map(\.id) == ["7"])
    }

    // MARK: Threads

    private func thread(_ count: Int, by grant: Grant = World.grant(), client: String = "c") throws {
        for n in 1...count { try world.push(.create, "c\(n)", World.comment(on: "7"), client: client, as: grant) }
    }

    @Test func aRootTakesItsThreadAlong() throws {
        try thread(2, by: bo, client: "d")
        #expect(try world.push(.delete, "7", at: 0, thread: 2).revision == 5)
        for id in ["7", "c1", "c2"] { #expect(try !world.isLive(id), "\(id)") }
        #expect(try world.record("c1")?.removal?.cascade == 5)
        #expect(world.commits.last?.records.map(\.id) == ["c1", "c2", "7"])
    }

    @Test func aNewerCommentOfSomebodyElseStandsInTheWay() throws {
        try thread(2, by: bo, client: "d")
        let lost = try world.push(.delete, "7", at: 0, thread: 1)
        // The conflict names the root, which the delete was about, and the reason explains it.
        #expect((lost.status, lost.item?.id) == (.conflict, "7"))
        #expect(lost.reason == "someone else added to its thread")
        #expect(try world.isLive("7") && world.isLive("c1"))
        // Without a thread revision, the root's base revision is used. A huge one claims to have seen all visible comments.
        #expect(try world.push(.delete, "7", at: 0).status == .conflict)
        #expect(try world.push(.delete, "7", at: 0, thread: 1 << 53).status == .applied)
    }

    @Test func anOwnNewerCommentDoesNot() throws {
        try thread(2)
        #expect(try world.push(.delete, "7", at: 0, thread: 0).status == .applied)
    }

    private static func marker(_ text: String = "") -> Content { World.content("pspdfkit/comment-marker", text) }

    /// A comment marker "m" of revision 1 with comments "c1", … at the revisions after it.
    private func markedThread(
        _ count: Int, in world: World? = nil, by grant: Grant = World.grant(), client: String = "c"
    ) throws {
        let world = world ?? self.world
        try world.push(.create, "m", Self.marker(), client: "maker")
        for n in 1...count { try world.push(.create, "c\(n)", World.comment(on: "m"), client: client, as: grant) }
    }

    @Test func theLastCommentTakesItsMarkerAlong() throws {
        try markedThread(2)
        try world.push(.delete, "c1", at: 2)
        #expect(try world.isLive("m"), "another comment is left")
        #expect(try world.push(.delete, "c2", at: 3).revision == 6)
        #expect(try world.isLive("m") == false)
        #expect(try world.record("m")?.removal?.cascade == 6)
    }

    @Test(arguments: ["pspdfkit/markup/highlight", "pspdfkit/markup/strikeout", "pspdfkit/markup/underline"])
    func aMarkupStaysWithoutItsLastComment(_ type: String) throws {
        try world.push(.create, "m", World.content(type, "Carla's"), client: "maker", as: World.grant("carla"))
        try world.push(.create, "c1", World.comment(on: "m"))
        let answer = try world.push(.delete, "c1", at: 2, thread: 1)
        #expect((answer.status, answer.revision) == (.applied, 3))
        #expect(try world.isLive("m") && !world.isLive("c1"))
    }

    @Test(arguments: [false, true]) func aMarkerOutOfThePDFStays(_ isChanged: Bool) throws {
        let world = try World(baseRecords: [Record(id: "8", content: Self.marker("of the PDF"))])
        if isChanged { try world.push(.update, "8", at: 0, Self.marker("changed"), client: "d", as: bo) }
        try world.push(.create, "c1", World.comment(on: "8"))
        let base = try #require(try world.record("c1")).revision
        #expect(try world.push(.delete, "c1", at: base).status == .applied)
        #expect(try world.isLive("8"))
    }

    @Test func aRootThatChangedMeanwhileStays() throws {
        try markedThread(1)
        try world.push(.update, "m", at: 1, Self.marker("changed"), client: "d", as: bo)
        #expect(try world.push(.delete, "c1", at: 2).status == .applied)
        #expect(try world.isLive("m"))
    }

    @Test("The revision of the root that the client saw decides whether the root is deleted with its last comment")
    func theRootAsItWasSeen() throws {
        let rows: [(seen: Revision?, stays: Bool)] = [(nil, true), (2, true), (3, false), (Change.leavesRoot, true)]
        for row in rows {
            let world = try World()
            try markedThread(1, in: world)
            try world.push(.update, "m", at: 1, Self.marker("changed"), client: "d", as: bo)
            try world.push(.delete, "c1", at: 2, thread: row.seen)
            #expect(try world.isLive("m") == row.stays, "\(row)")
        }
    }

    @Test func onesOwnUnansweredEditOfTheRootIsNoChangeBySomebodyElse() throws {
        try markedThread(1, by: bo, client: "d")
        try world.push(.update, "m", at: 1, Self.marker("mine"))
        #expect(try world.push(.delete, "c1", at: 2, thread: 1).status == .applied)
        #expect(try !world.isLive("m"))
    }

    /// Its deletion took the root along, and its restoration brought the root back, under a revision that the client has
    /// not received yet.
    @Test func onesOwnRestorationOfTheRootIsNoChangeBySomebodyElse() throws {
        try markedThread(1)
        let gone = try #require(try world.push(.delete, "c1", at: 2, thread: 1).revision)
        #expect(try !world.isLive("m"))
        let back = try #require(try world.push(.restore, "c1", at: gone).revision)
        #expect(try world.push(.delete, "c1", at: back, thread: 1).status == .applied)
        #expect(try !world.isLive("m"))
    }

    @Test func whoTakesACommentBackKeepsItsRoot() throws {
        try markedThread(1)
        #expect(try world.push(.delete, "c1", at: 2, thread: Change.leavesRoot).status == .applied)
        #expect(try world.isLive("m") && !world.isLive("c1"))
    }

    @Test func aRootThatTheBearerMayNotDeleteStays() throws {
        let rules = ["annotations:view:all", "comments:view:all", "comments:reply:all", "comments:delete:self"]
        try markedThread(1, by: World.grant("guest", rules), client: "g")
        let answer = try world.push(.delete, "c1", at: 2, client: "g", as: World.grant("guest", rules))
        #expect(answer.status == .applied)
        #expect(try world.isLive("m") && !world.isLive("c1"))
    }

    // MARK: Restoring

    @Test func whoDeletedItBringsItBackAsItWas() throws {
        try world.push(.create, "a", group: "g", World.note("one"), as: World.grant("ana", group: "g"))
        try world.push(.delete, "a", at: 1)
        #expect(try world.push(.restore, "a", at: 2).revision == 3)
        let record = try #require(try world.record("a"))
        #expect(record.isLive)
        #expect((record.record.createdBy, record.record.group, try world.text("a")) == ("ana", "g", "one"))
        #expect(try world.push(.restore, "a", at: 2).status == .conflict, "it is live")
        #expect(try world.push(.update, "a", at: 3, group: "g", World.note("on")).status == .applied)
    }

    @Test func nobodyElseDoes() throws {
        try world.push(.create, "a", World.note("one"))
        try world.push(.delete, "a", at: 1)
        try world.push(.create, "é", World.note("one"), client: "e", as: World.grant("é"))
        try world.push(.delete, "é", at: 3, client: "e", as: World.grant("é"))
        let twin = try world.push(.restore, "é", at: 4, client: "f", as: World.grant("e\u{301}"))
        #expect(twin.status == .denied, "equal in Swift, but a different user")
        for user in ["bo", nil] {
            let answer = try world.push(
                .restore, "a", at: 2, client: "x\(user?.utf8.count ?? 0)", as: World.grant(user))
            #expect(answer.status == .denied, "\(user ?? "nobody")")
        }
        #expect(try world.push(.restore, "none", at: 1).status == .gone)
    }

    @Test func theAnonymousRestoreUnderTheirOwnClientOnly() throws {
        let nobody = World.grant(nil)
        try world.push(.create, "a", World.note("one"), client: "x", as: nobody)
        try world.push(.delete, "a", at: 1, client: "x", as: nobody)
        #expect(try world.push(.restore, "a", at: 2, client: "y", as: nobody).status == .denied)
        #expect(try world.push(.restore, "a", at: 2, client: "x", as: nobody).status == .applied)
    }

    @Test func anotherDeletionIsNotUndone() throws {
        try world.push(.create, "a", World.note("one"))
        try world.push(.delete, "a", at: 1)
        try world.push(.restore, "a", at: 2)
        try world.push(.delete, "a", at: 3)
        #expect(try world.push(.restore, "a", at: 2).status == .gone)
        #expect(try world.push(.restore, "a", at: 4).status == .applied)
    }

    @Test func aThreadComesBackWithItsRoot() throws {
        try thread(2, by: bo, client: "d")
        try world.push(.delete, "c1", at: 1, client: "d", as: bo)
        try world.push(.delete, "7", at: 0, thread: 3)
        #expect(try world.push(.restore, "7", at: 5).status == .applied)
        #expect(try world.isLive("7") && world.isLive("c2"))
        #expect(try world.isLive("c1") == false, "it was deleted separately")
        #expect(try world.record("c2")?.record.createdBy == "bo")
    }

    @Test func aRootComesBackWithItsLastComment() throws {
        try markedThread(1)
        try world.push(.delete, "c1", at: 2)
        #expect(try world.isLive("m") == false)
        #expect(try world.push(.restore, "c1", at: 4).status == .applied)
        #expect(try world.isLive("m") && world.isLive("c1"))
    }

    @Test func aCommentThatOutlivedItsRootComesBackWithoutIt() throws {
        let guest = World.grant("guest", ["annotations:view:all", "annotations:delete:all", "comments:view:self"])
        try thread(1, by: bo, client: "d")
        #expect(try world.push(.delete, "7", at: 0, client: "g", as: guest).status == .applied)
        #expect(try world.push(.delete, "c1", at: 1, client: "d", as: bo).revision == 3)
        #expect(try world.push(.restore, "c1", at: 3, client: "d", as: bo).status == .applied)
        #expect(try world.isLive("c1") && !world.isLive("7"))
    }

    /// It makes no difference whether the hidden root was deleted meanwhile.
    @Test(arguments: [false, true]) func aCommentComesBackUnderAHiddenRoot(_ isDeleted: Bool) throws {
        let own = World.grant("own", ["annotations:view:self", "comments:view:all", "comments:delete:all"])
        try thread(1)
        try world.push(.delete, "c1", at: 1, client: "o", as: own)
        if isDeleted { try world.push(.delete, "7", at: 0) }
        let revision = try world.layer.head
        #expect(
            try world.push(.restore, "c1", at: 2, client: "o", as: own)
                == ChangeResult(n: 2, status: .applied, revision: revision + 1))
    }

    @Test func aCommentDoesNotComeBackWithoutItsRoot() throws {
        try thread(2)
        try world.push(.delete, "c1", at: 1)
        try world.push(.delete, "7", at: 0, thread: 3)
        #expect(try world.push(.restore, "c1", at: 3).status == .gone)
    }
}
