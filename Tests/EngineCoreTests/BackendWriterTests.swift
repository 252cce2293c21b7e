import Annotations
import EngineCore
import SyncProtocol
import Testing

/// Backend writes skip permissions, but not validation.
@Suite("Backend writes") struct BackendWriterTests {
    private let world: World

    init() throws { world = try World(base: ["7"]) }

    @Test func anyAuthorAndNone() throws {
        try world.backend {
            try $0.create("a", World.note("one"), user: "system", group: "g")
            try $0.create("b", World.note("two"), user: "", group: "")
        }
        let (a, b) = (try #require(try world.record("a")).record, try #require(try world.record("b")).record)
        #expect((a.createdBy, a.updatedBy, a.group) == ("system", "system", "g"))
        #expect((b.createdBy, b.updatedBy, b.group) == (nil, nil, nil))
    }

    @Test func replacingKeepsCreatorAndGroup() throws {
        try world.push(.create, "a", group: "g", World.note("one"))
        try world.backend { try $0.replace("a", World.note("two"), user: "system", group: nil) }
        let record = try #require(try world.record("a")).record
        #expect((record.createdBy, record.updatedBy, record.group) == ("ana", "system", "g"))
        try world.backend { try $0.replace("a", World.note("three"), user: nil, group: .some(nil)) }
        #expect(try world.record("a")?.record.group == nil)
    }

    @Test(arguments: ["\u{85}", "\u{202E}", "\u{2028}", "\u{200B}", "\u{FEFF}"])
    func newIdsAreVisible(_ character: String) throws {
        let odd = "a\(character)"
        for (id, user) in [(odd, nil), ("a", odd)] as [(String, String?)] {
            #expect(throws: APIError.self) {
                try world.backend { try $0.create(id, World.note("x"), user: user, group: nil) }
            }
        }
        try world.backend { try $0.create("a", World.note("x"), user: "ana", group: odd) }
        #expect(throws: APIError.self) {
            try world.backend { try $0.replace("a", World.note("y"), user: odd, group: nil) }
        }
    }

    @Test func aDeletedIdMayBeUsedAgain() throws {
        try world.push(.create, "a", group: "secret", World.note("one"))
        try world.push(.delete, "a", at: 1)
        try world.backend { try $0.create("a", World.note("new"), user: nil, group: nil) }
        #expect(try world.record("a")?.revision == 3)
        #expect(try world.record("a")?.isLive == true)
        // A view that saw the old record and missed its deletion still receives it.
        let guest = World.grant("guest", ["annotations:view:group=secret"])
        let delta = try world.look(guest) { try $0.delta(since: Cursor(epoch: $0.epoch, revision: 1), limit: 9) }
        #expect(delta.changes == [.removed("a", 2)])
    }

    @Test(arguments: ["a", "7"])
    func aLivingIdMayNot(_ id: String) throws {
        try world.push(.create, "a", World.note("one"))
        #expect(throws: APIError.self) {
            try world.backend { try $0.create(id, World.note("x"), user: nil, group: nil) }
        }
    }

    @Test func theFormIsAskedForHereToo() throws {
        let wrong: [@Sendable (inout BackendWriter) throws -> Void] = [
            { try $0.create("a b", World.note("x"), user: nil, group: nil) },
            { try $0.create("a", try Content("{}"), user: nil, group: nil) },
            { try $0.create("a", World.comment(on: "none"), user: nil, group: nil) },
            { try $0.replace("7", World.comment(on: "7"), user: nil, group: nil) },
            { try $0.replace("none", World.note("x"), user: nil, group: nil) },
            { try $0.delete("none", user: nil) },
        ]
        for write in wrong { #expect(throws: APIError.self) { try world.backend(write) } }
        #expect(try world.layer.head == 0)
    }

    @Test func anEntryThatFailsTakesNothingElseWithIt() throws {
        try world.backend { writer in
            try writer.create("a", World.note("one"), user: nil, group: nil)
            try? writer.attempt { writer in
                try writer.create("b", World.note("two"), user: nil, group: nil)
                try writer.create("a", World.note("again"), user: nil, group: nil)
            }
            try writer.attempt { try $0.create("c", World.note("three"), user: nil, group: nil) }
        }
        #expect(try world.layer.head == 2)
        #expect(try world.record("b") == nil)
        #expect(world.commits.last?.records.map(\.id) == ["a", "c"])
    }

    @Test func aRootGoesWithItsThread() throws {
        try world.push(.create, "c1", World.comment(on: "7"))
        try world.backend { try $0.delete("7", user: "system") }
        #expect(try !world.isLive("7") && !world.isLive("c1"))
    }
}
