import Annotations
import Authorization
import EngineCore
import SyncProtocol
import Testing

/// The group of a change: given, null or omitted.
@Suite("Groups of changes") struct GroupTests {
    private let world: World

    init() throws { world = try World(base: ["7"]) }

    /// A group as a request states it; nil if omitted.
    enum Stated: Sendable { case omitted, null, empty, crew, other }

    private func push(
        _ kind: ChangeKind, _ id: String, at base: Revision = 0, _ stated: Stated, _ content: Content,
        as grant: Grant
    ) throws -> ChangeResult {
        let group: String? =
            switch stated {
            case .omitted, .null: nil
            case .empty: ""
            case .crew: "crew"
            case .other: "other"
            }
        return try world.push(
            kind, id, at: base, group: group, omitsGroup: stated == .omitted, content, client: "x", as: grant)
    }

    @Test(arguments: [
        (Stated.omitted, "crew" as String?, "crew" as String?, ChangeResult.Status.applied),
        (.omitted, nil, nil, .applied),
        (.null, "crew", nil, .denied), (.null, nil, nil, .applied),
        (.empty, "crew", nil, .denied), (.empty, nil, nil, .applied), (.crew, "crew", "crew", .applied),
        (.crew, nil, nil, .denied),
    ])
    func creating(_ stated: Stated, _ standard: String?, _ group: String?, _ status: ChangeResult.Status) throws {
        let rules = ["annotations:view:all", "comments:view:all", "comments:reply:all"]
        let grant = World.grant("ana", rules, group: standard)
        for (id, content) in [("a", World.note("one")), ("c", World.comment(on: "7"))] {
            #expect(try push(.create, id, stated, content, as: grant).status == status, "\(id)")
            if status == .applied { #expect(try world.record(id)?.record.group == group, "\(id)") }
        }
    }

    @Test(arguments: [
        (Stated.omitted, "crew" as String?, ChangeResult.Status.applied), (.crew, "crew", .applied),
        (.null, nil, .denied),
        (.empty, nil, .denied), (.other, "other", .denied),
    ])
    func updating(_ stated: Stated, _ group: String?, _ status: ChangeResult.Status) throws {
        try world.push(.create, "a", group: "crew", World.note("one"), as: World.grant(group: "crew"))
        // The default group is that of new records only.
        let rules = ["annotations:view:all", "annotations:edit:all"]
        let grant = World.grant("bo", rules, group: "other")
        #expect(try push(.update, "a", at: 1, stated, World.note("two"), as: grant).status == status)
        #expect(try world.record("a")?.record.group == (status == .applied ? group : "crew"))
        let mover = World.grant("cy", rules + ["annotations:set-group:all"])
        let head = try world.layer.head
        let moved = try world.push(
            .update, "a", at: head, group: group, omitsGroup: stated == .omitted, World.note("three"), client: "m",
            as: mover)
        #expect(moved.status == .applied)
        #expect(try world.record("a")?.record.group == group)
    }

    @Test func aRepeatedChangeMustLeaveOutTheSame() throws {
        let grant = World.grant(group: "crew")
        func send(_ group: String??) throws -> ChangeResult.Status? {
            let change = Change(n: 1, kind: .create, id: "a", baseRevision: 0, group: group, content: World.note("one"))
            let request = PushRequest(clientID: "c", acked: 0, cursor: nil, changes: [change])
            return try world.send(request, grant).results.first?.status
        }
        #expect(try send(nil) == .applied)
        #expect(try world.record("a")?.record.group == "crew")
        #expect(try send(nil) == .applied, "its stored answer")
        #expect(try send(.some(nil)) == .mismatch)
        #expect(try send("crew") == .mismatch)
    }
}
