import Annotations
import InstantCore
import Screen
import Testing

@testable import App

/// Drafts: what belongs to which purpose, what happens when the record or the disk is gone.
@Suite struct DraftTests {
    private func drafts(_ stage: Stage) -> [DraftKey: String] { stage.state.document?.drafts ?? [:] }

    // MARK: Merges

    /// The kept draft of a merge opened in the ordinary editor, and was saved with its marker lines.
    @Test func aMergeKeptAsADraftDoesNotBecomeTheText() throws {
        let stage = Stage(OutboxTests.services())
        try stage.press("Oj<enter>e more<esc>")
        #expect(stage.foot == " Draft kept; e in the conflict resumes it")
        try stage.press("<esc><esc>")
        try stage.press("G")
        #expect(drafts(stage).keys.allSatisfy { if case .merge("n1", _) = $0 { true } else { false } })
        #expect(drafts(stage).count == 1)
        try stage.press("e")
        #expect(stage.state.document?.editor?.input.text.contains("<<<<<<<") == false)
        try stage.press("<esc>O<enter>e")
        #expect(stage.state.document?.editor?.input.text.hasSuffix(">>>>>>> yours more") == true)
        try stage.press("<enter>")
        #expect(stage.foot.contains("Not saved: the line <<<<<<< theirs: ana remains"))
    }

    @Test func aMergeThatNothingWasWrittenInLeavesNoDraft() throws {
        let stage = Stage(OutboxTests.services())
        try stage.press("Oj<enter>e<esc>")
        #expect(drafts(stage).isEmpty)
    }

    /// The other version has changed: the draft would replace it unseen.
    @Test func aDraftOfAnEarlierMergeIsNotResumed() throws {
        let stage = Stage(OutboxTests.services())
        try stage.press("Oj<enter>e more<esc><esc>")
        stage.services.outbox[1].theirs = OutboxTests.note("her new text")
        stage.send(.recordsChanged(["n1"], author: "ana", byOthers: ["n1"]))
        try stage.press("<esc>O<enter>e")
        #expect(stage.state.document?.editor?.input.text.contains("her new text") == true)
        #expect(stage.state.document?.editor?.input.text.hasSuffix("more") == false)
        try stage.press("<esc>")
        #expect(stage.lines.contains { $0.contains("draft of a merge") && $0.contains("its conflict is gone") })
    }

    /// A text about version control is not looked at.
    @Test func anOrdinaryTextMayHaveMarkerLines() throws {
        let stage = Stage(Sample.services())
        try stage.press("e<C-u><paste:<<<<<<< theirs: ana\\n=======\\n\\>\\>\\>\\>\\>\\>\\> yours><enter>")
        #expect(stage.asked.contains { if case .perform = $0 { true } else { false } })
    }

    @Test func savingAMergeForgetsWhatWasWrittenBefore() throws {
        let stage = Stage(Sample.services())
        try stage.press("e mine")
        stage.now = .noon + 3_000
        stage.send(.tick(stage.now))
        stage.now = .noon + 6_000
        stage.send(.tick(stage.now))
        #expect(stage.asked.contains(.saveDraft(.record("h1"), "Which ones? mine")))
        stage.services.records[0].content = stage.services.records[0].content.changing { $0["note"] = "theirs" }
        stage.send(.recordsChanged(["h1"], author: "ana"))
        try stage.press("<enter>e")
        for _ in 0..<200 { try stage.press("<backspace>") }
        try stage.press("both<enter>")
        #expect(stage.services.records[0].content["note"] == "both")
        #expect(drafts(stage).isEmpty)
        #expect(stage.asked.contains(.saveDraft(.record("h1"), nil)))
    }

    @Test func aClockThatIsSetBackDelaysNoDraft() throws {
        let stage = Stage(Sample.services())
        try stage.press("e mine")
        let draft = Effect.saveDraft(.record("h1"), "Which ones? mine")
        for moment in [0, -86_400_000, -86_400_000 + 3_000] as [Int64] {
            #expect(!stage.asked.contains(draft))
            stage.now = .noon + moment
            stage.send(.tick(stage.now))
        }
        #expect(stage.asked.contains(draft))
    }

    // MARK: The disk

    @Test func aDraftIsCalledKeptOnceItIs() throws {
        let stage = Stage(Sample.services())
        try stage.press("e mine<esc>")
        #expect(stage.foot == " Draft kept; press the same key to resume")
        stage.services.draftFate = .failed("cannot write /state/drafts/x.json: No space left on device")
        try stage.press("e!<esc>")
        #expect(stage.foot == " Draft not kept: cannot write /state/drafts/x.json: No space left on device")
        try stage.press("q")
        #expect(
            stage.foot == "Lose a draft not kept (cannot write /state/drafts/x.json: No space left on device)? y/N")
        try stage.press("n")
        #expect(!stage.state.hasQuit)
        // There is space again: the next draft takes the other with it.
        stage.services.draftFate = .stored
        try stage.press("e?<esc>q")
        #expect(stage.state.hasQuit)
    }

    /// The answer of the disk comes after the key that quits.
    @Test func quittingWaitsForTheDisk() throws {
        let stage = Stage(Sample.services())
        stage.services.draftFate = nil
        try stage.press("e mine<esc>q")
        #expect(!stage.state.hasQuit)
        stage.send(.draftKept(.record("h1"), .failed("No space left on device")))
        #expect(stage.foot == "Lose a draft not kept (No space left on device)? y/N")
        try stage.press("y")
        #expect(stage.state.hasQuit)
    }

    /// The text is an edit by then: only the removal of its draft fails.
    @Test func whatIsSavedIsNotLost() throws {
        let stage = Stage(Sample.services())
        stage.services.draftFate = .failed("No space left on device")
        try stage.press("e mine<esc>")
        #expect(stage.foot == " Draft not kept: No space left on device")
        try stage.press("e<enter>q")
        #expect(stage.services.records[0].content["note"] == "Which ones? mine")
        #expect(stage.state.hasQuit)
    }

    @Test func inAPrivateSessionItSaysForHowLong() throws {
        let stage = Stage(Sample.services())
        stage.services.draftFate = .inMemory
        try stage.press("e mine<esc>")
        #expect(stage.foot.contains("until you leave: nothing of this file is written"))
    }

    // MARK: Records that are gone

    private func deleted() throws -> Stage {
        let stage = Stage(Sample.services())
        stage.services.opened.status.lastSync = .noon
        var status = SyncStatus.live()
        status.lastSync = .noon
        stage.send(.status(status))
        try stage.press("r")
        try stage.press("My long answer")
        stage.services.records.removeAll { $0.id == "h1" }
        stage.send(.recordsChanged(["h1"], author: "ana", byOthers: ["h1"]))
        return stage
    }

    @Test func aReplyWhoseAnnotationIsDeletedIsInTheOutbox() throws {
        let stage = try deleted()
        #expect(stage.foot == " What you are writing about is gone; Esc keeps your text in the outbox")
        #expect(stage.state.document?.editor?.input.text == "My long answer")
        try stage.press("<esc>")
        #expect(stage.foot == " Draft kept in the outbox (O)")
        try stage.press("O")
        #expect(stage.lines[1].contains("Drafts without an annotation: 1"))
        #expect(stage.lines[2].hasPrefix("▌     -  draft of a reply"))
        #expect(stage.lines[2].contains("its annotation is gone  My long answer"))
        try stage.press("s")
        #expect(stage.asked.last == .saveText("My long answer"))
        try stage.press("<enter>")
        #expect(stage.foot == " Its annotation is gone; s to save the text to a file")
        try stage.press("d")
        #expect(stage.foot == "Drop this text for good? y/N")
        try stage.press("n")
        #expect(drafts(stage).count == 1)
        try stage.press("dy")
        #expect(drafts(stage).isEmpty)
        #expect(stage.asked.contains(.saveDraft(.reply("h1"), nil)))
        #expect(stage.screen.contains("Everything is sent."))
    }

    /// After a restart too.
    @Test func draftsOfAnEarlierRunWithoutTheirRecordsAreListed() throws {
        let services = Sample.services()
        services.opened.status.lastSync = .noon
        services.opened.drafts = [
            .record("gone"): "A changed text", .record("h1"): "Still there", .together(["h1", "gone"]): "Both",
            .note(page: 99): "On a page that was cut",
        ]
        let stage = Stage(services)
        #expect(
            stage.foot == " The annotations of 2 drafts are gone; your texts are in the outbox; O to save or drop them")
        try stage.press("O")
        #expect(stage.lines[1].contains("Drafts without an annotation: 3"))
        #expect(!stage.screen.contains("Still there"))
        #expect(stage.screen.contains("its page is gone  On a page that was cut"))
    }

    /// Until the first sync, nothing is known to be gone.
    @Test func beforeTheFirstSyncNothingIsGone() throws {
        let services = Sample.services()
        services.opened.drafts = [.record("gone"): "A changed text"]
        let stage = Stage(services)
        #expect(!stage.asked.contains { if case .findGoneDrafts = $0 { true } else { false } })
        var status = SyncStatus.live()
        status.lastSync = .noon
        stage.send(.status(status))
        #expect(stage.foot.contains("The annotation of a draft is gone"))
    }

    @Test func withoutAScreenTheyAreListedToo() {
        let services = Sample.services()
        services.opened.status.lastSync = .noon
        services.opened.drafts = [.reply("gone"): "My answer"]
        let stage = PlainStage(services)
        #expect(stage.type("outbox").contains("draft of a reply, but its annotation is gone: My answer"))
    }

    @Test func onlySuchADraftCanBeDropped() throws {
        let stage = Stage(OutboxTests.services())
        try stage.press("Od")
        #expect(stage.foot.contains("nly a draft whose annotation is gone"))
    }

    // MARK: The person's editor

    @Test func whatComesFromTheEditorIsADraftBeforeItsFileGoes() throws {
        let stage = Stage(Sample.services())
        try stage.press("E")
        stage.send(.externallyEdited("Better\n"))
        let asked = stage.asked
        let draft = try #require(asked.firstIndex(of: .saveDraft(.record("h1"), "Better")))
        let done = try #require(asked.firstIndex(of: .editorTextKept))
        #expect(draft < done)
        #expect(stage.services.records[0].content["note"] == "Better")
    }

    @Test func anUntouchedTextWithControlCharactersStays() throws {
        let services = Sample.services()
        services.records[0].content = services.records[0].content.changing { $0["note"] = "a\u{1B}[31m\r\nb\n" }
        let stage = Stage(services)
        try stage.press("E")
        stage.send(.externallyEdited("a\u{1B}[31m\r\nb\n"))
        #expect(!stage.asked.contains { if case .perform = $0 { true } else { false } })
    }

    @Test func whatWasNotTakenIsSaidAndTheEditorStays() throws {
        let stage = Stage(Sample.services())
        try stage.press("e mine<C-x>")
        stage.send(
            .notEdited("The editor ended with status 3, so its text was not taken; it is kept in /state/note-1.txt"))
        #expect(stage.foot.contains("it is kept in /state/note-1.txt"))
        #expect(stage.state.document?.editor?.input.text == "Which ones? mine")
        #expect(!stage.asked.contains(.editorTextKept))
    }

    /// In a buffer of several texts, those that only lost control characters are unchanged.
    @Test func cleanedTextsOfSeveralAreUnchanged() throws {
        let records = [
            Record(id: "a", content: OutboxTests.note("one\u{1B}")),
            Record(id: "b", content: OutboxTests.note("two\u{7}")),
        ]
        let together = CombinedTexts(records)
        let buffer = LeavingText(together.text).string.replacing("two", with: "three")
        #expect(together.changes(in: buffer, isCleaned: true) == [ByteOrdered("b"): "three"])
        #expect(together.changes(in: buffer, isCleaned: false).count == 2)
    }
}
