import Annotations
import SyncProtocol
import TestSupport
import Testing

@Suite("An answer to a push repeats nothing that was sent") struct SentContentsTests {
    private static func content(_ text: String) -> Content {
        Content(checked: #"{"v":2,"type":"pspdfkit/note","text":"\#(text)"}"#)
    }

    private static func create(_ n: Int64, _ id: String, _ text: String) -> Change {
        Change(n: n, kind: .create, id: id, baseRevision: 0, content: content(text))
    }

    private static func item(_ id: String, _ text: String, _ revision: Revision) -> SyncItem {
        .record(Record(id: id, content: content(text), createdBy: "ana", updatedBy: nil, group: "law"), revision)
    }

    private static func request(_ changes: [Change], omitsSent: Bool = true) -> PushRequest {
        PushRequest(
            clientID: "c", acked: 0, cursor: Cursor(epoch: "e", revision: 1), changes: changes, omitsSent: omitsSent)
    }

    private static func answer(_ items: [SyncItem]) -> PushAnswer {
        PushAnswer(
            results: [ChangeResult(n: 1, status: .applied, revision: 2)],
            delta: Delta(epoch: "e", changes: items, upTo: 9, more: false))
    }

    @Test func whatWasSentIsNamedByItsNumber() throws {
        let request = Self.request([Self.create(1, "a", "mine")])
        let answer = Self.answer([Self.item("a", "mine", 2), Self.item("b", "theirs", 3)])
        let bytes = answer.bytes(answering: request)
        let items = try #require(JSON(parsing: String(decoding: bytes, as: UTF8.self))["changes"]?.array)
        #expect(
            items.first?.text
                == #"{"id":"a","sent":1,"createdBy":"ana","updatedBy":null,"group":"law","revision":2}"#)
        #expect(items.last?["content"]?["text"]?.string == "theirs")
        #expect(try PushAnswer(bytes: bytes, answering: request) == answer)
    }

    @Test(arguments: [
        // The server has kept its own creator name.
        item("a", "changed", 2),
        // The ids only look the same.
        item("cafe\u{301}", "mine", 2), .removed("a", 2),
    ])
    func anythingElseIsWhole(_ item: SyncItem) throws {
        let request = Self.request([Self.create(1, "a", "mine"), Self.create(2, "caf\u{E9}", "mine")])
        let answer = Self.answer([item])
        let bytes = answer.bytes(answering: request)
        #expect(bytes == answer.bytes)
        #expect(try PushAnswer(bytes: bytes, answering: request) == answer)
    }

    @Test func theLastOfSeveralContentsCounts() throws {
        let request = Self.request([Self.create(1, "a", "first"), Self.create(2, "a", "second")])
        for (text, isNamed) in [("first", false), ("second", true)] {
            let answer = Self.answer([Self.item("a", text, 2)])
            let bytes = answer.bytes(answering: request)
            #expect(String(decoding: bytes, as: UTF8.self).contains(#""sent":2"#) == isNamed)
            #expect(try PushAnswer(bytes: bytes, answering: request) == answer)
        }
    }

    @Test func aClientThatDoesNotAskGetsEverything() throws {
        let request = Self.request([Self.create(1, "a", "mine")], omitsSent: false)
        let answer = Self.answer([Self.item("a", "mine", 2)])
        #expect(answer.bytes(answering: request) == answer.bytes)
        #expect(!String(decoding: request.bytes, as: UTF8.self).contains("omitSent"))
    }

    @Test(arguments: [
        (#""id":"a","sent":7"#, true), (#""id":"a","sent":1"#, false), (#""id":"b","sent":1"#, true),
        (#""id":"a""#, true),
    ])
    func aReferenceToNothingIsAnError(_ members: String, omitsSent: Bool) {
        let item = "{\(members),\"revision\":2}"
        let bytes = Array(#"{"results":[],"epoch":"e","changes":[\#(item)],"upTo":2,"more":false}"#.utf8)
        let request = Self.request([Self.create(1, "a", "mine")], omitsSent: omitsSent)
        #expect(throws: JSONError.self) { try PushAnswer(bytes: bytes, answering: request) }
        #expect(throws: JSONError.self) { try PushAnswer(bytes: bytes) }
    }

    @Test(arguments: [true, false]) func aWholeContentCounts(_ omitsSent: Bool) throws {
        let item = #"{"sent":1,"content":{"text":"whole"},"id":"a","revision":2}"#
        let bytes = Array(#"{"results":[],"epoch":"e","changes":[\#(item)],"upTo":2,"more":false}"#.utf8)
        let answer = try PushAnswer(
            bytes: bytes, answering: Self.request([Self.create(1, "a", "mine")], omitsSent: omitsSent))
        #expect(answer.delta?.changes.map(\.size) == [SyncItem.overhead + 16])
    }

    @Test func aPageThatRepeatsNothingIsSmall() {
        let item = Self.item("a", "mine", 2)
        #expect(item.size(omitting: SentContents([Self.create(1, "a", "mine")])) == SyncItem.overhead)
        #expect(item.size(omitting: SentContents([Self.create(1, "a", "other")])) == item.size)
    }
}
