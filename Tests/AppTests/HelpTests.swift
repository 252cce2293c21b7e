import Annotations
import Authorization
import InstantCore
import PDFPages
import Screen
import Testing

@testable import App

/// Help: two columns, a filter, the legend; why a command is refused.
@Suite struct HelpTests {
    @Test func aWideScreenHasTwoColumns() throws {
        let stage = Stage(Sample.services(), rows: 40, columns: 140)
        try stage.press("?")
        #expect(stage.state.helpRows.contains { !$0.left.parts.isEmpty && $0.right?.parts.isEmpty == false })
        // Each column is a part of the whole, and nothing is lost.
        let shown = stage.state.helpRows.flatMap { [$0.left, $0.right].compactMap(\.self) }.filter { !$0.parts.isEmpty }
        #expect(shown.count == stage.state.helpLines(columns: stage.state.helpColumn).count { !$0.parts.isEmpty })
        #expect(stage.screen.contains("Commands after :") && stage.box.first?.hasPrefix("List") == true)
        let narrow = Stage(Sample.services(), rows: 24, columns: 80)
        try narrow.press("?")
        #expect(narrow.box.first == "List")
    }

    @Test func wordsShortenIt() throws {
        let stage = Stage(Sample.services())
        try stage.press("?/squig")
        #expect(stage.box.first == "Filter: squig")
        #expect(stage.box.contains { $0.contains("squiggly") })
        #expect(!stage.box.contains { $0.contains("Redraw") })
        // What is typed reaches nothing else.
        #expect(stage.state.document?.list.cursorID == "h1" && stage.state.document?.editor == nil)
        try stage.press("<enter>")
        #expect(stage.boxTitle.contains("squig") && stage.state.help?.isTyping == false)
        try stage.press("/<C-u>zzzz")
        #expect(stage.box.contains("No matches."))
        try stage.press("<esc>")
        #expect(stage.box.first == "List", "Esc takes the filter back")
        try stage.press("<esc>")
        #expect(stage.state.help == nil)
    }

    @Test func aPasteGoesIntoItsFilter() throws {
        let stage = Stage(Sample.services())
        try stage.press("?/")
        stage.send(.key(.paste("redo\nx")))
        #expect(stage.state.help?.filter?.text == "redo x")
        try stage.press("<esc>")
        stage.send(.key(.paste("redo")))
        #expect(stage.foot.contains("Paste ignored"))
    }

    @Test func itExplainsLettersSignsAndColours() throws {
        let stage = Stage(Sample.services(), theme: .dark, depth: .direct)
        try stage.press("?/kinds<enter>")
        let text = stage.box.joined(separator: "\n")
        #expect(text.contains(#/  H +highlight/#))
        for letter in Set(AnnotationKind.known.filter { $0 != .comment }.map(\.letter)) {
            #expect(stage.state.helpLines(columns: 70).contains { $0.parts.first?.text.string.trimmed == "\(letter)" })
        }
        try stage.press("/<C-u>colours of people<enter>")
        let row = try #require(stage.lines.lastIndex { $0.contains("  ana  ") })
        let column = try #require(stage.lines[row].firstRange(of: "ana  ")).lowerBound
        let place = stage.lines[row].distance(from: stage.lines[row].startIndex, to: column)
        #expect(stage.canvas[row, place].style.foreground == stage.state.markColors.person("ana"))
    }

    @Test func unavailableKeysAreDimWithTheReason() throws {
        let services = Sample.services()
        services.opened.status = .live(.hotos([.readDocument]))
        let stage = Stage(services)
        try stage.press("?/reply<enter>")
        let line = try #require(stage.state.helpLines(columns: 70).first { $0.parts.first?.text.string.trimmed == "r" })
        #expect(line.parts.allSatisfy { $0.role == .denied })
        #expect(stage.screen.contains("lacks \"write\""))
        let free = Stage(Sample.services())
        try free.press("?/reply<enter>")
        #expect(!free.screen.contains("lacks"))
    }

    /// A key that means something else in the inner context is listed once, with its meaning here.
    @Test func aHiddenKeyIsNotListed() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>?")
        let keys = stage.state.helpLines(columns: 70).filter { $0.parts.first?.text.string.trimmed == "e" }
        #expect(keys.count == 1)
    }

    @Test func aRefusalSaysWhatWouldAllowIt() throws {
        let services = Sample.services()
        services.opened.status = .live(.hotos([.readDocument]))
        let stage = Stage(services)
        try stage.press("e")
        #expect(stage.foot == " Read-only: this token lacks \"write\"")
        #expect(stage.lines.last?.contains("? why") == true)
        try stage.press("?")
        #expect(stage.boxTitle == "Why this is refused")
        #expect(stage.screen.contains("A token with the permission \"write\" allows it."))
        // Later, help is help again.
        try stage.press("<esc>j?")
        #expect(stage.boxTitle == "Help: keys available here")
        // The same key refused twice.
        try stage.press("<esc>ee?")
        #expect(stage.boxTitle == "Why this is refused")
    }

    @Test func aFileThatCanOnlyBeReadSaysWhy() throws {
        let services = Sample.services()
        let stage = Stage(services, begin: .file("/tmp/a.pdf"))
        try stage.press("a?")
        #expect(stage.boxTitle == "Why this is refused")
        #expect(stage.screen.contains("Unavailable: Read-only: the engine cannot start."))
    }

    @Test func theFooterFollowsWhatIsMarked() throws {
        let stage = Stage(Sample.services())
        #expect(stage.lines.last?.contains("Enter read") == true)
        try stage.press("<space><space>")
        #expect(stage.lines.last?.hasPrefix(" d delete 2  e edit 2  c colour 2  Space mark") == true)
        #expect(stage.lines.last?.contains("Esc unmark all") == true)
        try stage.press("<esc>")
        #expect(stage.lines.last?.contains("Enter read") == true)
    }
}
