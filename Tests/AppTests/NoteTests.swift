import Annotations
import InstantCore
import Testing

@testable import App

/// Creating, editing and deleting notes.
@Suite struct NoteTests {
    private func performed(_ stage: Stage) -> [Edit] {
        stage.asked.flatMap { effect -> [Edit] in
            if case .perform(let step) = effect { step.edits } else { [] }
        }
    }

    @Test func aNoteBesideTheCurrentRecord() throws {
        let stage = Stage(Sample.services())
        try stage.press("jaTwo<C-j>lines")
        #expect(stage.lines[18].hasPrefix("─ New note on page 1 ───"))
        #expect(stage.lines[19...20] == [" Two", " lines"])
        #expect(stage.foot == " Enter save  Ctrl-J new line  Ctrl-X editor  Esc keep draft")
        try stage.press("<enter>")
        #expect(
            performed(stage) == [.create(.note(onPage: 0, at: Point(x: 234, y: 100), text: "Two\nlines"))])
        #expect(stage.state.document?.list.current?.text == "Two\nlines")
        #expect(stage.lines.contains { $0.hasPrefix("▌^N 1 me  Two lines") })
    }

    @Test func aNoteAtTheCursorOfThePage() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>jwaHere<enter>")
        #expect(performed(stage) == [.create(.note(onPage: 0, at: Point(x: 102, y: 86), text: "Here"))])
        #expect(stage.lines[2].hasPrefix(" NH"))
    }

    @Test func anEmptyLayerTakesANoteOnTheCurrentPage() throws {
        let services = Sample.services()
        services.records = []
        services.opened.status.lastSync = .noon
        let stage = Stage(services)
        #expect(stage.screen.contains("No annotations yet. Press a to add a note."))
        try stage.press("aFirst<enter>")
        #expect(performed(stage) == [.create(.note(onPage: 0, at: Point(x: 36, y: 36), text: "First"))])
    }

    @Test func aNoteStaysOnItsPage() throws {
        let services = Sample.services()
        services.records = [Sample.note("n", page: 0, top: 780, text: "low", by: "ana", minutes: 1)]
        services.records[0].content = services.records[0].content.changing { $0["bbox"] = [600, 790, 32, 32] }
        let stage = Stage(services)
        try stage.press("ax<enter>")
        #expect(performed(stage) == [.create(.note(onPage: 0, at: Point(x: 580, y: 760), text: "x"))])
    }

    @Test func changingATextKeepsTheRestOfTheRecord() throws {
        let stage = Stage(Sample.services())
        try stage.press("e<C-u>Better<enter>")
        guard case .update("h1", let content)? = performed(stage).first else {
            Issue.record("nothing was changed")
            return
        }
        #expect(content == Sample.services().records[0].content.changing { $0["note"] = "Better" })
        #expect(stage.foot == " Changed highlight “Which ones?” by ana; u to take it back")
    }

    @Test func aTextThatIsAnObjectStaysOne() {
        let content = Content.note(onPage: 0, at: Point(x: 0, y: 0), text: "").changing {
            $0["text"] = ["format": "xhtml", "value": "<p>a</p>"]
        }
        #expect(content.changingText(to: "b")["text"] == ["format": "plain", "value": "b"])
    }

    @Test func formattingStaysAroundTheWordsThatChanged() throws {
        let services = Sample.services()
        services.records = [Sample.note("n", page: 0, top: 90, text: "", by: "ana", minutes: 1)]
        services.records[0].content = services.records[0].content.changing {
            $0["text"] = ["format": "xhtml", "value": "<p>see <b>this</b></p>"]
        }
        let stage = Stage(services)
        try stage.press("e<C-u>see that<enter>")
        guard case .update("n", let content)? = performed(stage).first else {
            Issue.record("nothing was changed")
            return
        }
        #expect(content["text"] == ["format": "xhtml", "value": "<p>see <b>that</b></p>"])
        // A change that plain text cannot express loses neither the formatting nor the new text.
        try stage.press("e<C-u>gone<enter>")
        #expect(performed(stage).count == 1)
        #expect(stage.foot.hasPrefix(" Not saved: the change crosses formatting"))
        #expect(stage.state.document?.editor?.input.text == "gone")
    }

    @Test func anUntouchedTextChangesNothing() throws {
        let stage = Stage(Sample.services())
        try stage.press("e<enter>")
        #expect(performed(stage).isEmpty)
        try stage.press("e<C-u>  <enter>")
        #expect(stage.foot == " Empty text not saved; Esc to leave, d to delete the record")
        #expect(stage.state.document?.editor != nil)
    }

    // MARK: Drafts

    @Test func escKeepsADraftAndTheSameKeyBringsItBack() throws {
        let stage = Stage(Sample.services())
        try stage.press("a unfinished<esc>")
        #expect(stage.foot == " Draft kept; press the same key to resume")
        #expect(stage.asked.last == .saveDraft(.note(page: 0), " unfinished"))
        try stage.press("a business<enter>")
        #expect(stage.state.document?.list.current?.text == " unfinished business")
        #expect(stage.asked.contains(.saveDraft(.note(page: 0), nil)))
        try stage.press("a")
        #expect(stage.state.document?.editor?.input.text == "")
    }

    @Test func draftsOfAnEarlierRunAreThere() throws {
        let services = Sample.services()
        services.opened.drafts = [.record("h1"): "from before"]
        let stage = Stage(services)
        try stage.press("e")
        #expect(stage.state.document?.editor?.input.text == "from before")
        try stage.press("<C-u><esc>")
        #expect(stage.asked.last == .saveDraft(.record("h1"), nil))
    }

    @Test func whatIsTypedIsKeptEveryTwoSeconds() throws {
        let stage = Stage(Sample.services())
        try stage.press("aone")
        #expect(stage.state.wakeAfter == 2000)
        stage.now = stage.now + 2500
        try stage.press(" two")
        #expect(stage.asked.last == .saveDraft(.note(page: 0), "one"))
        stage.now = stage.now + 2000
        stage.send(.tick(stage.now))
        #expect(stage.asked.last == .saveDraft(.note(page: 0), "one two"))
    }

    @Test func aRequestToEndKeepsWhatIsBeingWritten() throws {
        let stage = Stage(Sample.services())
        try stage.press("aalmost")
        stage.send(.terminate)
        #expect(stage.asked.suffix(2) == [.saveDraft(.note(page: 0), "almost"), .quit])
    }

    @Test func aTextThatWasNotSavedIsInTheEditorAgain() throws {
        let services = Sample.services()
        services.failure = "the disk is full"
        let stage = Stage(services)
        try stage.press("aprecious<enter>")
        #expect(stage.foot == " Not saved: the disk is full")
        #expect(stage.state.document?.editor?.input.text == "precious")
        try stage.press("<esc>a")
        #expect(stage.state.document?.editor?.input.text == "precious")
    }

    // MARK: The user's own editor

    @Test func theTextMovesToTheOwnEditorAndComesBack() throws {
        let stage = Stage(Sample.services())
        try stage.press("astart<C-x>")
        #expect(stage.asked.last == .editExternally("start"))
        stage.send(.externallyEdited("start and end\n"))
        #expect(stage.state.document?.editor?.input.text == "start and end")
        try stage.press("<enter>")
        #expect(stage.state.document?.list.current?.text == "start and end")
        try stage.press("E")
        stage.send(.externallyEdited("all new\n"))
        #expect(stage.state.document?.list.current?.text == "all new")
        try stage.press("E")
        stage.send(.externallyEdited(""))
        #expect(stage.foot == " Text left empty; nothing changed")
        #expect(stage.state.document?.list.current?.text == "all new")
    }

    // MARK: Deleting and undoing

    @Test func onesOwnIsDeletedAtOnceAndComesBackWithUndo() throws {
        let stage = Stage(Sample.services())
        try stage.press("jjd")
        #expect(performed(stage) == [.delete("u1")])
        #expect(stage.state.document?.list.total == 3)
        try stage.press("u")
        #expect(stage.state.document?.list.total == 4)
        #expect(stage.foot == " Undone: deleted underline “can adapt”; Ctrl-R to redo")
        try stage.press("<C-r>")
        #expect(stage.state.document?.list.total == 3)
        try stage.press("uu")
        #expect(stage.foot == " Nothing to undo")
    }

    @Test func anothersIsAskedAboutWithNoAsTheDefault() throws {
        let stage = Stage(Sample.services())
        try stage.press("d")
        #expect(stage.foot == "Delete this highlight “Which ones?” by ana? y/N")
        try stage.press("<enter>")
        #expect(stage.foot == " Cancelled")
        #expect(performed(stage).isEmpty)
        try stage.press("dy")
        #expect(performed(stage) == [.delete("h1")])
    }

    @Test func undoSaysWhyItCannot() throws {
        let stage = Stage(Sample.services())
        try stage.press("jjd")
        stage.services.forgetSteps()
        try stage.press("u")
        #expect(stage.foot == " Cannot undo: someone wrote since")
        try stage.press("u")
        #expect(stage.foot == " Nothing to undo")
    }

    // MARK: The author

    @Test func theAuthorIsAskedForOnce() throws {
        let services = Sample.services()
        services.opened.author = nil
        let stage = Stage(services)
        try stage.press("aHello<enter>")
        #expect(stage.foot == "Your name, shown on your annotations:")
        #expect(performed(stage).isEmpty)
        try stage.press("<enter>Mia<enter>")
        #expect(stage.asked.contains(.rememberAuthor("Mia")))
        #expect(performed(stage).count == 1)
        try stage.press("aAgain<enter>")
        #expect(performed(stage).count == 2)
    }

    @Test func leavingTheQuestionForTheAuthorLosesNoText() throws {
        let services = Sample.services()
        services.opened.author = nil
        let stage = Stage(services)
        try stage.press("aHello<enter><esc>")
        #expect(stage.state.document?.editor?.input.text == "Hello")
    }
}
