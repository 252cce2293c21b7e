import Annotations
import Authorization
import EngineCore
import SyncProtocol
import TestSupport
import Testing

/// Permissions depend on the stored record; an invisible record does not exist.
@Suite("Permissions on changes") struct PermissionTests {
    private let world: World
    private let view = ["annotations:view:all", "comments:view:all"]

    init() throws {
        world = try World(base: ["7"])
        try world.push(
            .create, "a", group: "crew", World.note("ana's"), client: "setup", as: World.grant(group: "crew"))
    }

    private func push(
        _ kind: ChangeKind, _ id: String, at base: Revision = 1, group: String? = "crew", _ content: Content? = nil,
        user: String = "bo", with rules: [String], defaultGroup: String? = "crew"
    ) throws -> ChangeResult {
        let grant = World.grant(user, rules, group: defaultGroup)
        return try world.push(kind, id, at: base, group: group, content, client: "c-\(user)", as: grant)
    }

    @Test(arguments: [
        (["annotations:edit:all"], "bo", ChangeResult.Status.applied), (["annotations:edit:self"], "bo", .denied),
        (["annotations:edit:self"], "ana", .applied), (["annotations:edit:createdBy=ana"], "bo", .applied),
        (["annotations:edit:createdBy=bo"], "bo", .denied), (["annotations:edit:group=crew"], "bo", .applied),
        (["annotations:edit:group=other"], "bo", .denied), (["annotations:edit:group="], "bo", .denied),
        (["comments:edit:all"], "bo", .denied), ([], "bo", .denied), (["annotations:delete:all"], "bo", .denied),
    ])
    func editing(_ rules: [String], _ user: String, _ status: ChangeResult.Status) throws {
        #expect(try push(.update, "a", World.note("new"), user: user, with: view + rules).status == status)
    }

    @Test(arguments: [
        (["annotations:delete:all"], "bo", ChangeResult.Status.applied), (["annotations:delete:self"], "bo", .denied),
        (["annotations:delete:self"], "ana", .applied), (["annotations:edit:all"], "bo", .denied),
    ])
    func deleting(_ rules: [String], _ user: String, _ status: ChangeResult.Status) throws {
        let answer = try push(.delete, "a", user: user, with: view + rules)
        #expect(answer.status == status)
        #expect(answer.status == .applied || answer.reason?.contains("annotations:delete") == true)
        #expect(try world.isLive("a") == (status != .applied))
    }

    /// A denied change reveals nothing about conflicts, and an invalid one is denied before it is examined.
    @Test func permissionComesBeforeConflictAndContent() throws {
        #expect(try push(.update, "a", at: 99, World.note("x"), with: view).status == .denied)
        #expect(try push(.update, "a", try Content("{}"), with: view).status == .denied)
        #expect(try push(.delete, "a", at: 99, with: view).status == .denied)
    }

    // MARK: Groups

    @Test(
        arguments: [
            // The default group needs no permission.
            (nil, nil, [], ChangeResult.Status.applied), ("crew", "crew", [], .applied),
            ("other", nil, [], .denied), (nil, "crew", [], .denied),
            ("other", nil, ["annotations:set-group:all"], .applied),
            ("other", nil, ["annotations:set-group:group=other"], .applied),
            ("other", nil, ["annotations:set-group:group=crew"], .denied),
            (nil, "crew", ["annotations:set-group:group="], .applied),
            ("other", nil, ["annotations:set-group:self"], .applied),
            ("other", nil, ["comments:set-group:all"], .denied),
            // The empty group equals the null group.
            ("", nil, [], .applied), ("", "crew", [], .denied),
            ("", "crew", ["annotations:set-group:group="], .applied),
            // Names that only look alike are different names.
            ("e\u{301}", "é", [], .denied), ("é", "é", [], .applied),
            ("e\u{301}", nil, ["annotations:set-group:group=é"], .denied),
        ] as [(String?, String?, [String], ChangeResult.Status)])
    func creatingInAGroup(_ group: String?, _ standard: String?, _ rules: [String], _ status: ChangeResult.Status)
        throws
    {
        let answer = try push(
            .create, "new", at: 0, group: group, World.note("x"), with: view + rules, defaultGroup: standard)
        #expect(answer.status == status)
        if status == .applied {
            let stored = try #require(try world.record("new")).record.group
            #expect(stored == (group == "" ? nil : group))
        }
    }

    @Test(arguments: [
        (["annotations:edit:all"], ChangeResult.Status.denied),
        (["annotations:set-group:all"], .denied),
        (["annotations:edit:all", "annotations:set-group:all"], .applied),
        (["annotations:edit:all", "annotations:set-group:group=other"], .applied),
        (["annotations:edit:all", "annotations:set-group:group=crew"], .denied),
        (["annotations:edit:all", "annotations:set-group:createdBy=ana"], .applied),
        (["annotations:edit:all", "annotations:set-group:self"], .denied),
    ])
    func movingToAnotherGroup(_ rules: [String], _ status: ChangeResult.Status) throws {
        #expect(try push(.update, "a", group: "other", World.note("x"), with: view + rules).status == status)
        #expect(try world.record("a")?.record.group == (status == .applied ? "other" : "crew"))
    }

    @Test func withoutTheClaimGroupsAreFree() throws {
        #expect(try world.push(.create, "n", group: "any", World.note("x")).status == .applied)
        #expect(try world.push(.update, "n", at: 2, group: nil, World.note("x")).status == .applied)
    }

    // MARK: Comments

    @Test(arguments: [
        ([], ChangeResult.Status.denied), (["comments:reply:all"], .applied),
        (["comments:reply:createdBy=ana"], .applied), (["comments:reply:self"], .denied),
        (["comments:reply:group=crew"], .applied), (["comments:reply:group=other"], .denied),
        (["annotations:reply:all"], .denied),
    ])
    func replying(_ rules: [String], _ status: ChangeResult.Status) throws {
        try world.push(
            .create, "h", group: "crew", World.highlight("root"), client: "setup", as: World.grant(group: "crew"))
        let answer = try push(.create, "c1", at: 0, World.comment(on: "h"), with: view + rules)
        #expect(answer.status == status)
    }

    @Test func theFirstCommentOnOnesOwnRootNeedsWriteOnly() throws {
        _ = try push(.create, "h", at: 0, World.highlight("root"), with: view)
        #expect(try push(.create, "c1", at: 0, World.comment(on: "h"), with: view).status == .applied)
        #expect(try push(.create, "c2", at: 0, World.comment(on: "h"), with: view).status == .denied)
    }

    @Test func aStateNeedsTheRightToReplyEvenOnOnesOwnRoot() throws {
        _ = try push(.create, "h", at: 0, World.highlight("root"), with: view)
        let state = World.comment(on: "h").setting(.accepted)
        #expect(try push(.create, "s1", at: 0, state, with: view).status == .denied)
        #expect(try push(.create, "s1", at: 0, state, with: view + ["comments:reply:self"]).status == .applied)
    }

    @Test func aStateBelongsToThePersonWhoSetIt() throws {
        let all = view + ["comments:reply:all", "comments:edit:all", "comments:delete:all"]
        _ = try push(.create, "s1", at: 0, World.comment(on: "7").setting(.accepted), with: all)
        let mine = try #require(try world.record("s1"))
        let other = World.grant("cy", all, group: "crew")
        let theft = try world.push(
            .update, "s1", at: mine.revision, mine.record.content.setting(.rejected), client: "x", as: other)
        #expect((theft.status, theft.reason) == (.denied, Denial.stateOfAnother.description))
        // Nor by the way of an ordinary comment.
        let plain = mine.record.content.changing { $0["postilla"] = nil }
        let kept = try push(.update, "s1", at: mine.revision, plain, with: all)
        #expect(kept.status == .applied)
        #expect(try world.record("s1")?.record.content.state == .accepted)
        _ = try push(.create, "c1", at: 0, World.comment(on: "7"), with: all)
        let said = try #require(try world.record("c1"))
        #expect(
            try push(.update, "c1", at: said.revision, said.record.content.setting(.accepted), with: all).status
                == .applied)
        #expect(try world.record("c1")?.record.content.state == nil)
        #expect(
            try push(
                .update, "s1", at: try #require(kept.revision), mine.record.content.setting(.rejected), with: all
            ).status == .applied)
        #expect(try world.record("s1")?.record.content.state == .rejected)
        let newest = try #require(try world.record("s1")).revision
        #expect(try world.push(.delete, "s1", at: newest, client: "x", as: other).status == .applied)
    }

    // MARK: Invisible records

    @Test func whatIsOutOfSightDoesNotExist() throws {
        let rules = ["annotations:view:self", "annotations:edit:all", "annotations:delete:all", "comments:reply:all"]
        let known = try push(.update, "a", World.note("x"), with: rules)
        let unknown = try push(.update, "none", World.note("x"), with: rules)
        #expect((known.status, known.reason) == (unknown.status, unknown.reason))
        #expect(known.status == .gone)
        #expect(try push(.delete, "a", with: rules).status == .gone)
        #expect(try push(.restore, "a", with: rules).status == .gone)
        let taken = try push(.create, "a", at: 0, World.note("x"), with: rules)
        #expect((taken.status, taken.item) == (.gone, nil))
        #expect(try push(.create, "c1", at: 0, World.comment(on: "7"), with: rules).status == .gone)
        #expect(try world.text("a") == "ana's")
    }

    /// An invalid create, whose result must not depend on its id.
    private struct FaultyCreate {
        var content: Content
        var group: String? = "crew"
        var rules: [String] = []
        var status: ChangeResult.Status
    }

    private static let faults: [String: FaultyCreate] = [
        "another group": FaultyCreate(content: World.note("x"), group: "other", status: .denied),
        "invalid content": FaultyCreate(
            content: World.content("pspdfkit/note", "x", more: [("pageIndex", 99)]), status: .invalid),
        "missing attachment": FaultyCreate(
            content: World.content(
                "pspdfkit/image", "x", more: [("imageAttachmentId", .string(String(repeating: "a", count: 64)))]),
            status: .invalid),
        "missing root": FaultyCreate(
            content: World.comment(on: "none"), rules: ["comments:reply:all"], status: .gone),
        "hidden root": FaultyCreate(content: World.comment(on: "7"), rules: ["comments:reply:all"], status: .gone),
        "no right to reply": FaultyCreate(content: World.comment(on: "open"), status: .denied),
        "a root without threads": FaultyCreate(
            content: World.comment(on: "link"), rules: ["comments:reply:all"], status: .invalid),
    ]

    @Test(arguments: faults.keys.sorted()) func aFaultyCreateSaysNothingAboutItsID(_ name: String) throws {
        let fault = try #require(Self.faults[name])
        for (id, content) in [("open", World.highlight("open")), ("link", World.content("pspdfkit/link", "open"))] {
            try world.push(
                .create, id, group: "crew", content, client: "cy", as: World.grant("cy", group: "crew"))
        }
        try world.push(.create, "deleted", group: "secret", World.note("x"), client: "setup", as: World.grant("ana"))
        let base = try #require(try world.record("deleted")).revision
        try world.push(.delete, "deleted", at: base, client: "setup", as: World.grant("ana"))
        try world.push(.create, "hidden", group: "secret", World.note("x"), client: "setup", as: World.grant("ana"))
        let grant = World.grant(
            "bo", ["annotations:view:group=crew", "comments:view:group=crew"] + fault.rules, group: "crew")
        let answers = try ["free", "hidden", "deleted", "7"].map { id in
            var answer = try world.push(
                .create, id, group: fault.group, fault.content, client: "client-of-\(id)", as: grant)
            answer.n = 0
            return PushAnswer(results: [answer], delta: nil).bytes
        }
        #expect(Set(answers).count == 1, "\(answers.map { String(decoding: $0, as: UTF8.self) })")
        let status = try world.push(
            .create, "free", group: fault.group, fault.content, client: "once-more", as: grant
        ).status
        #expect(status == fault.status)
    }

    /// A client learns that an id is taken only from a create that is otherwise valid.
    @Test func onlyACreateThatCouldBeAppliedLearnsThatAnIDIsTaken() throws {
        try world.push(.create, "deleted", group: "secret", World.note("x"), client: "setup", as: World.grant("ana"))
        let base = try #require(try world.record("deleted")).revision
        try world.push(.delete, "deleted", at: base, client: "setup", as: World.grant("ana"))
        let rules = ["annotations:view:self"]
        let hidden = try push(.create, "a", at: 0, World.note("x"), with: rules)
        let deleted = try push(.create, "deleted", at: 0, World.note("x"), with: rules)
        #expect((hidden.status, hidden.reason, hidden.item) == (deleted.status, deleted.reason, nil))
        #expect(hidden.reason == "this id is taken; create the record under another id")
        #expect(try push(.create, "free", at: 0, World.note("x"), with: rules).status == .applied)
    }

    @Test func aCommentThatMayNotBeSeenIsNoConflict() throws {
        try world.push(.create, "c1", group: "secret", World.comment(on: "7"), client: "setup")
        let rules = ["annotations:view:all", "annotations:delete:all"]
        let answer = try push(.delete, "7", at: 0, with: rules)
        #expect((answer.status, answer.item) == (.applied, nil))
        #expect(try world.isLive("c1"))
    }

    /// `null` is not a name: an empty scope does not match the user or group of that name.
    @Test func nullIsNoName() throws {
        try world.push(
            .create, "n", group: "null", World.note("x"), client: "n", as: World.grant("null", group: "null"))
        let sees = try world.look(World.grant("bo", ["annotations:view:group="])) {
            try $0.page(after: nil, limit: 9).records.map(\.id)
        }
        #expect(sees == ["7"])
        let made = try world.look(World.grant("bo", ["annotations:view:createdBy="])) {
            try $0.page(after: nil, limit: 9).records.map(\.id)
        }
        #expect(made == ["7"])
    }
}
