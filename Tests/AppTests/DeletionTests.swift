import Annotations
import Authorization
import InstantCore
import Testing

@testable import App

/// What a deletion also deletes: named before, counted after; and what it leaves.
@Suite struct DeletionTests {
    /// ben's highlight `h2` was created for its thread, in which only mia, the user, has commented; `h1` by ana has two
    /// comments.
    private static func services() -> FakeServices {
        let services = ThreadTests.services()
        services.records[1].content = services.records[1].content.asCommentThreadRoot
        let comment = Content.comment(.plain("Mine."), under: "h2", services.records[1].content)
        services.records.append(Record(id: "c3", content: comment, createdBy: "mia"))
        return services
    }

    /// ana's highlight `h1` was deleted; its two comments remain.
    private static func left() -> FakeServices {
        let services = services()
        services.records.removeAll { $0.id == "h1" }
        return services
    }

    private func performed(_ stage: Stage) -> [Edit] {
        stage.asked.flatMap { effect -> [Edit] in
            if case .perform(let step) = effect { step.edits } else { [] }
        }
    }

    // MARK: Asking and counting

    @Test func aRootNamesItsCommentsAndWhoseTheyAre() throws {
        let stage = Stage(Self.services())
        try stage.press("d")
        #expect(stage.foot == "Delete this highlight “Which ones?” by ana and 2 comments (1 by ben)? y/N")
        try stage.press("n")
        #expect(stage.foot == " Cancelled")
        #expect(performed(stage).isEmpty)
        try stage.press("dy")
        #expect(performed(stage) == [.delete("h1", with: ["c1", "c2"])])
        #expect(stage.foot == " Deleted highlight “Which ones?” by ana, 3 in all; u to take it back")
        #expect(stage.state.document?.list.total == 3)
        try stage.press("u")
        #expect(stage.state.document?.list.total == 4)
        #expect(stage.state.document?.list.row(0)?.replies == 2)
    }

    @Test func aLastCommentNamesTheRootThatItTakesAlong() throws {
        let stage = Stage(Self.services())
        try stage.press("j<tab>d")
        #expect(stage.foot == "Delete this comment “Mine.” and its highlight by ben? y/N")
        try stage.press("<enter>")
        #expect(stage.foot == " Cancelled")
        #expect(stage.state.document?.thread.comments.count == 1)
        try stage.press("dy")
        #expect(performed(stage) == [.delete("c3", with: ["h2"])])
        #expect(stage.foot == " Deleted comment, 2 in all; u to take it back")
        #expect(stage.state.document?.list.total == 3)
        #expect(stage.state.document?.focus == .list)
        try stage.press("u")
        #expect(stage.state.document?.list.total == 4)
    }

    @Test func anEarlierMarkIsNotNamed() throws {
        let services = Self.services()
        services.records[1].content = services.records[1].content.changing { $0["isCommentThreadRoot"] = nil }
        let stage = Stage(services)
        try stage.press("j<tab>d")
        #expect(performed(stage) == [.delete("c3")])
        #expect(stage.foot == " Deleted comment; u to take it back")
        #expect(stage.state.document?.list.total == 4)
    }

    @Test func severalAreNamedTogether() throws {
        let stage = Stage(Self.services())
        try stage.press("vjd")
        #expect(
            stage.foot
                == "Delete 2 annotations (1 by ana, 1 by ben) and 3 comments (1 by ben)? y/N")
        try stage.press("y")
        #expect(stage.foot == " Deleted 2 annotations, 5 in all; u to take it back")
    }

    @Test(
        "The question",
        arguments: [
            ([], nil, "Delete this note “words”? y/N "), (["mia"], nil, "Delete this note “words” and 1 comment? y/N "),
            (["ben"], nil, "Delete this note “words” and 1 comment by ben? y/N "),
            (["mia", "ben", "ben"], nil, "Delete this note “words” and 3 comments (2 by ben)? y/N "),
            (
                ["a", "b", "b", "c", "d", "e"], nil,
                "Delete this note “words” and 6 comments (1 by a, 2 by b, 1 by c, 2 by others)? y/N "
            ), ([], "mia", "Delete this note “words” and its highlight? y/N "),
            ([], "ana", "Delete this note “words” and its highlight by ana? y/N "),
        ] as [([String], String?, String)])
    func question(_ comments: [String], _ root: String?, _ text: String) {
        let note = Record(id: "n", content: .note(onPage: 0, at: Point(x: 0, y: 0), text: "words"), createdBy: "mia")
        let said = comments.enumerated().map {
            Record(id: "c\($0)", content: .comment(.plain("x"), under: "n", note.content), createdBy: $1)
        }
        let mark = root.map {
            Record(
                id: "h", content: note.content.changing { $0["type"] = "pspdfkit/markup/highlight" }, createdBy: $0)
        }
        let question = DeletionQuestion([BatchRecord(note, comments: said, root: mark)], user: "mia")
        #expect(question.text == text)
        #expect(question.isNeeded == !(comments.isEmpty && root == nil))
    }

    /// The question names other people, whose names may act on a terminal.
    @Test func aNameCannotActOnTheScreen() throws {
        let services = Self.services()
        services.records[0].content = services.records[0].content.changing { $0["creatorName"] = "an\u{1B}[2Ja" }
        let stage = Stage(services)
        try stage.press("d")
        #expect(!stage.screen.unicodeScalars.contains("\u{1B}"))
        #expect(stage.foot.hasPrefix("Delete this highlight “Which ones?” by an"))
    }

    // MARK: What is left

    @Test func commentsOfADeletedAnnotationStandUnderAHeading() throws {
        let stage = Stage(Self.left(), rows: 60, columns: 80)
        let line = try #require(stage.lines.first { $0.contains("deleted annotation") && $0.contains("+2") })
        #expect(line.contains("C 1"))
        while stage.state.document?.list.current?.isDeletedRoot != true { try stage.press("j") }
        #expect(stage.screen.contains("Deleted annotation · page 1 · only its comments remain"))
        #expect(stage.screen.contains("\n ben, 1m:\n   The second one.\n me, 1m:\n   I agree.\n"))
        for key in ["d", "e", "r", "c"] {
            try stage.press(key)
            #expect(stage.foot.hasPrefix(" This annotation was deleted; only its comments remain"), "\(key)")
        }
        #expect(stage.state.document?.page.rows.contains { $0.isDeletedRoot } == false, "not on the page")
    }

    @Test func remainingCommentsAreEditedAndDeleted() throws {
        let stage = Stage(Self.left(), rows: 60, columns: 80)
        while stage.state.document?.list.current?.isDeletedRoot != true { try stage.press("j") }
        try stage.press("<tab>j")
        #expect(stage.screen.contains("─ Thread 2/2 ───"))
        try stage.press("e<C-u>I do not.<enter>")
        #expect(stage.screen.contains("I do not."))
        try stage.press("d")
        #expect(performed(stage).last == .delete("c2"))
        try stage.press("kd")
        #expect(stage.foot == "Delete this comment “The second one.” by ben? y/N")
        try stage.press("y")
        #expect(!stage.screen.contains("deleted annotation"))
        #expect(stage.state.document?.focus == .list)
    }

    @Test func markedHeadingsAreLeftOut() throws {
        let stage = Stage(Self.left())
        try stage.press("vGdy")
        let ids = performed(stage).compactMap { if case .delete(let id, _) = $0 { id } else { nil } }
        #expect(Set(ids) == ["h2", "u1", "n1"])
    }
}
