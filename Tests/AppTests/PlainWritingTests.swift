import Annotations
import Authorization
import InstantCore
import Testing

@testable import App

/// Marking and writing without a screen.
@Suite struct PlainWritingTests {
    private func edits(_ stage: PlainStage) -> [Edit] {
        stage.asked.flatMap { effect -> [Edit] in if case .perform(let step) = effect { step.edits } else { [] } }
    }

    @Test func wordsOfThePageAreMarked() {
        let stage = PlainStage(Sample.services())
        #expect(stage.type("highlight \"some of the challenges\"") == ["Added highlight; undo to take it back"])
        guard case .create(let content)? = edits(stage).first else { return }
        #expect(content["type"]?.string == "pspdfkit/markup/highlight")
        #expect(stage.prompt == "page 1, 4 marks> ")
        #expect(stage.type("u") == ["Undone: added highlight; redo to redo"])
        #expect(stage.prompt == "page 1, 3 marks> ")
    }

    @Test func whichOfSeveralIsAsked() {
        let stage = PlainStage(Sample.services())
        #expect(
            stage.type("underline the") == [
                "1 This calls for a rethink of how we approach the instruction set.",
                "2 In this paper we highlight some of the challenges arising from an accelerating rate of change and discuss ways … adapt.",
                "3 The number of transistors doubles.",
            ])
        #expect(stage.prompt == "which of 3? ")
        #expect(stage.type("4") == ["Cancelled."])
        #expect(edits(stage).isEmpty)
        stage.type("underline the")
        #expect(stage.type("3") == ["Added underline; undo to take it back"])
    }

    @Test func aNoteIsWrittenLineByLine() {
        let stage = PlainStage(Sample.services())
        #expect(stage.type("note transistors") == ["New note on page 1. Type the text, then a line with only a dot."])
        #expect(stage.prompt == "")
        stage.type("Not any more.")
        stage.type("quit")
        #expect(stage.type(".") == ["Added note; undo to take it back"])
        guard case .create(let content)? = edits(stage).first else { return }
        #expect(content["text"]?.string == "Not any more.\nquit")
        stage.type("note")
        #expect(stage.type(".") == ["Empty text; nothing created."])
        #expect(edits(stage).count == 1)
    }

    @Test func aReplyGoesUnderItsAnnotation() {
        let stage = PlainStage(Sample.services())
        stage.type("list")
        #expect(stage.type("reply 1") == ["Reply to highlight 1. Type the text, then a line with only a dot."])
        stage.type("All of them.")
        stage.type(".")
        guard case .create(let content)? = edits(stage).first else { return }
        #expect(content["rootId"]?.string == "h1")
        #expect(stage.type("reply 4").first?.hasPrefix("Reply to note 4.") == true)
    }

    /// A program that is killed, or a machine that loses power, gets no time to store it.
    @Test func everyLineOfATextIsStoredAtOnce() {
        let stage = PlainStage(Sample.services())
        stage.type("list")
        for (command, key) in [("note transistors", DraftKey.note(page: 0)), ("reply 1", .reply("h1"))] {
            stage.type(command)
            stage.type("Not any more.")
            #expect(stage.asked.last == .saveDraft(key, "Not any more.", becoming: nil))
            stage.type("Nor before.")
            #expect(stage.asked.last == .saveDraft(key, "Not any more.\nNor before.", becoming: nil))
            stage.type(".")
        }
        #expect(edits(stage).count == 2)
    }

    @Test func aReplyGoesOnWithItsDraft() {
        let services = Sample.services()
        services.opened.drafts = [.reply("h1"): "All of them."]
        let stage = PlainStage(services)
        stage.type("list")
        #expect(
            stage.type("reply 1") == [
                "Reply to highlight 1. Type the text, then a line with only a dot.", "Draft so far:", "All of them.",
            ])
        stage.type("And more.")
        stage.type(".")
        guard case .create(let content)? = edits(stage).first else { return }
        #expect(content["text"].flatMap(CommentText.init)?.words == "All of them.\nAnd more.")
    }

    @Test func textIsChangedInTheEditorAndDeleted() {
        let stage = PlainStage(Sample.services())
        stage.type("list")
        stage.type("edit 4")
        #expect(!stage.isReady)
        stage.send(.externallyEdited("Compare with 2020\n"))
        #expect(edits(stage).count == 1)
        #expect(stage.isReady)
        stage.type("delete 4")
        #expect(stage.prompt == "Delete this note “Compare with 2020” by ana? y/N ")
        #expect(stage.type("n") == ["Cancelled"])
        stage.type("delete 4")
        #expect(stage.type("yes") == ["Deleted note “Compare with 2020” by ana; undo to take it back"])
        #expect(stage.type("show 4") == ["The annotation no longer exists."])
    }

    @Test func whatGoesAlongIsNamedAndCounted() {
        let stage = PlainStage(ThreadTests.services())
        stage.type("list")
        stage.type("delete 1")
        #expect(stage.prompt == "Delete this highlight “Which ones?” by ana and 2 comments (1 by ben)? y/N ")
        #expect(stage.type("y") == ["Deleted highlight “Which ones?” by ana, 3 in all; undo to take it back"])
    }

    @Test func remainingCommentsAreReadButNotChanged() {
        let services = ThreadTests.services()
        services.records.removeAll { $0.id == "h1" }
        let stage = PlainStage(services)
        let listed = stage.type("list")
        let number = (listed.firstIndex { $0.contains("deleted annotation on page 1 (2 replies)") } ?? 9) + 1
        #expect(
            stage.type("show \(number)") == [
                "Deleted annotation, page 1, only its comments remain", "ben: The second one.", "mia: I agree.",
            ])
        for line in ["delete", "edit", "reply"] {
            #expect(
                stage.type("\(line) \(number)") == ["This annotation was deleted; only its comments remain"], "\(line)")
        }
    }

    @Test func whoMayNotWriteIsToldWhy() {
        let services = Sample.services()
        services.opened.status = .live(.hotos([.readDocument]))
        let stage = PlainStage(services)
        stage.type("list")
        for line in ["note", "highlight transistors", "edit 1", "delete 1", "reply 1"] {
            #expect(stage.type(line) == ["Read-only: this token lacks \"write\""], "\(line)")
        }
        #expect(edits(stage).isEmpty)
    }

    @Test func aNameIsAskedForOnce() {
        let services = Sample.services()
        services.opened.author = nil
        let stage = PlainStage(services)
        stage.type("highlight transistors")
        #expect(stage.prompt == "Your name, shown on your annotations: ")
        #expect(stage.type("Mia") == ["Added highlight; undo to take it back"])
        #expect(stage.asked.contains(.rememberAuthor("Mia")))
    }

    @Test func aConflictIsToldAndSettled() {
        let services = Sample.services()
        let mine = Content.note(onPage: 1, at: Point(x: 0, y: 0), text: "mine")
        services.outbox = [
            OutboxItem(
                id: "n1", action: .update, kind: .note, pageIndex: 1, delivery: .conflict, since: .noon,
                reason: "ana was first", mine: mine, theirs: mine.changingText(to: "theirs"), theirAuthor: "ana")
        ]
        let stage = PlainStage(services)
        let said = stage.type("outbox")
        #expect(said[0] == "1 note on page 2 changed, now, in conflict: ana was first")
        #expect(said.contains("ana: theirs") && said.contains("yours: mine"))
        stage.type("mine 1")
        #expect(stage.asked.contains(.resolve("n1", .mine, of: services.outbox[0].sides)))
        stage.send(.recordsChanged(["n1"], author: nil))
        #expect(stage.said.last == "Resolved.")
    }
}
