import TestSupport
import TestThreads
import Testing

/// Several annotations changed at once, and a thread that grows under one of them.
@Suite(.onOwnThreads)
struct TogetherStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    @Test func markedOnesAreChangedTogetherAndBackWithOneUndo() throws {
        for number in 1...3 {
            let box = [72, 60 + 40 * number, 100, 12]
            try engine.create([
                "v": 1, "type": "pspdfkit/markup/highlight", "pageIndex": 0, "bbox": box, "rects": [box],
                "color": "#fcee7c", "note": "Point \(number)", "createdAt": "2026-01-01T00:00:00Z",
            ])
        }
        let terminal = try ana.open()
        try terminal.see("Point 3")
        try terminal.press("/Point<enter>")
        try terminal.see("Annotations 3 of 4")
        try terminal.press("<space><space><space>")
        try terminal.see("3 marked")
        try terminal.press("c")
        try terminal.see("Colour:")
        try terminal.press("red<enter>")
        try terminal.wait(until: "all three are red", seconds: Patience.long) { _ in
            (try? engine.records().components(separatedBy: "#d1202f").count) == 4
        }
        try terminal.press("u")
        try terminal.see(no: "#d1202f", at: engine)
        #expect(try engine.records().components(separatedBy: "#fcee7c").count == 4)
        #expect(try terminal.quit() == [])
    }

    @Test func aThreadIsAnsweredAndBothSeeIt() throws {
        let ben = try Person("ben", at: engine)
        let (first, second) = (try ana.open(rows: 60), try ben.open(rows: 60))
        try first.press("<tab>www")
        try first.press("ve")
        try first.see(#"SELECT 1 word "first""#)
        try first.press("A")
        try first.see("Comment")
        first.send(text: "Is it the first?")
        try first.see("Is it the first?")
        try first.press("<enter>")
        try first.see("Started thread")

        try second.see("+1")
        try second.press("gg/kind:h<enter>")
        try second.see("Annotations 1")
        try second.see("Ana, now:")
        try second.press("r")
        try second.see("Reply")
        second.send(text: "The very first.")
        try second.see("The very first.")
        try second.press("<enter>")
        try second.see("Added reply")
        try first.see(" Ben, now:")
        try first.see("The very first.")
        #expect(try first.quit() == [])
        #expect(try second.quit() == [])
    }
}
