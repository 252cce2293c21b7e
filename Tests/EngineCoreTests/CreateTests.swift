import Annotations
import Authorization
import EngineCore
import SyncProtocol
import Testing

@Suite("Creating") struct CreateTests {
    private let world: World

    init() throws { world = try World(base: ["7"]) }

    @Test func whoMadeItIsWhatTheTokenSays() throws {
        let grant = World.grant("ana", group: "crew", name: "Ana A.")
        let forged = World.content(
            "pspdfkit/note", "words", more: [("creatorName", "Somebody else"), ("createdBy", "boss")])
        #expect(try world.push(.create, "a", group: "crew", forged, as: grant).status == .applied)
        let record = try #require(try world.record("a")?.record)
        #expect((record.createdBy, record.updatedBy, record.group) == ("ana", "ana", "crew"))
        #expect(record.content["creatorName"] == "Ana A.")
        #expect(record.content["createdBy"] == nil, "only the server says who created a record")
        try world.push(.create, "b", group: "crew", forged, as: World.grant("ana", group: "crew"))
        #expect(try world.record("b")?.record.content["creatorName"] == "Somebody else")
    }

    @Test func whatIsLeftAsItIsKeepsItsText() throws {
        let text = #"{"v":1,"type":"x/unknown","pageIndex":0,"bbox":[1.50,0,1e2,1],"odd":[1.0]}"#
        try world.push(.create, "a", try Content(text))
        #expect(try world.record("a")?.record.content.text == text)
    }

    /// No new record can have an id with invisible characters; stored ones stay usable.
    @Test(arguments: ["\u{85}", "\u{202E}", "\u{2028}", "\u{200B}", "\u{FEFF}", "\u{AD}"])
    func anInvisibleIdIsInvalid(_ character: String) throws {
        let id = "a\(character)"
        let answer = try world.push(.create, id, World.note("one"))
        #expect((answer.status, answer.reason) == (.invalid, Record.idRule))
        let layer = try world.layer
        try world.store.write { store in
            var writer = LayerWriter(layer, in: store, now: World.now)
            let record = Record(id: id, content: World.note("stored"), createdBy: "ana", updatedBy: "ana")
            try writer.write(record, contentType: .annotations, rootID: nil, over: nil, client: nil)
        }
        #expect(try world.push(.update, id, at: 1, World.note("two")).status == .applied)
        #expect(try world.push(.delete, id, at: 2).status == .applied)
        #expect(try world.push(.restore, id, at: 3).status == .applied)
    }

    @Test func anIdIsUsedOnce() throws {
        try world.push(.create, "a", World.note("one"))
        let again = try world.push(.create, "a", World.note("two"), client: "d", as: World.grant("bo"))
        #expect(again.status == .conflict)
        #expect(again.item?.revision == 1)
        #expect(try world.push(.create, "7", World.note("over the PDF's own")).status == .conflict)
        try world.push(.delete, "a", at: 1)
        #expect(try world.push(.create, "a", World.note("three")).status == .gone)
        // Equal strings in Swift, different everywhere else.
        try world.push(.create, "é", World.note("one letter"))
        #expect(try world.push(.create, "e\u{301}", World.note("two scalars")).status == .applied)
    }

    @Test(arguments: [
        "{}", #"{"v":2,"type":"","pageIndex":0,"bbox":[1,2,3,4]}"#,
        #"{"v":0,"type":"x","pageIndex":0,"bbox":[1,2,3,4]}"#, #"{"v":2,"type":"x","pageIndex":3,"bbox":[1,2,3,4]}"#,
        #"{"v":2,"type":"x","pageIndex":-1,"bbox":[1,2,3,4]}"#, #"{"v":2,"type":"x","pageIndex":0.5,"bbox":[1,2,3,4]}"#,
        #"{"v":2,"type":"x","pageIndex":0,"bbox":[1,2,3]}"#, #"{"v":2,"type":"x","pageIndex":0,"bbox":[1,2,-3,4]}"#,
        #"{"v":2,"type":"pspdfkit/comment","text":"no root"}"#, #"{"v":2,"rootId":"7"}"#,
    ])
    func whatIsIncompleteIsInvalid(_ text: String) throws {
        let answer = try world.push(.create, "a", try Content(text))
        #expect(answer.status == .invalid)
        #expect(answer.reason?.isEmpty == false)
        #expect(try world.record("a") == nil)
    }

    @Test func withoutContentNothingIsMade() throws {
        #expect(try world.push(.create, "a").status == .invalid)
        #expect(try world.push(.update, "7").status == .invalid)
        #expect(try world.push(.create, "a", at: -1, World.note("x")).status == .invalid)
    }

    // MARK: Comments

    @Test(arguments: [
        ("pspdfkit/markup/highlight", ChangeResult.Status.applied), ("pspdfkit/markup/underline", .applied),
        ("pspdfkit/comment-marker", .applied), ("pspdfkit/note", .applied), ("pspdfkit/ink", .applied),
        ("pspdfkit/link", .invalid), ("pspdfkit/widget", .invalid),
    ])
    func aThreadBeginsAtAnyMarkupOrNote(_ type: String, _ status: ChangeResult.Status) throws {
        try world.push(.create, "root", World.content(type, "root"))
        #expect(try world.push(.create, "c1", World.comment(on: "root")).status == status)
    }

    @Test func threadsAreFlatAndHaveALivingRoot() throws {
        #expect(try world.push(.create, "c1", World.comment(on: "7")).status == .applied)
        #expect(try world.push(.create, "c2", World.comment(on: "c1")).status == .invalid)
        #expect(try world.push(.create, "c3", World.comment(on: "none")).status == .gone)
        try world.push(.create, "h", World.highlight("soon gone"))
        try world.push(.delete, "h", at: 2)
        #expect(try world.push(.create, "c4", World.comment(on: "h")).status == .gone)
    }
}
