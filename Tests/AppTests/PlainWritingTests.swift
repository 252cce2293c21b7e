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
        #expect(stage.type("highlight \"some of the challenges\"") == ["highlight added; undo takes it back"])
        guard case .create(let content)? = edits(stage).first else { return }
        #expect(content["type"]?.string == "pspdfkit/markup/highlight")
        #expect(stage.prompt == "page 1, 4 marks> ")
        #expect(stage.type("u") == ["undone; Ctrl-R does it again"])
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
        #expect(stage.type("4") == ["Left as it is."])
        #expect(edits(stage).isEmpty)
        stage.type("underline the")
        #expect(stage.type("3") == ["underline added; undo takes it back"])
    }

    @Test func aNoteIsWrittenLineByLine() {
        let stage = PlainStage(Sample.services())
        #expect(stage.type("note transistors") == ["New note on page 1. Write it, then a line with . alone."])
        #expect(stage.prompt == "")
        stage.type("Not any more.")
        stage.type("quit")
        #expect(stage.type(".") == ["note added; undo takes it back"])
        guard case .create(let content)? = edits(stage).first else { return }
        #expect(content["text"]?.string == "Not any more.\nquit")
        stage.type("note")
        #expect(stage.type(".") == ["Nothing was written, nothing is made."])
        #expect(edits(stage).count == 1)
    }

    @Test func aReplyGoesUnderItsAnnotation() {
        let stage = PlainStage(Sample.services())
        stage.type("list")
        #expect(stage.type("reply 1") == ["Reply to highlight 1. Write it, then a line with . alone."])
        stage.type("All of them.")
        stage.type(".")
        guard case .create(let content)? = edits(stage).first else { return }
        #expect(content["rootId"]?.string == "h1")
        #expect(stage.type("reply 4").first?.hasPrefix("Comments go under") == true)
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
        #expect(stage.prompt == "Delete the note of ana? y/N ")
        #expect(stage.type("n") == ["left as it is"])
        stage.type("delete 4")
        #expect(stage.type("yes") == ["deleted; undo brings it back"])
        #expect(stage.type("show 4") == ["It is not there any more."])
    }

    @Test func whoMayNotWriteIsToldWhy() {
        let services = Sample.services()
        services.opened.status = .live(.hotos([.readDocument]))
        let stage = PlainStage(services)
        stage.type("list")
        for line in ["note", "highlight transistors", "edit 1", "delete 1", "reply 1"] {
            #expect(stage.type(line) == ["read-only: this token lacks \"write\""], "\(line)")
        }
        #expect(edits(stage).isEmpty)
    }

    @Test func aNameIsAskedForOnce() {
        let services = Sample.services()
        services.opened.author = nil
        let stage = PlainStage(services)
        stage.type("highlight transistors")
        #expect(stage.prompt == "Your name, shown with what you write: ")
        #expect(stage.type("Mia") == ["highlight added; undo takes it back"])
        #expect(stage.asked.contains(.rememberAuthor("Mia")))
    }

    @Test func aConflictIsToldAndSettled() {
        let services = Sample.services()
        let mine = Content.note(page: 1, at: Point(x: 0, y: 0), text: "mine")
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
        #expect(stage.asked.contains(.resolve("n1", .mine)))
        stage.send(.recordsChanged(["n1"], author: nil))
        #expect(stage.said.last == "Settled.")
    }
}
