import Annotations
import Authorization
import InstantCore
import Testing

@testable import App

/// The thread under an annotation: reading, replying, starting one, and who changed what.
@Suite struct ThreadTests {
    static func services() -> FakeServices {
        let services = Sample.services()
        let root = services.records[0]
        for (id, text, author) in [("c1", "The second one.", "ben"), ("c2", "I agree.", "mia")] {
            let content = Content.comment(.plain(text), under: "h1", root.content).changing {
                $0["creatorName"] = .string(author)
                $0["createdAt"] = .string((Timestamp.noon + -60_000).iso8601)
            }
            services.records.append(Record(id: id, content: content, createdBy: author))
        }
        return services
    }

    private func performed(_ stage: Stage) -> [Edit] {
        stage.asked.flatMap { effect -> [Edit] in
            if case .perform(let step) = effect { step.edits } else { [] }
        }
    }

    @Test func theThreadIsShownBelowTheList() throws {
        let stage = Stage(Self.services(), rows: 60, columns: 80)
        #expect(stage.screen.contains("\n ben, 1m:\n   The second one.\n me, 1m:\n   I agree.\n"))
        #expect(stage.lines.contains { $0.contains("Which ones?") && $0.contains("  +2 ") })
    }

    /// Without a name in the token, users choose their own.
    @Test func aChosenNameIsShownWithTheUser() throws {
        let services = Self.services()
        for (index, name) in [(0, "CEO"), (services.records.count - 2, "Ben"), (services.records.count - 1, "CEO")] {
            services.records[index].content = services.records[index].content.changing {
                $0["creatorName"] = .string(name)
            }
        }
        let user = try #require(services.records[0].createdBy)
        let stage = Stage(services, rows: 60, columns: 80)
        #expect(stage.screen.contains("by CEO (\(user))"))
        // The user's own comments, and a name that differs only by case.
        #expect(stage.screen.contains("\n Ben, 1m:\n   The second one.\n me, 1m:\n   I agree.\n"))
        try stage.press("B")
        #expect(stage.screen.contains("created by CEO (\(user))"))
    }

    @Test(
        arguments: [
            ("Ana", "ana", "Ana"), ("CEO", "bo", "CEO (bo)"), (nil, "bo", "bo"), ("CEO", nil, "CEO"), (nil, nil, nil),
            ("аna", "ana", "аna (ana)"), ("", "bo", " (bo)"),
        ] as [(String?, String?, String?)])
    func authors(name: String?, user: String?, shown: String?) {
        #expect(Author.name(name, user: user) == shown)
    }

    @Test func whereTheThreadDoesNotFitTheWayIntoItIsNamed() throws {
        let stage = Stage(Self.services())
        try stage.press("p")
        #expect(stage.screen.contains("\n me, 1m: I agree.\n ... Tab to enter the thread\n"))
        try stage.press("<tab>")
        #expect(!stage.screen.contains("to enter the thread"))
    }

    @Test func tabGoesThroughListThreadAndPage() throws {
        let stage = Stage(Self.services())
        try stage.press("<tab>")
        #expect(stage.state.document?.focus == .thread)
        #expect(stage.screen.contains("─ Thread 1/2 ───"))
        #expect(stage.underCursor == "ben,")
        try stage.press("j")
        #expect(stage.underCursor == "me,")
        try stage.press("<tab>")
        #expect(stage.state.document?.focus == .page)
        try stage.press("<S-tab><S-tab>")
        #expect(stage.state.document?.focus == .list)
        try stage.press("j<tab>")
        #expect(stage.state.document?.focus == .page)
    }

    @Test func aReplyIsWrittenUnderTheThread() throws {
        let stage = Stage(Self.services())
        try stage.press("rSo do I<enter>")
        guard case .create(let content)? = performed(stage).first else {
            Issue.record("nothing was created")
            return
        }
        #expect(content["rootId"] == "h1")
        #expect(Annotation(id: "", content: content).text == "So do I")
        #expect(stage.foot == " Added reply; u to take it back")
        #expect(stage.state.document?.thread.comments.count == 3)
        #expect(stage.state.document?.list.cursorID == "h1")
        try stage.press("u")
        #expect(stage.state.document?.thread.comments.count == 2)
    }

    @Test func aReplyThatIsLeftIsADraft() throws {
        let stage = Stage(Self.services())
        try stage.press("rHm<esc>")
        #expect(stage.asked.contains(.saveDraft(.reply("h1"), "Hm")))
        try stage.press("r")
        #expect(stage.state.document?.editor?.input.text == "Hm")
    }

    @Test func aNoteIsRepliedTo() throws {
        let stage = Stage(Self.services())
        try stage.press("GrMe too<enter>")
        guard case .create(let content)? = performed(stage).first else {
            Issue.record("nothing was created")
            return
        }
        #expect(content["rootId"]?.string == stage.state.document?.list.cursorID)
    }

    @Test func onesOwnCommentIsEditedAndDeleted() throws {
        let stage = Stage(Self.services())
        try stage.press("<tab>je<C-u>I do not.<enter>")
        guard case .update("c2", let content)? = performed(stage).first else {
            Issue.record("nothing was changed")
            return
        }
        #expect(Annotation(id: "", content: content).text == "I do not.")
        #expect(stage.screen.contains("I do not."))
        try stage.press("d")
        #expect(performed(stage).last == .delete("c2"))
        #expect(stage.state.document?.thread.comments.count == 1)
        try stage.press("kd")
        #expect(stage.foot == "Delete this comment “The second one.” by ben? y/N")
        try stage.press("y")
        #expect(stage.state.document?.focus == .list)
    }

    @Test func aRootIsDeletedWithItsThreadOnlyWhenAsked() throws {
        let services = Self.services()
        services.records[0].createdBy = "mia"
        let stage = Stage(services)
        try stage.press("d")
        #expect(stage.foot == "Delete this highlight “Which ones?” and 2 comments (1 by ben)? y/N")
    }

    @Test func whatOthersSayComesInAndTheCursorStays() throws {
        let stage = Stage(Self.services())
        try stage.press("<tab>j")
        let root = stage.services.records[0].content
        stage.services.records.insert(
            Record(id: "c0", content: .comment(.plain("Earlier."), under: "h1", root), createdBy: "ana"), at: 4)
        stage.send(.recordsChanged(["c0"], author: "ana"))
        #expect(stage.state.document?.thread.comments.count == 3)
        #expect(stage.state.document?.thread.current?.id == "c2")
    }

    // MARK: Starting one

    @Test func aThreadBeginsAtTheSelectedWords() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>wveA")
        #expect(stage.screen.contains("─ Comment on the selected words"))
        try stage.press("Whose?<enter>")
        guard case .beginThread(let root, .plain("Whose?"))? = performed(stage).first else {
            Issue.record("no thread was started")
            return
        }
        #expect(root["type"] == "pspdfkit/markup/highlight")
        #expect(root["isCommentThreadRoot"] == true)
        #expect(stage.foot == " Started thread; u to take it back")
        #expect(stage.state.document?.list.current?.replies == 1)
        try stage.press("u")
        #expect(stage.services.records.count == 4)
    }

    @Test func withoutASelectionItBeginsAtAMarker() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>jAHere?<enter>")
        guard case .beginThread(let root, .plain("Here?"))? = performed(stage).first else {
            Issue.record("no thread was started")
            return
        }
        #expect(root["type"] == "pspdfkit/comment-marker")
        #expect(root["pageIndex"] == 0)
    }

    @Test func withoutTheRightItSaysWhy() throws {
        let services = Self.services()
        services.opened.status = .live(.hotos([.readDocument, .download]))
        let stage = Stage(services)
        for keys in ["r", "<tab>r", "<tab>A"] {
            try stage.press(keys)
            #expect(stage.foot == #" Read-only: this token lacks "write""#)
        }
    }

    // MARK: Who changed it

    @Test func theBlameLineSaysWhoAndWhen() throws {
        let services = Sample.services()
        services.records[0].updatedBy = "ben"
        services.records[0].content = services.records[0].content.changing {
            $0["updatedAt"] = .string((Timestamp.noon + -120_000).iso8601)
        }
        let stage = Stage(services)
        try stage.press("B")
        #expect(
            stage.screen.contains(
                "  changed by ben 2026-05-30 11:58 (2m), created by ana 2026-05-30 11:55 (5m)\n"))
        try stage.press("j")
        #expect(stage.screen.contains("\n  created by ben 2026-05-30 10:00 (2h)\n"))
        try stage.press("B")
        #expect(!stage.screen.contains("created by"))
    }

    // MARK: Copying

    @Test func selectedWordsAreHandedToTheTerminal() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>wveey")
        #expect(stage.asked.last == .copy("calls for", isAddress: false))
        #expect(stage.foot == " Copied 9 characters (if your terminal allows OSC 52)")
        #expect(stage.state.document?.page.selection == nil)
    }

    @Test func aSelectionOverTwoPagesIsCopiedWhole() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>Gbvwjeey")
        #expect(stage.asked.last == .copy("doubles.\nA second page.\nIt has", isAddress: false))
    }
}
