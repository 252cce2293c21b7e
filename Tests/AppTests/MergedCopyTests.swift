import Annotations
import InstantCore
import Screen
import TestSupport
import Testing

@testable import App

/// `:merge` brings what an annotated copy has into the layer.
@Suite struct MergedCopyTests {
    private static func copy(_ edits: [Edit], remarks: [String] = [], conflicts: Int = 0) -> MergedCopy {
        MergedCopy(
            path: "ben.pdf", edits: edits, newIDs: ["merge-1"], added: 1, changed: edits.count - 1, unchanged: 4,
            conflicts: conflicts, remarks: remarks)
    }

    private static let newNote = Edit.create(.note(onPage: 0, at: Point(x: 10, y: 10), text: "By nobody"))

    @Test func aCopyIsMergedAsOneStepThatCanBeTakenBack() throws {
        let stage = FileTests.stage(columns: 120)
        try stage.press(":merge \"ben.pdf\"<enter>")
        #expect(stage.asked.last == .mergeCopy("ben.pdf") && stage.foot.contains("Reading ben.pdf"))
        let old = OutboxTests.note("other")
        let remark = "note “x”, page 1: text: kept “x”, not “y”; the other text is now a reply"
        stage.send(.copyRead(Self.copy([Self.newNote, .update("n1", old)], remarks: [remark], conflicts: 1)))
        let step = try #require(
            stage.asked.compactMap { if case .perform(let step) = $0 { step } else { nil } }.last)
        #expect(step.edits.count == 2 && step.newIDs == ["merge-1"])
        #expect(
            stage.foot.hasPrefix(
                " Merged ben.pdf: 1 new, 1 changed; 1 in conflict, yours kept; :messages has a remark"), "\(stage.foot)"
        )
        try stage.press(":messages<enter>")
        #expect(stage.box.contains { $0.contains("kept “x”, not “y”") })
        try stage.press("<esc>u")
        #expect(stage.asked.contains(.undo(step: step.id)))
        #expect(stage.foot == " Undone: merge of ben.pdf")
        // Redoing it would make other records than those of the copy.
        try stage.press("<C-r>")
        #expect(stage.foot == " Nothing to redo")
    }

    @Test func aMergeOfNothingNewSaysSo() throws {
        let stage = FileTests.stage()
        try stage.press(":merge ben.pdf<enter>")
        stage.send(.copyRead(MergedCopy(path: "ben.pdf", unchanged: 4)))
        #expect(stage.foot == " Nothing new in ben.pdf: 4 unchanged")
        #expect(!stage.asked.contains { if case .perform = $0 { true } else { false } })
        stage.send(.copyNotRead("ben.pdf seems to be another document."))
        #expect(stage.foot == " Not merged: ben.pdf seems to be another document.")
        try stage.press(":merge<enter>")
        #expect(stage.foot == " Usage: merge FILE")
        stage.send(.file(FileStatus(path: "paper.pdf", condition: .opening)))
        let asked = stage.asked.count { $0 == .mergeCopy("ben.pdf") }
        try stage.press(":merge ben.pdf<enter>")
        #expect(stage.foot.contains("pening for editing"), "\(stage.foot)")
        #expect(stage.asked.count { $0 == .mergeCopy("ben.pdf") } == asked)
    }

    @Test func copiesInSeveralFormatsAreCompleted() throws {
        let stage = FileTests.stage()
        stage.services.paths = ["plan.pdf", "plan.txt", "plan.xfdf", "plans/"]
        for name in ["plan.pdf", "plan.xfdf", "plans/"] {
            try stage.press(name == "plan.pdf" ? ":merge p<tab>" : "<tab>")
            #expect(stage.state.prompt?.input.text == "merge \(name)")
        }
        // A layer of a server takes copies, too.
        let other = Stage(Sample.services())
        try other.press(":merge ben.xfdf<enter>")
        #expect(other.asked.last == .mergeCopy("ben.xfdf"))
    }
}
