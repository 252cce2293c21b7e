import TestSupport
import TestThreads
import Testing

/// Navigating a document and the program: targets are found by name.
@Suite(.onOwnThreads)
struct FindingStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.guide())
        ana = try Person(at: engine)
    }

    @Test func aCommandIsFoundByAFewLetters() throws {
        let terminal = try ana.open()
        try terminal.press("<C-p>")
        try terminal.see("Command:")
        try terminal.press("nxpg")
        try terminal.see("next-page")
        try terminal.press("<enter>")
        try terminal.see("This is the second page")
        try terminal.press("<C-p>requ<enter>")
        try terminal.see("Requests to the server")
        try terminal.press("q")
        try terminal.see(no: "Requests to the server")
        #expect(try terminal.quit() == [])
    }

    @Test func theOutlineAndALinkLeadToTheirPages() throws {
        let terminal = try ana.open()
        try terminal.press("<tab>")
        try terminal.press("t")
        try terminal.see("Outline 2/2")
        try terminal.see("The end")
        try terminal.press("end<enter>")
        try terminal.see("This is the third page")
        try terminal.press("<C-o>")
        try terminal.see("This is the first page")
        try terminal.press("f")
        try terminal.see("Type a link's letters")
        try terminal.press("a")
        try terminal.see("This is the third page")
        #expect(try terminal.quit() == [])
    }

    @Test func wordsAreFoundInTheWholeDocument() throws {
        let terminal = try ana.open()
        try terminal.press("<tab>/third<enter>")
        try terminal.see("This is the third page")
        try terminal.see("Match 1 of 1")
        try terminal.press("/quiet<enter>")
        try terminal.see("Match 3 of 3")
        try terminal.press("n")
        try terminal.see("Match 1 of 3")
        try terminal.see("This is the first page")
        try terminal.press("/nowhere<enter>")
        try terminal.see("Not found in this document: nowhere")
        #expect(try terminal.quit() == [])
    }

    /// The filter also finds words on pages that have not been read yet, and finds them immediately the next time.
    @Test func aMarkIsFoundByTheWordsUnderIt() throws {
        let box = [66, 80, 420, 24]
        try engine.create([
            "v": 1, "type": "pspdfkit/markup/highlight", "pageIndex": 2, "bbox": box, "rects": [box],
            "color": "#fcee7c", "note": "Is it?", "createdAt": "2026-01-01T00:00:00Z",
        ])
        for _ in 1...2 {
            let terminal = try ana.open()
            try terminal.see("Is it?")
            try terminal.press("/third page of<enter>")
            try terminal.see("Annotations 1 of 1")
            try terminal.see("Is it?")
            try terminal.press("/<C-u>first page of<enter>")
            try terminal.see("No matches.")
            #expect(try terminal.quit() == [])
        }
    }
}

extension SmallPDF {
    /// The paper with two outline entries, and a link on the second line of its first page that leads to the last page.
    fileprivate static func guide() -> SmallPDF {
        var guide = paper()
        guide.pages[0].entries = "/MediaBox[0 0 612 792]/Annots[11 0 R]"
        guide.catalog = "/Outlines 12 0 R"
        guide.extra += [
            "<</Type/Annot/Subtype/Link/Rect[72 680 340 698]/Dest[8 0 R/Fit]/NM(link-1)>>",
            "<</Type/Outlines/First 13 0 R/Last 14 0 R/Count 2>>",
            "<</Title(The beginning)/Parent 12 0 R/Next 14 0 R/Dest[4 0 R/Fit]>>",
            "<</Title(The end)/Parent 12 0 R/Prev 13 0 R/Dest[8 0 R/Fit]>>",
        ]
        return guide
    }
}
