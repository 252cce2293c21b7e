import Annotations
import Authorization
import InstantCore
import Screen
import Testing

@testable import App

/// Reading any text to its end.
@Suite struct ReaderTests {
    static let text = (1...300).map { "Line \($0) of a long note." }.joined(separator: "\n")

    private func services(_ text: String = text) -> FakeServices {
        let services = Sample.services()
        services.records[3] = Sample.note("n1", page: 1, top: 90, text: text, by: "ana", minutes: 3)
        return services
    }

    @Test(arguments: [(20, 40), (24, 80), (30, 120), (60, 200), (8, 30)])
    func everyLineCanBeRead(rows: Int, columns: Int) throws {
        let stage = Stage(services(), rows: rows, columns: columns)
        try stage.press("G<enter>")
        var seen: Set<String> = []
        for _ in 0..<310 {
            for line in stage.lines {
                if let start = line.firstRange(of: "Line ") {
                    seen.insert(String(line[start.lowerBound...].prefix { $0 != "." }))
                }
            }
            try stage.press("j")
        }
        for number in [1, 2, 150, 299, 300] { #expect(seen.contains("Line \(number) of a long note"), "\(number)") }
        try stage.press("ggGb<space>")
        #expect(stage.screen.contains("Line 300 of a long note."))
        try stage.press("<esc>")
        #expect(stage.state.overlay == nil)
    }

    @Test func aSpectatorReadsToo() throws {
        let services = services()
        services.opened.status = .live(.hotos([.readDocument, .download]))
        let stage = Stage(services)
        try stage.press("GsG")
        #expect(stage.screen.contains("Line 300 of a long note."))
        try stage.press("e")
        #expect(stage.foot == #" Read-only: this token lacks "write""#)
        #expect(stage.state.overlay == .reader)
    }

    /// The head of a replacement has the new words, its part the old ones.
    @Test func aReplacementSaysWhatItReplaces() throws {
        let services = Sample.services()
        let part = Sample.markup(
            "x1", "strikeout", page: 0, line: 0, from: 5, count: 9, text: "", by: "dan", minutes: 2)
        var head = Sample.note("c1", page: 0, top: 72, text: "asks", by: "dan", minutes: 2)
        head.content = head.content.changing { $0["type"] = "postilla/caret" }
        services.records += [
            Record(
                id: "x1",
                content: part.content.changing {
                    $0["postilla"] = ["inReplyTo": "c1", "replyType": "group"]
                }, createdBy: "dan"), head,
        ]
        let stage = Stage(services)
        try stage.press("<enter>")
        while stage.state.document?.list.cursorID != "c1", stage.foot != " This is the last annotation" {
            try stage.press("n")
        }
        #expect(stage.screen.contains("replaces “calls for”"))
    }

    @Test func itWalksWithoutClosing() throws {
        let stage = Stage(services("Short."))
        try stage.press("<enter>n")
        #expect(stage.state.document?.list.cursorID == "h2")
        #expect(stage.screen.contains("“accelerating rate of change”"))
        try stage.press("3N")
        #expect(stage.foot == " This is the first annotation")
        try stage.press("Nnnn")
        #expect(stage.screen.contains("Short."))
        try stage.press("n")
        #expect(stage.foot == " This is the last annotation")
    }

    @Test func itCopiesAndReplies() throws {
        let stage = Stage(services())
        try stage.press("<enter>y")
        #expect(stage.asked.last == .copy("Which ones?", isAddress: false))
        try stage.press("Y")
        #expect(stage.asked.last == .copy("“some of the challenges”\nWhich ones?", isAddress: false))
        try stage.press("r")
        #expect(stage.state.overlay == .editor)
        #expect(stage.screen.contains("Reply to the highlight by ana"))
        try stage.press("<esc>")
        #expect(stage.state.overlay == .reader)
        try stage.press("<enter>")
        #expect(stage.state.document?.focus == .page && stage.state.overlay == nil)
        #expect(stage.underCursor == "some")
    }

    @Test func theThreadIsThere() throws {
        let stage = Stage(ThreadTests.services(), rows: 40)
        try stage.press("<enter>")
        #expect(stage.screen.contains("└ ben"))
    }

    /// A note marks no words; its line finds it.
    @Test func aNoteIsFoundFromThePage() throws {
        let stage = Stage(services("Short."))
        try stage.press("Ggp")
        #expect(stage.state.document?.focus == .page)
        try stage.press("<enter>")
        #expect(stage.state.document?.list.cursorID == "n1")
        #expect(stage.state.document?.focus == .list)
        try stage.press("<tab>0<enter>")
        #expect(stage.state.document?.list.cursorID == "n1" && stage.state.document?.focus == .list)
    }
}

/// Page and list move together, and panes are sized by the user.
@Suite struct MovingTogetherTests {
    @Test func theListBringsItsMarkIntoView() throws {
        let stage = Stage(Sample.services())
        try stage.press("G")
        #expect(stage.lines[0].contains("page 2 of 3"))
        #expect(stage.state.document?.focus == .list)
        try stage.press("gg")
        #expect(stage.lines[0].contains("page 1 of 3"))
    }

    @Test func thePageSelectsTheRowOfItsMark() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>jj")
        #expect(stage.state.document?.list.cursorID == "h2")
        #expect(stage.state.document?.focus == .page)
        try stage.press("jwww")
        #expect(stage.state.document?.list.cursorID == "u1")
    }

    @Test func zoomAndDivider() throws {
        let stage = Stage(Sample.services())
        let rows = stage.state.layout.list.rows
        #expect(stage.state.layout.page.rows == 14)
        try stage.press("zz")
        #expect(
            stage.state.layout.page.isEmpty && stage.state.layout.list.rows + stage.state.layout.detail.rows > 2 * rows)
        try stage.press("zz>")
        #expect(stage.state.layout.list.rows == rows + 1)
        try stage.press("2<lt>")
        #expect(stage.state.layout.list.rows == rows - 1)
        let wide = Stage(Sample.services(), rows: 30, columns: 120)
        let columns = wide.state.layout.list.columns
        try wide.press("<tab>>")
        #expect(wide.state.layout.list.columns == columns - 4)
        try wide.press("99<lt>")
        #expect(wide.state.layout.page.columns >= 29)
    }
}

/// Notices are readable in full, are never over the keys, and stay until read.
@Suite struct NoticeTests {
    private let long =
        "The file cannot be read: it is missing, is not a PDF, or belongs to another user, "
        + "and this sentence goes on until it needs more than one line"

    @Test func itStandsBesideTheModesAndNotOverTheKeys() throws {
        let stage = Stage(Sample.services())
        let keys = stage.lines.last
        stage.send(.notice("it is done"))
        #expect(stage.statusLine.contains("It is done") && stage.statusLine.hasSuffix("✓ synced   token 12m"))
        #expect(stage.lines.last == keys)
        stage.send(.notice(long))
        #expect(stage.lines.last == keys && stage.statusLine.contains("✓ synced"))
        let lines = stage.lines[20...21].joined(separator: " ")
        #expect(lines.contains("The file cannot be read") && lines.contains("more than one line"))
    }

    @Test func itStaysForFourSecondsAndAKey() throws {
        let stage = Stage(Sample.services())
        stage.send(.notice("it is done"))
        try stage.press("j")
        #expect(stage.screen.contains("It is done"))
        #expect(stage.state.wakeAfter == 4_000)
        stage.now = .noon + 4_000
        stage.send(.tick(stage.now))
        #expect(!stage.screen.contains("It is done"))
        stage.send(.notice("once more"))
        stage.now = .noon + 60_000
        stage.send(.tick(stage.now))
        #expect(stage.screen.contains("Once more"))
        try stage.press("k")
        #expect(!stage.screen.contains("Once more"))
    }

    @Test func allAreKept() throws {
        let stage = Stage(Sample.services())
        stage.send(.notice(long))
        stage.send(.notice("the second"))
        try stage.press(":messages<enter>")
        #expect(stage.boxTitle == "Messages")
        #expect(stage.box.first == "12:00:00  The second")
        #expect(stage.box.dropFirst().joined(separator: " ").contains("belongs to another user"))
        try stage.press("<esc>")
        #expect(stage.state.overlay == nil)
    }

    @Test func aKeyWithoutAMeaningIsReportedOnce() throws {
        let stage = Stage(Sample.services())
        try stage.press("#")
        #expect(stage.foot == " # is not bound here; ? lists the keys")
        stage.now = .noon + 5_000
        try stage.press("j#")
        #expect(stage.state.notice == nil)
    }

    @Test func anUndoNamesWhatItUndid() throws {
        let stage = Stage(Sample.services())
        try stage.press("jdy")
        #expect(stage.foot == " Deleted highlight “accelerating rate of ...” by ben; u to take it back")
        try stage.press("gg")
        try stage.press("u")
        #expect(stage.foot == " Undone: deleted highlight “accelerating rate of ...” by ben; Ctrl-R to redo")
        #expect(stage.state.document?.list.cursorID == "h2")
    }
}
