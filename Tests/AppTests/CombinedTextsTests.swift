import Annotations
import Authorization
import InstantCore
import Screen
import Testing

@testable import App

/// Several annotations at once: marked in the list, changed and undone as one step.
@Suite struct TogetherTests {
    private func performed(_ stage: Stage) -> [[Edit]] {
        stage.asked.compactMap { effect in
            if case .perform(let step) = effect { step.edits } else { nil }
        }
    }

    /// Five annotations by the user.
    private func own() -> FakeServices {
        let services = Sample.services()
        services.records = (1...5).map {
            Sample.note("n\($0)", page: 0, top: Double($0) * 20, text: "Note \($0)", by: "mia", minutes: 5)
        }
        services.unread = []
        return services
    }

    @Test func spaceMarksAndGoesOn() throws {
        let stage = Stage(own())
        try stage.press("<space><space>j")
        #expect(
            stage.lines[16...19].map { String($0.prefix(23)) } == [
                " +N 1 me Note 1        ", " +N 1 me Note 2        ", "  N 1 me Note 3        ",
                "▌ N 1 me Note 4        ",
            ])
        #expect(stage.lines[15].contains(" 2 marked"))
        try stage.press("gg<space>")
        #expect(stage.lines[15].contains(" 1 marked"))
        try stage.press("<esc>")
        #expect(stage.lines[16].hasPrefix(" N 1 me"))
    }

    @Test func aRangeGrowsWithTheCursor() throws {
        let stage = Stage(own())
        try stage.press("jvj")
        #expect(stage.lines[15].contains(" 2 marked"))
        #expect(stage.lines[17].hasPrefix(" +N"))
        #expect(stage.lines[18].hasPrefix("▌+N"))
        try stage.press("jvG<space>")
        #expect(stage.state.document?.list.marks.ids.sorted().map(\.text) == ["n2", "n3", "n4", "n5"])
    }

    @Test func markedOnesAreDeletedInOneStepThatIsUndoneAsOne() throws {
        let stage = Stage(own())
        try stage.press("<space>jvjd")
        #expect(performed(stage) == [[.delete("n1"), .delete("n3"), .delete("n4")]])
        #expect(stage.foot == " Deleted 3 annotations; u to take it back")
        #expect(stage.state.document?.list.marks.isEmpty == true)
        #expect(stage.state.document?.list.total == 2)
        try stage.press("u")
        #expect(stage.state.document?.list.total == 5)
    }

    @Test func whatIsNotOnesOwnIsNamedAndAskedAbout() throws {
        let stage = Stage(Sample.services())
        try stage.press("vGd")
        #expect(stage.foot == "Delete 4 annotations (2 by ana, 1 by ben)? y/N")
        try stage.press("n")
        #expect(performed(stage).isEmpty)
        #expect(stage.state.document?.list.markedCount == 4)
        try stage.press("dy")
        #expect(performed(stage) == [[.delete("h1"), .delete("h2"), .delete("u1"), .delete("n1")]])
    }

    @Test func whatMayNotBeChangedIsLeftAndSaid() throws {
        let services = Sample.services()
        var grant = Grant.hotos()
        grant.collaboration = [Permission(.annotations, .view, .all), Permission(.annotations, .delete, .own)]
        services.opened.status = .live(grant)
        let stage = Stage(services)
        try stage.press("vGd")
        #expect(performed(stage) == [[.delete("u1")]])
        #expect(stage.foot.hasPrefix(" Deleted underline “can adapt”; 3 unchanged: needs annotations:delete"))
    }

    @Test func withoutWriteNothingIsGathered() throws {
        let services = own()
        services.opened.status = .live(.hotos([.readDocument, .download]))
        let stage = Stage(services)
        try stage.press("<space><space>d")
        #expect(stage.foot == #" Read-only: this token lacks "write""#)
    }

    @Test func aColourIsChosenForAll() throws {
        let stage = Stage(own())
        try stage.press("<space><space>c")
        #expect(stage.boxTitle.hasPrefix("Colour 9/9"))
        try stage.press("red<enter>")
        #expect(stage.services.records.map { $0.content["color"]?.string } == ["#d1202f", "#d1202f", nil, nil, nil])
        #expect(stage.foot == " Changed 2 annotations; u to take it back")
        try stage.press("u")
        #expect(stage.services.records.allSatisfy { $0.content["color"] == nil })
    }

    @Test(arguments: [
        (":color blue<enter>", "#2293fb"), (":color #ABCDEF<enter>", "#abcdef"), (":color mauve<enter>", nil),
    ])
    func aColourIsTyped(keys: String, color: String?) throws {
        let stage = Stage(own())
        try stage.press(keys)
        #expect(stage.services.records[0].content["color"]?.string == color)
        if color == nil { #expect(stage.foot.hasPrefix(" Usage: color NAME or #rrggbb; names: yellow")) }
    }

    // MARK: As one text

    @Test func markedTextsAreOneTextInTheEditor() throws {
        let stage = Stage(own())
        try stage.press("<space><space>E")
        let text = """
            === 1/2 note, page 1, mia ===
            Note 1
            === 2/2 note, page 1, mia ===
            Note 2
            """
        #expect(stage.asked.last == .editExternally(text))
        stage.send(.externallyEdited(text.replacing("Note 1", with: "Better\nand longer")))
        #expect(stage.services.records[0].content["text"] == "Better\nand longer")
        #expect(performed(stage).map(\.count) == [1])
        #expect(stage.foot == " Changed note “Note 1”; u to take it back")
    }

    @Test func theyAreWrittenInTheProgramToo() throws {
        let stage = Stage(own())
        try stage.press("<space><space>e<C-u>Other<enter>")
        #expect(stage.services.records[1].content["text"] == "Other")
        #expect(stage.state.document?.editor == nil)
        #expect(stage.state.document?.list.marks.isEmpty == true)
    }

    @Test func aTextThatSomebodyChangedMeanwhileIsADraftAndTheOthersAreSaved() throws {
        let stage = Stage(own())
        try stage.press("<space><space>e")
        stage.services.records[0].content = stage.services.records[0].content.changing { $0["text"] = "theirs" }
        try stage.press("<C-u>Mine<up><up><C-e><C-u>Also mine<enter>")
        #expect(stage.services.records[0].content["text"] == "theirs")
        #expect(stage.services.records[1].content["text"] == "Mine")
        #expect(stage.foot.contains("1 changed by others meanwhile"))
        #expect(stage.asked.contains(.saveDraft(.record("n1"), "Also mine")))
        try stage.press("gge")
        #expect(stage.state.document?.editor?.input.text == "Also mine")
    }

    @Test func leavingKeepsADraftForTheSameOnes() throws {
        let stage = Stage(own())
        try stage.press("<space><space>e more<esc>")
        #expect(stage.foot == " Draft kept; press the same key to resume")
        try stage.press("e")
        #expect(stage.state.document?.editor?.input.text.hasSuffix("Note 2 more") == true)
    }

    @Test(arguments: [
        ("", [:]), ("=== 1/2 note, page 1, mia ===\nA\n=== 2/2 note, page 1, mia ===\nB", ["a": "A", "b": "B"]),
        ("=== 2/2 note, page 1, mia ===\nB", ["b": "B"]), ("=== 1/2 note, page 1, mia ===\n \n", [:]),
        ("before\n=== 1/2 note, page 1, mia ===\nold", [:]),
        ("=== 1/2 note, page 1, mia ===\nA\n=== 3/2 ===\nC", ["a": "A\n=== 3/2 ===\nC"]),
        ("=== 2/2 note, page 1, mia ===\nB\n=== 1/2 note, page 1, mia ===", ["b": "B\n=== 1/2 note, page 1, mia ==="]),
    ])
    func reading(text: String, changes: [String: String]) {
        let together = CombinedTexts([
            Sample.note("a", page: 0, top: 0, text: "old", by: "mia", minutes: 1),
            Sample.note("b", page: 0, top: 9, text: "older", by: "mia", minutes: 1),
        ])
        let found = together.changes(in: text).map { ($0.key.text, $0.value) }
        #expect(Dictionary(uniqueKeysWithValues: found) == changes)
    }

    @Test func notMoreThanAServerTakesAtOnce() throws {
        let services = own()
        services.records = (0..<1100).map {
            Sample.note("n\($0)", page: 0, top: Double($0), text: "x", by: "mia", minutes: 5)
        }
        let stage = Stage(services)
        try stage.press("vGd")
        #expect(stage.foot == " At most 1000 at once; mark fewer")
        #expect(performed(stage).isEmpty)
    }

    @Test func whatArrivesElsewhereMovesNeitherMarksNorRange() throws {
        let stage = Stage(own())
        try stage.press("jvj")
        stage.services.records.insert(
            Sample.note("new", page: 0, top: 1, text: "First", by: "ana", minutes: 0), at: 0)
        stage.send(.recordsChanged(["new"], author: "ana"))
        #expect(stage.state.document?.list.cursorID == "n3")
        try stage.press("v")
        #expect(stage.state.document?.list.marks.ids.sorted().map(\.text) == ["n2", "n3"])
    }
}
