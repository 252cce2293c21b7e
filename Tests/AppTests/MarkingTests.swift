import Annotations
import Authorization
import InstantCore
import PageLayout
import Screen
import Testing

@testable import App

/// Selecting words with the keyboard and marking them.
@Suite struct MarkingTests {
    /// The content of the last record whose creation was requested.
    private func created(_ stage: Stage) -> Content? {
        for case .perform(let step) in stage.asked.reversed() {
            if case .create(let content)? = step.edits.first { return content }
        }
        return nil
    }

    @Test func selectedWordsBecomeAHighlight() throws {
        let stage = Stage(Sample.services(), depth: .mono)
        try stage.press("<tab>wve")
        #expect(stage.statusLine.contains(#"SELECT 1 word "calls""#))
        try stage.press("eee")
        #expect(stage.statusLine.contains(#"SELECT 4 words "calls for a rethink""#))
        #expect(stage.foot.hasPrefix(" H highlight  U underline  X strike out  Z squiggly"))
        try stage.press("H")
        #expect(
            created(stage)?.text == #"""
                {"v":1,"type":"pspdfkit/markup/highlight","pageIndex":0,"bbox":[102,72,114,12],"opacity":1,\#
                "rects":[[102,72,114,12]],"color":"#fcee7c","blendMode":"multiply"}
                """#)
        #expect(stage.lines[1] == " H ^  This [calls for a rethink] of how we approach the instruction set. In")
        #expect(stage.foot == " Added highlight; u to take it back")
        #expect(stage.state.document?.list.current?.id == stage.services.records.last?.id)
    }

    @Test(arguments: [("U", "underline"), ("X", "strikeout"), ("Z", "squiggly")])
    func otherKinds(key: String, type: String) throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>vjj\(key)")
        let content = try #require(created(stage))
        #expect(content["type"]?.string == "pspdfkit/markup/\(type)")
        // One box per line, and one around them all.
        #expect(content["rects"]?.array?.count == 3)
        let rects = content["rects"]?.array?.compactMap(Rect.init(json:)) ?? []
        #expect(content["bbox"].flatMap(Rect.init(json:)) == rects.dropFirst().reduce(rects[0]) { $0.union($1) })
    }

    @Test func growingSwappingAndWholeLines() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>wvv")
        #expect(stage.statusLine.contains(#"SELECT 1 word "calls""#))
        try stage.press("v")
        #expect(stage.statusLine.contains("SELECT 12 words"))
        try stage.press("<esc>V")
        #expect(stage.statusLine.contains("SELECT 13 words"))
        try stage.press("j")
        #expect(stage.statusLine.contains("SELECT 24 words"))
        try stage.press("<esc>gglvee")
        let head = stage.state.document?.page.cursor.glyph
        try stage.press("o")
        #expect(stage.state.document?.page.cursor.glyph != head)
    }

    @Test func aMarkNeedsASelection() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>H")
        #expect(stage.foot == " Select words first (v)")
        #expect(created(stage) == nil)
    }

    @Test func escGivesUpTheSelection() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>vee<esc>")
        #expect(stage.state.document?.page.selection == nil)
        #expect(!stage.statusLine.contains("SELECT"))
    }

    @Test func passingTheEndOfAPageTheTextGoesOn() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>Gj")
        #expect(stage.state.document?.page.index == 1)
        try stage.press("k")
        #expect(stage.state.document?.page.index == 0)
        #expect(stage.underCursor == ".")
    }

    @Test func aSelectionOverTwoPagesBecomesOneRecordEachInOneStep() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>GbvwjeeeH")
        guard case .perform(let step)? = stage.asked.last(where: { if case .perform = $0 { true } else { false } })
        else {
            Issue.record("nothing was marked")
            return
        }
        let pages = step.edits.map { edit -> Int64? in
            if case .create(let content) = edit { content["pageIndex"]?.integer } else { nil }
        }
        #expect(pages == [0, 1])
        #expect(stage.foot == " Added highlight on 2 pages; u to take it back")
        #expect(stage.state.document?.list.total == 6)
        try stage.press("u")
        #expect(stage.state.document?.list.total == 4)
    }

    @Test func aSelectionGoesBackToThePageItCameFrom() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>Gbvje")
        #expect(stage.statusLine.contains("SELECT 3 words on 2 pages"))
        try stage.press("o")
        #expect(stage.foot == " The other end is on page 1")
        try stage.press("vv")
        #expect(stage.statusLine.contains("on 2 pages"))
        try stage.press("kkk")
        #expect(stage.state.document?.page.index == 0)
        #expect(stage.statusLine.contains("SELECT"))
        #expect(!stage.statusLine.contains("pages"))
    }

    @Test func aPageWithoutTextEndsTheSelection() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>JGvj")
        #expect(stage.foot == " The next page has no text to select")
        #expect(stage.state.document?.page.index == 1)
        try stage.press("<esc>")
        #expect(stage.state.document?.page.selection == nil)
    }

    @Test func aRemoteChangeMovesNeitherSelectionNorText() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>wvee")
        let before = stage.lines[1...4].map { $0.dropFirst(5) }
        stage.services.records.removeAll()
        stage.services.unread = []
        stage.send(.recordsChanged([], author: nil))
        #expect(stage.statusLine.contains(#"SELECT 2 words "calls for""#))
        let after = stage.lines[1...4].map { $0.dropFirst(5) }
        #expect(zip(before, after).allSatisfy { $0.count == $1.count })
        #expect(stage.state.document?.page.selection != nil)
    }
}
