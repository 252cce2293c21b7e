import Annotations
import InstantCore
import Testing

@testable import App

/// The display of an edit between the key press and the disk write.
@Suite struct SavingTests {
    private func stage(_ change: (FakeServices) -> Void = { _ in }) -> Stage {
        let services = Sample.services()
        services.holdsEdits = true
        change(services)
        return Stage(services)
    }

    private func row(_ stage: Stage, _ text: String) -> String { stage.lines.first { $0.contains(text) } ?? "" }

    @Test func aNewNoteIsARowAtOnceAndUnsentOnceItIsSaved() throws {
        let stage = stage()
        try stage.press("jaHere<enter>")
        #expect(row(stage, "Here").hasPrefix("▌^N 1 me  Here"))
        #expect(row(stage, "Here").hasSuffix(" saving"))
        #expect(stage.statusLine.contains("1 saving"))
        #expect(stage.state.document?.list.total == 5)
        stage.saveHeld()
        #expect(row(stage, "Here").hasSuffix(" unsent"))
        #expect(stage.foot == " Added note; u to take it back")
        #expect(!stage.statusLine.contains("saving"))
        #expect(stage.state.document?.list.total == 5)
    }

    @Test func thePersonGoesOnMeanwhileAndTheCursorStaysWhereItWent() throws {
        let stage = stage()
        try stage.press("aHere<enter>gg")
        let id = stage.state.document?.list.cursorID
        try stage.press("jk")
        stage.saveHeld()
        #expect(stage.state.document?.list.cursorID == id)
        #expect(row(stage, "Here").hasSuffix(" unsent"))
    }

    @Test func aChangedTextIsShownWhileItIsSaved() throws {
        let stage = stage()
        try stage.press("e<C-u>Better<enter>")
        #expect(row(stage, "Better").hasSuffix(" saving"))
        #expect(stage.state.document?.detail.map { Annotation($0).text } == "Better")
        // Data read meanwhile is older than the edit.
        stage.send(.recordsChanged([], author: nil))
        try stage.press("jk")
        #expect(row(stage, "Better").hasSuffix(" saving"))
        stage.saveHeld()
        #expect(row(stage, "Better").hasSuffix(" unsent"))
        #expect(stage.services.records.first { $0.id == "h1" }.map { Annotation($0).text } == "Better")
    }

    /// The list's rows are read on one thread and edits are stored on another.
    @Test(arguments: ["jaHere<enter>", "e<C-u>Here<enter>"])
    func rowsReadBeforeAnEditWasStoredHideNothing(keys: String) throws {
        let stage = stage()
        try stage.press(keys)
        stage.services.holdsRows = true
        stage.send(.recordsChanged([], author: nil))
        stage.saveHeld()
        let notice = stage.foot
        for _ in 0..<4 {
            #expect(row(stage, "Here").hasPrefix("▌"))
            #expect(stage.foot == notice)
            stage.services.answerRows(1)
            stage.drain()
        }
        stage.services.holdsRows = false
        stage.services.answerRows()
        stage.drain()
        #expect(row(stage, "Here").hasSuffix(" unsent"))
        #expect(stage.foot == notice)
    }

    @Test func aSecondEditBuildsOnTheFirst() throws {
        let stage = stage()
        try stage.press("aone<enter>")
        try stage.press("e two<enter>")
        try stage.press("e three<enter>")
        #expect(row(stage, "one two three").hasSuffix(" saving"))
        #expect(stage.statusLine.contains("3 saving"))
        stage.saveHeld(1)
        #expect(row(stage, "one two three").hasSuffix(" saving"))
        stage.saveHeld()
        #expect(row(stage, "one two three").hasSuffix(" unsent"))
        #expect(stage.services.records.filter { Annotation($0).text == "one two three" }.count == 1)
    }

    @Test func aDeletionAndItsUndoKeepTheirOrder() throws {
        let stage = stage()
        try stage.press("jjd")
        #expect(stage.state.document?.list.total == 4)
        #expect(stage.lines.contains { $0.hasPrefix("▌") && $0.hasSuffix(" saving") })
        try stage.press("u")
        #expect(stage.asked.last == .undo(step: 1))
        try stage.press("<C-r>")
        #expect(stage.foot == " The undo is still being saved; try again in a moment")
        stage.saveHeld(1)
        #expect(stage.state.document?.list.total == 3)
        stage.saveHeld()
        #expect(stage.state.document?.list.total == 4)
        try stage.press("<C-r>")
        stage.saveHeld()
        #expect(stage.state.document?.list.total == 3)
    }

    @Test func twoStepsAreUndoneAlthoughTheFirstUndoIsNotSaved() throws {
        let stage = stage()
        try stage.press("aone<enter>atwo<enter>uu")
        #expect(stage.asked.suffix(2) == [.undo(step: 2), .undo(step: 1)])
        stage.saveHeld()
        #expect(stage.state.document?.list.total == 4)
    }

    @Test func aReplyIsInItsThreadWhileItIsSaved() throws {
        let stage = stage()
        try stage.press("rQuite<enter>")
        #expect(stage.screen.contains("saving:"))
        #expect(stage.screen.contains("Quite"))
        stage.saveHeld()
        #expect(!stage.screen.contains("saving"))
        #expect(stage.screen.contains("Quite"))
    }

    @Test func aMarkIsOnItsPageWhileItIsSaved() throws {
        let stage = stage()
        let before = stage.state.document?.page.rows.count ?? 0
        try stage.press("<tab>vwwH")
        #expect(stage.state.document?.page.rows.count == before + 1)
        stage.saveHeld()
        #expect(stage.state.document?.page.rows.count == before + 1)
    }

    @Test func aConflictThatIsSettledIsSavedBeforeItIsGone() throws {
        let services = OutboxTests.services()
        services.holdsEdits = true
        let stage = Stage(services)
        try stage.press("Ojjt")
        #expect(stage.asked.last == .resolve("u1", .theirs, of: OutboxTests.sides(of: "u1")))
        #expect(stage.screen.contains("saving"))
        stage.saveHeld()
        #expect(!stage.screen.contains("saving"))
    }

    // MARK: Not saved

    @Test func whatIsNotSavedSaysWhyAndItsTextIsInTheEditor() throws {
        let stage = stage { $0.failure = "the disk is full" }
        try stage.press("e<C-u>Better<enter>j")
        stage.saveHeld()
        #expect(stage.foot == " Not saved: the disk is full")
        #expect(stage.state.document?.editor?.input.text == "Better")
        #expect(stage.asked.contains(.saveDraft(.record("h1"), "Better")))
        #expect(row(stage, "not saved").contains("not saved: the disk is full"))
        // The user reads the error and tries again.
        stage.services.failure = nil
        try stage.press("<enter>")
        #expect(!stage.screen.contains("not saved"))
        stage.saveHeld()
        #expect(row(stage, "Better").hasSuffix(" unsent"))
        #expect(stage.asked.contains(.saveDraft(.record("h1"), nil)))
    }

    @Test func escPutsTheReasonAway() throws {
        let stage = stage { $0.failure = "the disk is full" }
        try stage.press("jjd")
        stage.saveHeld()
        #expect(row(stage, "not saved").contains("not saved: the disk is full"))
        try stage.press("<esc>")
        #expect(!stage.screen.contains("not saved"))
        #expect(stage.state.document?.list.total == 4)
    }

    @Test func aTextIsADraftOnTheDiskFromTheKeyToTheSaving() throws {
        let stage = stage()
        try stage.press("aprecious<enter>")
        let edits = stage.asked.compactMap { effect -> String? in
            switch effect {
            case .saveDraft(_, let text, _): text ?? "forgotten"
            case .perform: "performed"
            default: nil
            }
        }
        #expect(edits == ["precious", "performed"])
        // After a crash, the id shows that draft and record are the same note.
        let step = stage.asked.compactMap { effect in if case .perform(let step) = effect { step } else { nil } }.first
        #expect(stage.asked.contains(.saveDraft(.note(page: 0), "precious", becoming: step?.newIDs.first)))
        #expect(step?.newIDs.count == 1)
        stage.saveHeld()
        #expect(stage.asked.contains(.saveDraft(.note(page: 0), nil)))
    }

    @Test func aNoteBegunMeanwhileIsNoNewDraftOfTheFirstAndLosesNothing() throws {
        let stage = stage { $0.failure = "the disk is full" }
        try stage.press("aone<enter>a")
        #expect(stage.state.document?.editor?.input.text == "")
        try stage.press("two")
        stage.saveHeld()
        #expect(stage.foot == " Not saved: the disk is full; the text is kept as a draft")
        #expect(stage.state.document?.editor?.input.text == "two\none")
        #expect(stage.asked.contains(.saveDraft(.note(page: 0), "two\none")))
    }

    @Test func whatWasWrittenToANoteThatWasNotMadeIsNotLost() throws {
        let stage = stage { $0.failure = "the disk is full" }
        try stage.press("aone<enter>e two<enter>")
        stage.saveHeld()
        #expect(stage.state.document?.editor?.input.text == "one\none two")
    }

    // MARK: Leaving

    @Test func leavingWaitsUntilItIsSavedAndSaysSo() throws {
        let stage = stage()
        try stage.press("aone<enter>q")
        #expect(stage.foot == " Saving an edit before leaving")
        #expect(!stage.state.hasQuit)
        stage.saveHeld()
        #expect(stage.state.hasQuit)
        #expect(stage.asked.last == .quit)
    }

    @Test func anotherKeyStays() throws {
        let stage = stage()
        try stage.press("aone<enter>qj")
        stage.saveHeld()
        #expect(!stage.state.hasQuit)
        try stage.press("q")
        #expect(stage.state.hasQuit)
    }

    @Test func whatIsNotSavedIsReadBeforeItIsLeft() throws {
        let stage = stage { $0.failure = "the disk is full" }
        try stage.press("aone<enter>q")
        stage.saveHeld()
        #expect(!stage.state.hasQuit)
        #expect(stage.state.document?.editor?.input.text == "one")
    }

    @Test func aRequestToEndWaitsAndKeepsWhatIsNotSavedAsADraft() throws {
        let stage = stage { $0.failure = "the disk is full" }
        try stage.press("aone<enter>")
        stage.send(.terminate)
        #expect(!stage.state.hasQuit)
        stage.saveHeld()
        #expect(stage.state.hasQuit)
        #expect(stage.asked.suffix(2) == [.saveDraft(.note(page: 0), "one"), .quit])
    }

    @Test func otherTabsAreWaitedForWhenTheProgramEnds() throws {
        let stage = stage()
        try stage.press("aone<enter>:open other.pdf<enter>")
        try stage.press(":quit<enter>")
        #expect(!stage.state.hasQuit)
        stage.saveHeld()
        #expect(stage.state.hasQuit)
    }

    // MARK: Without a screen

    @Test func withoutAScreenTheNextLineWaits() {
        let services = Sample.services()
        services.holdsEdits = true
        let stage = PlainStage(services)
        stage.type("note")
        stage.type("Written")
        stage.type(".")
        #expect(!stage.isReady)
        services.saveHeld()
        stage.send(.tick(stage.now))
        #expect(stage.isReady)
        #expect(stage.said.contains { $0.hasPrefix("Added note") })
    }

    @Test func withoutAScreenAFailureIsSaidAndTheTextIsADraft() {
        let services = Sample.services()
        services.failure = "the disk is full"
        let stage = PlainStage(services)
        stage.type("note")
        stage.type("Written")
        #expect(stage.type(".").contains("Not saved: the disk is full"))
        #expect(stage.type("note").contains("Written"))
    }

    // MARK: After a restart

    @Test func undoSurvivesARestart() throws {
        let services = Sample.services()
        services.opened.undoable = [
            EditStep(
                id: 1, edits: [.update("h1", .note(onPage: 0, at: Point(x: 1, y: 1), text: "new"))], summary: "note"),
            EditStep(id: 3, edits: [.delete("h2")], summary: "highlight “a place” by carla"),
        ]
        services.remember(steps: [1, 3])
        let stage = Stage(services)
        try stage.press("u")
        #expect(stage.asked.contains(.undo(step: 3)))
        #expect(stage.foot == " Undone: deleted highlight “a place” by carla; Ctrl-R to redo")
        try stage.press("u")
        #expect(stage.foot == " Undone: changed note; Ctrl-R to redo")
        try stage.press("u")
        #expect(stage.foot == " Nothing to undo")
    }

    @Test func aStepThatCannotBeUndoneForNowStays() throws {
        let services = Sample.services()
        services.opened.undoable = [EditStep(id: 1, edits: [.delete("h2")], summary: "note")]
        let stage = Stage(services)
        services.undoRefusal = .undoFailed(step: 1, "editing needs a token", isFinal: false)
        try stage.press("u")
        #expect(stage.foot == " Cannot undo: editing needs a token")
        services.undoRefusal = .undoFailed(step: 1, "cannot undo: it has been changed since", isFinal: false)
        try stage.press("u")
        #expect(stage.foot == " Cannot undo: it has been changed since")
        services.undoRefusal = nil
        services.remember(steps: [1])
        try stage.press("u")
        #expect(stage.foot == " Undone: deleted note; Ctrl-R to redo")
    }
}
