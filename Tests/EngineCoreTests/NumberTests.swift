import Annotations
import Authorization
import EngineCore
import SyncProtocol
import Testing

/// Changes are accepted once, in the order of their numbers, whatever is sent again: the server's side of the outbox
/// protocol.
@Suite("Change numbers") struct NumberTests {
    private let world: World
    private let create = Change(n: 1, kind: .create, id: "a", baseRevision: 0, content: World.note("one"))

    init() throws { world = try World() }

    private func send(
        _ changes: [Change], client: String = "c", acked: Int64 = 0, user: String? = "ana"
    ) throws -> [ChangeResult] {
        try world.send(
            PushRequest(clientID: client, acked: acked, cursor: nil, changes: changes), World.grant(user)
        ).results
    }

    @Test func theSameChangeTwiceIsWrittenOnce() throws {
        let first = try send([create])
        #expect(first == [ChangeResult(n: 1, status: .applied, revision: 1)])
        #expect(try send([create]) == first)
        #expect(try send([create, create]) == first + first)
        #expect(try world.layer.head == 1)
        // A repeated change notifies no listeners.
        #expect(world.commits.map(\.isEmpty) == [false, true, true])
    }

    @Test func theSameNumberWithAnotherBodyIsAMismatch() throws {
        _ = try send([create])
        for other in [
            Change(n: 1, kind: .create, id: "a", baseRevision: 0, content: World.note("two")),
            Change(n: 1, kind: .create, id: "b", baseRevision: 0, content: World.note("one")),
            Change(n: 1, kind: .create, id: "a", baseRevision: 0, group: "g", content: World.note("one")),
            Change(n: 1, kind: .delete, id: "a", baseRevision: 0),
        ] {
            let answer = try #require(try send([other]).first)
            #expect((answer.status, answer.revision) == (.mismatch, 1), "the number's own change was applied")
        }
        #expect(try world.text("a") == "one")
    }

    @Test(arguments: [Int64.min, -1, 0, 2, 3, .max])
    func aGapConsumesNothing(_ n: Int64) throws {
        var change = create
        change.n = n
        let status = try #require(try send([change]).first?.status)
        #expect(status == (n < 1 ? .mismatch : .gap))
        #expect(try send([create]).first?.status == .applied)
    }

    @Test func aGapDoesNotStopWhatFollowsInOrder() throws {
        let third = Change(n: 3, kind: .create, id: "c", baseRevision: 0, content: World.note("three"))
        #expect(try send([third, create]).map(\.status) == [.gap, .applied])
    }

    @Test func everyVerdictConsumesItsNumber() throws {
        let changes = [
            Change(n: 1, kind: .create, id: "a", baseRevision: 0, content: try Content("{}")),
            Change(n: 2, kind: .update, id: "none", baseRevision: 1, content: World.note("x")),
            Change(n: 3, kind: .create, id: "a", baseRevision: 0, content: World.note("x")),
            Change(n: 4, kind: .update, id: "a", baseRevision: 99, content: World.note("y")),
            Change(n: 5, kind: .restore, id: "a", baseRevision: 1),
        ]
        let answers = try send(changes)
        #expect(answers.map(\.status) == [.invalid, .gone, .applied, .conflict, .conflict])
        // Results are stored unchanged, including those of refused changes.
        #expect(try send(changes) == answers)
        #expect(try world.layer.head == 1)
    }

    @Test func acknowledgedAnswersAreForgottenSomeAtATimeButTheirNumbersAreNot() throws {
        let most: Int64 = 8
        let changes = (1...most).map { n in
            Change(n: n, kind: .create, id: "a\(n)", baseRevision: 0, content: World.note("\(n)"))
        }
        let answers = try send(changes)
        #expect(try send([], acked: most - 1).isEmpty)
        #expect(try send(changes) == answers, "too few to be pruned: answered as before")
        #expect(try send([], acked: most).isEmpty)
        #expect(try Set(send(changes).map(\.status)) == [.mismatch])
        #expect(try world.layer.head == most, "nothing was applied twice")
    }

    @Test func whatWasNeverAnsweredIsNotForgotten() throws {
        _ = try send([create])
        let next = Change(n: 2, kind: .delete, id: "a", baseRevision: 1)
        #expect(try send([next], acked: .max).map(\.status) == [.applied])
        #expect(try send([next], acked: .min).map(\.status) == [.applied])
    }

    @Test func aClientBelongsToItsUser() throws {
        _ = try send([create])
        for user in ["bo", nil, "Ana", "ana\u{301}"] {
            #expect(throws: APIError.self) { try send([create], user: user) }
        }
        // Another client has separate numbers.
        #expect(try send([create], client: "d", user: "bo").map(\.status) == [.conflict])
    }

    @Test func theAnonymousHaveClientsToo() throws {
        #expect(try send([create], user: nil).map(\.status) == [.applied])
        #expect(throws: APIError.self) { try send([create], user: "") }
        #expect(try world.record("a")?.record.createdBy == nil)
    }

    @Test(arguments: ["", "a b", "é", "a/b", String(repeating: "x", count: 65)])
    func aClientIDOfAnotherFormIsRefused(_ id: String) throws {
        #expect(throws: APIError.self) { try send([create], client: id) }
    }

    @Test func withoutWriteTheRequestIsRefusedAndNothingConsumed() throws {
        for general: Set<GeneralPermission> in [[.readDocument], [.readDocument, .download], [.write, .download], []] {
            #expect(throws: APIError.self) {
                try world.send(
                    PushRequest(clientID: "c", acked: 0, cursor: nil, changes: [create]), World.grant(general: general))
            }
        }
        #expect(try send([create]).map(\.status) == [.applied])
    }

    @Test func aRepeatedConflictShowsTheWinnerAsItStandsNow() throws {
        try world.push(.create, "a", World.note("theirs"), client: "other", as: World.grant("bo"))
        let lost = try #require(try send([create]).first)
        #expect(lost.item?.revision == 1)
        try world.push(.update, "a", at: 1, World.note("later"), client: "other", as: World.grant("bo"))
        #expect(try send([create]).first?.item?.revision == 2)
    }

    @Test func aRepeatedConflictShowsNoWinnerThatWentOutOfSight() throws {
        let bo = World.grant("bo")
        try world.push(.create, "a", group: "g", World.note("theirs"), client: "other", as: bo)
        try world.push(.update, "a", at: 1, group: "g", World.note("first"), client: "other", as: bo)
        let ana = World.grant("ana", ["annotations:view:group=g", "annotations:edit:group=g"])
        let late = Change(n: 1, kind: .update, id: "a", baseRevision: 1, group: "g", content: World.note("mine"))
        let request = PushRequest(clientID: "c", acked: 0, cursor: nil, changes: [late])
        let lost = try #require(try world.send(request, ana).results.first)
        #expect(lost.status == .conflict && lost.item?.revision == 2)
        try world.push(.update, "a", at: 2, group: "h", World.note("hidden"), client: "other", as: bo)
        let again = try #require(try world.send(request, ana).results.first)
        #expect(again.status == .conflict && again.item == nil)
    }
}
