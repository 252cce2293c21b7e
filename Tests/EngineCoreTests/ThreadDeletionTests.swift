import Annotations
import Authorization
import EngineCore
import SyncProtocol
import TestSupport
import Testing

/// Every combination of root and comments, once for a deleted root and once for a deleted comment. Guest sees all
/// annotations but only the comments of one group, and may delete annotations and their own comments.
@Suite("Deleting threads") struct ThreadDeletionTests {
    struct Thread: Sendable, CustomStringConvertible {
        var type: String
        /// Whether the root said at creation that it is the root of a thread.
        var isFlagged: Bool
        var isOfThePDF: Bool
        /// A comment that guest does not see.
        var hidden: Age?
        /// A comment by someone else that guest sees.
        var visible: Age?
        /// Whether guest's own comment is newer than what their deletion claims to have seen.
        var isOwnNewer: Bool

        var description: String {
            "\(type) flag \(isFlagged) PDF \(isOfThePDF) hidden \(hidden?.rawValue ?? "-") "
                + "visible \(visible?.rawValue ?? "-") own newer \(isOwnNewer)"
        }

        static let all: [Thread] = {
            var all: [Thread] = []
            for type in ["pspdfkit/comment-marker", "pspdfkit/markup/highlight", "pspdfkit/markup/strikeout"] {
                for isFlagged in [false, true] {
                    for isOfThePDF in [false, true] {
                        for hidden in [nil, Age.seen, .newer] {
                            for visible in [nil, Age.seen, .newer] {
                                for isOwnNewer in [false, true] {
                                    all.append(
                                        Thread(
                                            type: type, isFlagged: isFlagged, isOfThePDF: isOfThePDF, hidden: hidden,
                                            visible: visible, isOwnNewer: isOwnNewer))
                                }
                            }
                        }
                    }
                }
            }
            return all
        }()

        var content: Content {
            World.content(type, "root", more: isFlagged ? [("isCommentThreadRoot", true)] : [])
        }
    }

    /// Whether the comment existed when guest last looked.
    enum Age: String, Sendable { case seen, newer }

    private static let guest = World.grant(
        "guest",
        [
            "annotations:view:all", "annotations:delete:all", "comments:view:group=", "comments:reply:all",
            "comments:delete:self",
        ])
    private static let bo = World.grant("bo")

    /// The thread under `root`: `mine` by guest, and `hidden` and `visible` by bo.
    private struct Scene {
        let world: World
        /// The layer's revision when guest last looked, and the root as guest saw it.
        var seen: Revision = 0
        var root: Revision = 0
        var mine: Revision = 0

        init(_ thread: Thread) throws {
            world = try World(baseRecords: thread.isOfThePDF ? [Record(id: "root", content: thread.content)] : [])
            if !thread.isOfThePDF { root = try apply(.create, "root", thread.content, "d", bo) }
            func comments(_ age: Age) throws {
                if thread.isOwnNewer == (age == .newer) { mine = try reply("mine", nil, "g", guest) }
                if thread.hidden == age { _ = try reply("hidden", "secret", "d", bo) }
                if thread.visible == age { _ = try reply("visible", nil, "d", bo) }
            }
            try comments(.seen)
            seen = try world.layer.head
            try comments(.newer)
        }

        private func reply(_ id: String, _ group: String?, _ client: String, _ grant: Grant) throws -> Revision {
            try #require(
                try world.push(.create, id, group: group, World.comment(on: "root"), client: client, as: grant).revision
            )
        }

        private func apply(_ kind: ChangeKind, _ id: String, _ content: Content, _ client: String, _ grant: Grant)
            throws -> Revision
        {
            try #require(try world.push(kind, id, content, client: client, as: grant).revision)
        }

        func delete(_ id: String, at base: Revision, thread: Revision?) throws -> ChangeResult {
            try world.push(.delete, id, at: base, thread: thread, client: "g", as: guest)
        }

        func live() throws -> Set<String> {
            Set(try ["root", "mine", "hidden", "visible"].filter { try world.isLive($0) })
        }
    }

    @Test(arguments: Thread.all) func aRootIsDeletedWithTheCommentsThatItsDeleterSees(_ thread: Thread) throws {
        let scene = try Scene(thread)
        let before = try scene.live()
        let answer = try scene.delete("root", at: scene.root, thread: scene.seen)
        if thread.visible == .newer {
            #expect((answer.status, answer.reason) == (.conflict, "someone else added to its thread"))
            #expect(answer.item?.id == "root")
            #expect(try scene.live() == before)
        } else {
            #expect(answer.status == .applied)
            #expect(try scene.live() == (thread.hidden == nil ? [] : ["hidden"]))
            #expect(scene.world.commits.last?.records.contains { $0.id == "hidden" } == false)
            #expect(
                try scene.world.push(.restore, "root", at: answer.revision ?? 0, client: "g", as: Self.guest).status
                    == .applied)
            #expect(try scene.live() == before, "restored")
        }
    }

    /// Status, reason and record are the same with and without a hidden comment, whatever the deletion claims.
    @Test(arguments: Thread.all.filter { $0.hidden != nil }, [nil, 0, 1 << 53] as [Revision?])
    func noAnswerTellsOfAHiddenComment(_ thread: Thread, _ claim: Revision?) throws {
        var bare = thread
        bare.hidden = nil
        for id in ["root", "mine"] {
            let (scene, other) = (try Scene(thread), try Scene(bare))
            func delete(_ scene: Scene) throws -> ChangeResult {
                var answer = try scene.delete(id, at: id == "root" ? scene.root : scene.mine, thread: claim)
                answer.revision = nil
                return answer
            }
            #expect(try delete(scene) == delete(other), "\(id)")
            #expect(try scene.world.isLive("hidden"))
        }
    }

    @Test(arguments: Thread.all) func theLastCommentTakesARootThatWasMadeForIt(_ thread: Thread) throws {
        let scene = try Scene(thread)
        let before = try scene.live()
        let answer = try scene.delete("mine", at: scene.mine, thread: scene.root)
        #expect(answer.status == .applied)
        let isMade = thread.isFlagged || thread.type == "pspdfkit/comment-marker"
        let isLast = thread.hidden == nil && thread.visible == nil
        let taken: Set<String> = isMade && isLast && !thread.isOfThePDF ? ["root", "mine"] : ["mine"]
        #expect(try scene.live() == before.subtracting(taken))
        #expect(
            try scene.world.push(.restore, "mine", at: answer.revision ?? 0, client: "g", as: Self.guest).status
                == .applied)
        #expect(try scene.live() == before, "restored")
    }

    // MARK: The flag

    @Test("What the root says later changes nothing", arguments: [false, true], [false, true])
    func theFlagIsThatOfTheCreation(_ isFlagged: Bool, _ isOfThePDF: Bool) throws {
        @Sendable func root(_ flag: JSON?) -> Content {
            World.highlight("root").changing { $0["isCommentThreadRoot"] = flag }
        }
        let first = root(isFlagged ? true : nil)
        let world = try World(baseRecords: isOfThePDF ? [Record(id: "root", content: first)] : [])
        if !isOfThePDF { try world.push(.create, "root", first) }
        try world.push(.update, "root", at: world.layer.head, root(isFlagged ? nil : true))
        try world.backend { try $0.replace("root", root(isFlagged ? false : true), user: nil, group: nil) }
        #expect(try world.record("root")?.isCommentThreadRoot == (isFlagged && !isOfThePDF))
        let seen = try world.layer.head
        try world.push(.create, "c", World.comment(on: "root"))
        try world.push(.delete, "c", at: seen + 1, thread: seen)
        #expect(try world.isLive("root") == (!isFlagged || isOfThePDF))
    }

    @Test("Only true is true", arguments: [true, false, "true", 1, .null] as [JSON])
    func flags(_ value: JSON) throws {
        let world = try World()
        try world.push(.create, "a", World.highlight("a").changing { $0["isCommentThreadRoot"] = value })
        try world.backend {
            try $0.create(
                "b", World.highlight("b").changing { $0["isCommentThreadRoot"] = value }, user: nil, group: nil)
        }
        for id in ["a", "b"] { #expect(try world.record(id)?.isCommentThreadRoot == (value == true), "\(id)") }
    }

    @Test func theFlagSurvivesDeletionAndCopies() throws {
        let world = try World()
        try world.push(.create, "a", World.highlight("a").asCommentThreadRoot)
        try world.push(.delete, "a", at: 1)
        try world.push(.restore, "a", at: 2)
        #expect(try world.record("a")?.isCommentThreadRoot == true)
        let layer = try world.store.write { store in
            let document = try #require(try store.document("doc"))
            var random = SeededRandom(seed: 1)
            for target in [LayerKey(document: "doc", name: "copy"), LayerKey(document: "other", name: "")] {
                var copy =
                    target.document == "doc"
                    ? try StagedCopy(ofLayer: "", to: target, in: store, now: World.now)
                    : try StagedCopy(of: document, to: "other", in: store, now: World.now)
                while let piece = try copy.next(in: store) { try copy.write(piece, in: store, using: &random) }
                #expect(try copy.finish(in: store, using: &random))
                let layer = try #require(try store.layer(target))
                #expect(try store.record("a", in: layer)?.isCommentThreadRoot == true)
            }
            return try #require(try store.layer(LayerKey(document: "doc", name: "copy")))
        }
        #expect(layer.head > 0)
    }

    // MARK: What is left

    /// Guest deleted `root`; `hidden` remains.
    private func left() throws -> World {
        let thread = Thread(
            type: "pspdfkit/markup/highlight", isFlagged: true, isOfThePDF: false, hidden: .seen, visible: nil,
            isOwnNewer: false)
        let scene = try Scene(thread)
        #expect(try scene.delete("root", at: scene.root, thread: scene.seen).status == .applied)
        return scene.world
    }

    @Test func nobodyRepliesToADeletedRoot() throws {
        let world = try left()
        for (client, grant) in [("g", Self.guest), ("d", Self.bo)] {
            let answer = try world.push(.create, "late-\(client)", World.comment(on: "root"), client: client, as: grant)
            #expect((answer.status, answer.reason) == (.gone, "the thread was deleted"))
        }
        #expect(throws: APIError.self) {
            try world.backend { try $0.create("late", World.comment(on: "root"), user: nil, group: nil) }
        }
    }

    @Test func remainingCommentsAreEditedAndDeletedAsBefore() throws {
        let world = try left()
        let revision = try #require(try world.record("hidden")).revision
        let edited = World.comment(on: "root", "on")
        #expect(try world.push(.update, "hidden", at: revision, edited, client: "g", as: Self.guest).status == .gone)
        #expect(
            try world.push(.update, "hidden", at: revision, group: "secret", edited, client: "d", as: Self.bo).status
                == .applied)
        #expect(try world.push(.delete, "hidden", at: world.layer.head, client: "d", as: Self.bo).status == .applied)
        #expect(try !world.isLive("hidden") && !world.isLive("root"))
    }

    @Test func aRootIsRememberedAsLongAsItsComments() throws {
        let world = try left()
        func prune() throws {
            let layer = try world.layer
            try world.store.write { try $0.prune(layer, before: World.now + 1) }
        }
        try prune()
        #expect(try world.record("mine") == nil, "it went with its root")
        #expect(try world.record("root")?.isLive == false)
        let revision = try #require(try world.record("root")).revision
        // The deleter restores the root from its tombstone; the remaining comment has its root again.
        #expect(try world.push(.restore, "root", at: revision, client: "g", as: Self.guest).status == .applied)
        #expect(try world.store.read { try $0.thread(of: "root", in: world.layer).map(\.id) } == ["hidden"])
        try world.push(.delete, "root", at: revision + 1, client: "g", as: Self.guest)
        try world.backend { try $0.delete("hidden", user: nil) }
        try prune()
        #expect(try world.record("root") == nil && world.record("hidden") == nil)
    }

    @Test func theBackendTakesTheWholeThread() throws {
        let scene = try Scene(
            Thread(
                type: "pspdfkit/markup/highlight", isFlagged: false, isOfThePDF: true, hidden: .newer, visible: .newer,
                isOwnNewer: true))
        try scene.world.backend { try $0.delete("root", user: nil) }
        #expect(try scene.live().isEmpty)
    }

    @Test func anIdThatCommentsNameIsGivenToARootOnly() throws {
        let world = try left()
        #expect(throws: APIError.self) {
            try world.backend { try $0.create("root", World.content("pspdfkit/link", "other"), user: nil, group: nil) }
        }
        try world.backend { try $0.create("root", World.highlight("again"), user: nil, group: nil) }
        #expect(try world.push(.create, "c", World.comment(on: "root")).status == .applied)
    }
}
