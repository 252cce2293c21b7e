import Annotations
import InstantCore
import Screen
import Testing

@testable import App

/// Moving in the list, filtering it, and going from it to the page.
@Suite struct ListTests {
    @Test(arguments: [
        ("j", "h2"), ("jj", "u1"), ("3j", "n1"), ("99j", "n1"), ("jk", "h1"), ("G", "n1"), ("Ggg", "h1"), ("2G", "h2"),
        ("3gg", "u1"), ("<pgdn>", "n1"), ("G<pgup>", "h1"), ("<C-d>", "n1"), ("<end><home>", "h1"),
        ("<down><down><up>", "h2"),
        ("g<esc>j", "h2"), ("2<esc>j", "h2"),
    ])
    func moving(keys: String, lands: String) throws {
        let stage = Stage(Sample.services())
        try stage.press(keys)
        #expect(stage.state.document?.list.cursorID == lands)
    }

    @Test func aCountIsShownWhileItIsTyped() throws {
        let stage = Stage(Sample.services())
        try stage.press("12g")
        #expect(stage.statusLine.hasPrefix(" 12g "))
    }

    @Test func theFilterWorksWhileItIsTypedAndEscBringsBackTheFormer() throws {
        let stage = Stage(Sample.services())
        try stage.press("/2019")
        #expect(stage.foot == "Filter: 2019")
        #expect(stage.state.document?.list.total == 1)
        try stage.press("<esc>")
        #expect(stage.state.document?.list.total == 4)
        try stage.press("/kind:h by:ana<enter>")
        #expect(stage.lines[15].contains("Annotations 1 of 4 · 1 new · filter: kind:h by:ana"))
        try stage.press("<esc>")
        #expect(!stage.lines[15].contains("filter"))
    }

    @Test func nothingMatches() throws {
        let stage = Stage(Sample.services())
        try stage.press("/zebra<enter>")
        #expect(stage.lines[16] == "  No matches. Esc to clear the filter.")
        try stage.press("<esc>/zebra<enter>ed")
        #expect(stage.foot.contains("The list is empty"))
    }

    @Test func sortingKeepsTheCursorOnItsRecord() throws {
        let stage = Stage(Sample.services())
        try stage.press("jo")
        #expect(stage.lines[15].contains("newest first"))
        #expect(stage.state.document?.list.cursorID == "h2")
        try stage.press("o")
        #expect(stage.lines[15].contains("by author"))
        #expect(stage.state.document?.list.cursorID == "h2")
    }

    @Test func enterGoesToThePlaceAndBack() throws {
        let stage = Stage(Sample.services())
        try stage.press("jjgp")
        #expect(stage.underCursor.hasPrefix("can"))
        try stage.press("<C-o>")
        #expect(stage.state.document?.focus == .list)
        try stage.press("g;")
        #expect(stage.underCursor.hasPrefix("can"))
        try stage.press("<tab>Ggp")
        #expect(stage.lines[0].contains("page 2 of 3"))
        try stage.press("<enter>")
        #expect(stage.state.document?.focus == .list)
        #expect(stage.state.document?.list.cursorID == "n1")
    }

    /// By author and by group, rows stand under headings; the cursor stays on the screen.
    @Test(arguments: [(24, 80), (14, 60), (20, 40)])
    func groupsHaveHeadings(rows: Int, columns: Int) throws {
        let services = Sample.services()
        for index in 0..<12 {
            services.records.append(
                Sample.note(
                    "x\(index)", page: 1, top: 200, text: "Remark \(index)", by: index % 2 == 0 ? "ben" : "zoe",
                    minutes: 9))
        }
        let stage = Stage(services, rows: rows, columns: columns)
        try stage.press("oo")
        #expect(stage.state.document?.list.query.order == .author)
        let list = stage.state.layout.list
        #expect(stage.lines[list.row..<list.endRow].contains { $0.hasPrefix(" ana") })
        for _ in 0..<15 {
            try stage.press("j")
            #expect(stage.canvas.cursor.map { list.contains($0) } == true)
            let row = try #require(stage.canvas.cursor?.row)
            #expect(stage.lines[row].hasPrefix("▌"))
        }
        #expect(stage.lines[list.row..<list.endRow].contains { $0.hasPrefix(" zoe") })
        // A click finds the row, not the heading above it.
        let target = try #require(stage.lines.firstIndex { $0.contains("Remark ") })
        let line = stage.lines[target]
        try stage.press("<click:\(target),10>")
        let text = try #require(stage.state.document?.list.current?.text)
        #expect(line.contains(text + " "))
        try stage.press("o")
        #expect(stage.lines[list.row..<list.endRow].contains { $0.hasPrefix(" No group") })
    }

    @Test func theNextUnreadIsFoundAndCountsAsRead() throws {
        let services = Sample.services()
        services.unread = ["u1"]
        let stage = Stage(services)
        try stage.press("m")
        #expect(stage.state.document?.list.cursorID == "u1")
        #expect(stage.asked.contains(.markRead(["u1"])))
        #expect(!stage.screen.contains("new ──"))
        try stage.press("m")
        #expect(stage.foot == " Nothing new")
    }

    @Test func theWholeTextIsShownBelowTheList() throws {
        let services = Sample.services()
        services.records[3] = Sample.note(
            "n1", page: 1, top: 90, text: "First line.\nSecond line.", by: "ana", minutes: 3)
        let stage = Stage(services)
        try stage.press("Gp")
        #expect(stage.screen.contains("Note by ana · page 2 · 2026-05-30 11:57 · read-only") == false)
        #expect(stage.lines.contains(" First line."))
        try stage.press("p")
        #expect(!stage.lines.contains(" First line."))
    }

    @Test func clickAndWheel() throws {
        let stage = Stage(Sample.services())
        try stage.press("<click:18,5>")
        #expect(stage.state.document?.list.cursorID == "u1")
        try stage.press("<wheelup:18,5>")
        #expect(stage.state.document?.list.cursorID == "h1")
        try stage.press("<click:2,11>")
        #expect(stage.state.document?.focus == .page)
        #expect(stage.underCursor == "paper")
    }
}
