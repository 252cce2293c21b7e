import Annotations
import InstantCore
import Testing

@testable import App

/// Two records whose ids only look alike: Swift's `==` takes both for the same text.
@Suite struct LookalikeTests {
    private static let ids = ["cafe\u{301}", "caf\u{E9}"]
    private static let records = [
        Sample.note(ids[0], page: 0, top: 10, text: "first", by: "ana", minutes: 1),
        Sample.note(ids[1], page: 0, top: 20, text: "second", by: "ana", minutes: 1),
    ]

    private static func stage() -> Stage {
        let services = Sample.services()
        services.records = records
        return Stage(services)
    }

    @Test func theCursorIsOnOneOfThem() throws {
        let stage = Self.stage()
        func detail() -> String? { stage.state.document?.detail.map { Annotation($0).text } }
        #expect(detail() == "first")
        try stage.press("j")
        #expect(detail() == "second")
        stage.send(.recordsChanged([], author: nil))
        #expect(stage.state.document?.list.cursor == 1)
    }

    @Test func bothAreMarked() throws {
        let stage = Self.stage()
        try stage.press("vG<space>")
        #expect(stage.state.document?.list.marks.ids.count == 2)
    }

    @Test func eachHasItsOwnText() {
        let together = CombinedTexts(Self.records)
        let text = together.text.replacing("first", with: "one").replacing("second", with: "two")
        let changes = together.changes(in: text)
        #expect(Self.ids.map { changes[ByteOrdered($0)] } == ["one", "two"])
    }

    @Test func eachHasItsOwnDraft() {
        var drafts: [DraftKey: String] = [:]
        for id in Self.ids {
            for key in [DraftKey.record(id), .reply(id), .together([id, "x"])] { drafts[key] = "" }
        }
        #expect(drafts.count == 6)
    }

    @Test func eachHasItsOwnNumberAndHighlight() {
        var numbers = PlainNumbers()
        let found = Self.ids.map { numbers.number(of: $0) }
        #expect(found == [1, 2])
        var flashes = ChangeHighlights()
        flashes.add([Self.ids[0]], at: .noon)
        #expect(Self.ids.map { flashes.contains($0, at: .noon) } == [true, false])
    }

    @Test func anEditOfOneIsNotShownOnTheOther() {
        var pending = PendingEdits()
        let edit = Edit.update(Self.ids[0], Self.records[1].content.changing { $0["text"] = "changed" })
        pending.begin(.step(EditStep(id: 1, edits: [edit])))
        #expect(Self.ids.map { pending.isSaving($0) } == [true, false])
        let texts = Self.records.map { pending.applied(to: $0, $0.id).map { Annotation($0).text } }
        #expect(texts == ["changed", "second"])
        pending.begin(.resolution(Self.ids[1]))
        let ended = pending.end(as: .saved) { $0.isResolution(of: Self.ids[0]) }
        #expect(ended == nil)
    }
}
