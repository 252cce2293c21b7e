import TestSupport
import TestThreads
import Testing

@Suite(.onOwnThreads)
struct EditingStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    @Test func aLayerOpensFromNothingAndItsPagesTurn() throws {
        let terminal = try ana.open()
        try terminal.see("This is the first page")
        try terminal.see("Printed remark")
        #expect(terminal.isAlternateScreen)
        try terminal.press("J")
        try terminal.see("This is the second page")
        try terminal.press("J")
        try terminal.see("page 3 of 3")
        try terminal.press("K")
        try terminal.see("This is the second page")
        try terminal.press("<C-o>")
        #expect(try terminal.quit() == [])
    }

    @Test func aNoteIsAddedChangedDeletedAndBroughtBack() throws {
        let terminal = try ana.open()
        try terminal.addNote("Is it though?")
        try terminal.press("e")
        try terminal.see("Text of the note")
        try terminal.press(" Yes.<enter>")
        try terminal.see("Changed ")
        try terminal.see("Is it though? Yes.")
        try terminal.press("d")
        try terminal.see("Deleted")
        try terminal.see("Annotations 1")
        try terminal.press("u")
        try terminal.see("Is it though? Yes.")
        try terminal.see("Is it though? Yes.", at: engine)
        #expect(try terminal.quit() == [])
    }

    @Test func wordsAreHighlightedWithTheKeyboard() throws {
        let terminal = try ana.open()
        try terminal.press("<tab>")
        try terminal.press("www")
        try terminal.press("v")
        try terminal.see("SELECT")
        try terminal.press("e")
        try terminal.see(#"SELECT 1 word "first""#)
        try terminal.press("H")
        try terminal.see("Added highlight")
        try terminal.wait(until: "the word is highlighted", seconds: Patience.long) { terminal in
            (0..<terminal.size.columns).contains { terminal.cell(1, $0).background != -1 }
        }
        try terminal.see("pspdfkit/markup/highlight", at: engine)
        #expect(try terminal.quit() == [])
    }
}
