import Screen
import TestSupport
import TestThreads
import Testing

@Suite(.onOwnThreads)
struct TabStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    /// Each user has a separate copy: ana's edits are never sent under ben's name.
    @Test func aTokenOfAnotherUserOpensTheirOwnCopy() throws {
        let terminal = try ana.open()
        terminal.send(Key.paste(try engine.token("ben")).bytes)
        try terminal.see("this copy belongs to ana")
        try terminal.press("<enter>")
        try terminal.see("[paper.pdf / review]")
        try terminal.see("synced")
        try terminal.addNote("Written as ben")
        try terminal.see("Written as ben")
        try terminal.see("Written as ben", at: engine)
        try terminal.press("q")
        try terminal.see(no: "[paper.pdf / review]")
        #expect(try terminal.quit() == [])
    }

    /// Layers of two servers and a local PDF, all active.
    @Test func severalServersAndAFileSideBySide() throws {
        let other = try EngineProcess()
        try other.upload(.paper())
        _ = try ana.home.write("other.jwt", try other.token("ana"))
        _ = try ana.home.write("mine.pdf", SmallPDF.paper().bytes)
        let terminal = try ana.open(columns: 120)
        try terminal.press(":open \(other.url)<enter>")
        try terminal.see("selects the layer to open")
        try terminal.press("@")
        terminal.send(text: ana.home.path + "/other.jwt")
        try terminal.press("<enter>")
        try terminal.see("Token for user ana")
        try terminal.press("<enter>")
        try terminal.see("[paper.pdf / review]")
        try terminal.see("synced")
        try terminal.addNote("On the other server")
        try terminal.see("On the other server", at: other)
        try terminal.press(":open mine.pdf<enter>")
        try terminal.see("[mine.pdf]")
        // Another person writes on the layer in the background.
        let ben = try Person("ben", at: engine)
        _ = try ben.note("News from ben")
        try terminal.see("paper.pdf / review 1 new")
        try terminal.press("]")
        try terminal.see("News from ben")
        try terminal.press("]")
        try terminal.see("On the other server")
        try terminal.see("synced")
        // Closing a tab shows its right neighbour.
        try terminal.press("q")
        try terminal.see("[mine.pdf]")
        try terminal.press("q")
        try terminal.see("News from ben")
        #expect(try terminal.quit() == [])
        #expect(try !engine.records().contains("On the other server"))
    }
}
