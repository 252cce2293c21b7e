import Annotations
import Authorization
import EngineCore
import SyncProtocol
import TestSupport
import Testing

/// A view receives a snapshot, then changes, never what it may not see.
@Suite("Views") struct ViewTests {
    private let world: World
    private let crew = World.grant("guest", ["annotations:view:group=crew"])

    init() throws { world = try World(base: ["7"]) }

    private func delta(_ grant: Grant, since revision: Revision, limit: Int = 500) throws -> Delta {
        try world.look(grant) { try $0.delta(since: Cursor(epoch: $0.epoch, revision: revision), limit: limit) }
    }

    private func isRefused(_ body: () throws -> Void) -> Bool {
        do { try body() } catch let refusal as APIError { return refusal.reason == .epochChanged } catch {}
        return false
    }

    @Test func aSnapshotGoesPageByPageAndTheRestComesByDelta() throws {
        for n in 1...5 { try world.push(.create, "n\(n)", World.note("\(n)")) }
        let first = try world.look { try $0.page(after: nil, limit: 3) }
        #expect(first.records.map(\.id) == ["7", "n1", "n2"])
        #expect((first.at, first.next) == (5, "n2"))
        try world.push(.delete, "n1", at: 1)
        try world.push(.create, "a", World.note("before the place that was reached"))
        let second = try world.look { view in
            try view.page(after: first.next, at: first.at, epoch: first.epoch, limit: 3)
        }
        #expect(second.records.map(\.id) == ["n3", "n4", "n5"])
        #expect((second.at, second.next) == (5, nil))
        #expect(try delta(World.grant(), since: 5).changes.map(\.id) == ["n1", "a"])
    }

    @Test("What an index selects by mistake is not shown")
    func theRowDecides() throws {
        let world = try World(base: ["7"], store: MemoryLayerStore(hasBadIndexes: true))
        try world.push(.create, "a", group: "crew", World.note("for all"))
        try world.push(.create, "b", group: "secret", World.note("for few"))
        let (page, digest) = try world.look(crew) { view in
            (try view.page(after: nil, limit: 10), try view.digest(epoch: view.epoch))
        }
        #expect(page.records.map(\.id) == ["a"])
        let expected = try self.world.look(crew) { view in
            var digest = ViewDigest()
            digest.add("a", 1)
            return DigestAnswer(epoch: view.epoch, upTo: 2, digest)
        }
        #expect(digest == expected)
    }

    @Test func aDeltaIsCutAtItsLimit() throws {
        for n in 1...5 { try world.push(.create, "n\(n)", World.note("\(n)")) }
        let part = try delta(World.grant(), since: 1, limit: 2)
        #expect(part.changes.map(\.revision) == [2, 3])
        #expect((part.upTo, part.more) == (3, true))
        let rest = try delta(World.grant(), since: 3, limit: 2)
        #expect((rest.changes.map(\.revision), rest.upTo, rest.more) == ([4, 5], 5, false))
        #expect(try delta(World.grant(), since: 5).changes == [])
    }

    /// The crew's view after each step of a record's life, from the previous revision.
    @Test func aRecordComesAndGoesWithItsGroup() throws {
        let ana = World.grant()
        func step(_ kind: ChangeKind, _ base: Revision, _ group: String?) throws -> [SyncItem] {
            let content = kind == .create || kind == .update ? World.note("words") : nil
            #expect(try world.push(kind, "a", at: base, group: group, content, as: ana).status == .applied)
            return try delta(crew, since: base).changes
        }
        #expect(try step(.create, 0, "crew").map(\.revision) == [1])
        #expect(try step(.update, 1, "secret") == [.removed("a", 2)])
        #expect(try step(.update, 2, "secret") == [], "no event for a record out of sight")
        #expect(try step(.update, 3, "crew").map(\.revision) == [4], "an addition")
        #expect(try step(.delete, 4, nil) == [.removed("a", 5)])
        #expect(try step(.restore, 5, nil).map(\.revision) == [6])
        #expect(try step(.update, 6, "secret") == [.removed("a", 7)])
        #expect(try step(.delete, 7, nil) == [])
        // A view that missed every step receives only the final state, once.
        #expect(try delta(crew, since: 1).changes == [.removed("a", 7)])
        #expect(try delta(World.grant("x", ["annotations:view:group=other"]), since: 0).changes == [])
    }

    /// Groups with the same look but different bytes are different groups.
    @Test func aRecordLeavesForAGroupThatLooksTheSame() throws {
        let (composed, combining) = ("caf\u{E9}", "cafe\u{301}")
        let reader = World.grant("guest", ["annotations:view:group=\(composed)"])
        try world.push(.create, "a", group: composed, World.note("words"))
        try world.push(.update, "a", at: 1, group: combining, World.note("words"))
        #expect(try delta(reader, since: 1).changes == [.removed("a", 2)])
    }

    /// Even with many changes between leaving and returning.
    @Test func whatIsBackIsNotToldToHaveLeft() throws {
        try world.push(.create, "a", group: "crew", World.note("one"))
        try world.push(.update, "a", at: 1, group: "secret", World.note("two"))
        for n in 1...250 { try world.push(.create, "n\(n)", World.note("\(n)")) }
        try world.push(.update, "a", at: 2, group: "crew", World.note("three"))
        let told = try delta(crew, since: 1)
        #expect(told.changes.map(\.revision) == [253])
        #expect((told.upTo, told.more) == (253, false))
    }

    @Test func aCommentIsSeenForItselfNotForItsRoot() throws {
        try world.push(.create, "h", group: "secret", World.highlight("root"))
        try world.push(.create, "c1", group: "crew", World.comment(on: "h"))
        let grant = World.grant("guest", ["annotations:view:group=crew", "comments:view:group=crew"])
        #expect(try world.look(grant) { try $0.page(after: nil, limit: 9) }.records.map(\.id) == ["c1"])
    }

    // MARK: Epochs

    @Test func aCursorIsGoodForOneSightOnly() throws {
        try world.push(.create, "a", World.note("x"))
        let epochs = try [
            World.grant(), World.grant("bo"), crew, World.grant("guest", ["annotations:view:group=Crew"]),
            World.grant("guest", ["annotations:view:group="]), World.grant("guest", []),
            World.grant("ana", ["annotations:view:self"]), World.grant("bo", ["annotations:view:self"]),
            World.grant("e\u{301}", ["annotations:view:self"]), World.grant("é", ["annotations:view:self"]),
        ].map { grant in try world.look(grant) { $0.epoch } }
        #expect(epochs[0] == epochs[1], "equal views share an epoch")
        #expect(Set(epochs).count == epochs.count - 1)
        #expect(
            epochs.allSatisfy {
                $0.utf8.allSatisfy { $0 == 0x2D || (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
            })
        for other in epochs.dropFirst(2) {
            #expect(
                isRefused { _ = try world.look { try $0.delta(since: Cursor(epoch: other, revision: 0), limit: 9) } })
            #expect(isRefused { _ = try world.look { try $0.page(after: "a", at: 1, epoch: other, limit: 9) } })
        }
    }

    @Test func aCursorAheadOfTheLayerStartsOver() throws {
        #expect(isRefused { _ = try delta(World.grant(), since: 1) })
        #expect(isRefused { _ = try world.look { try $0.page(after: nil, at: 1, limit: 9) } })
    }

    @Test func aCursorFromBeforeTheOldestTombstoneStartsOver() throws {
        try world.push(.create, "a", World.note("x"))
        try world.push(.delete, "a", at: 1)
        try world.push(.create, "b", World.note("x"))
        let layer = try world.layer
        try world.store.write { try $0.prune(layer, before: World.now + 1) }
        #expect(isRefused { _ = try delta(World.grant(), since: 1) })
        #expect(try delta(World.grant(), since: 2).changes.map(\.id) == ["b"])
    }

    @Test func aLayerMadeAgainIsAnother() throws {
        let before = try world.look { $0.epoch }
        let layer = try world.layer
        try world.store.write { store in
            try store.removeLayer(layer, at: World.now)
            _ = try store.addLayer(layer.key, generation: "h")
        }
        #expect(try world.look { $0.epoch } != before)
    }

    // MARK: Changes returned by a push

    @Test func aPushBringsWhatWasMissed() throws {
        try world.push(.create, "theirs", World.note("x"), client: "d", as: World.grant("bo"))
        let cursor = Cursor(epoch: try world.look { $0.epoch }, revision: 0)
        let change = Change(n: 1, kind: .create, id: "mine", baseRevision: 0, content: World.note("x"))
        let answer = try world.send(
            PushRequest(clientID: "c", acked: 0, cursor: cursor, changes: [change]), World.grant())
        #expect(answer.delta?.changes.map(\.id) == ["theirs", "mine"])
        #expect(answer.delta?.upTo == 2)
        #expect(!answer.reset)
    }

    @Test func aStaleCursorNeverStopsAPush() throws {
        let change = Change(n: 1, kind: .create, id: "mine", baseRevision: 0, content: World.note("x"))
        for cursor in [
            Cursor(epoch: "g-0-other", revision: 0), Cursor(epoch: try world.look { $0.epoch }, revision: 99),
        ] {
            let answer = try world.send(
                PushRequest(clientID: "c", acked: 0, cursor: cursor, changes: [change]), World.grant())
            #expect(answer.results.map(\.status) == [.applied])
            #expect(answer.reset && answer.delta == nil)
        }
    }

    /// A push was in transit during a restore from a backup: its revisions are from another history.
    @Test func aPushOfAnotherGenerationIsRefusedWhole() throws {
        let change = Change(n: 1, kind: .create, id: "mine", baseRevision: 0, content: World.note("x"))
        let cursor = Cursor(epoch: "lost-1-0123456789abcdef", revision: 0)
        #expect {
            try world.send(PushRequest(clientID: "c", acked: 0, cursor: cursor, changes: [change]), World.grant())
        } throws: {
            ($0 as? APIError)?.reason == .epochChanged
        }
        #expect(try world.record("mine") == nil)
        // No number was consumed.
        #expect(try world.push(.create, "mine", World.note("x")).status == .applied)
    }
}
