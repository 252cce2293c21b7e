import TestSupport
import TestThreads
import Testing

@Suite(.onOwnThreads)
struct RightsStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    @Test func theRequestsAreListedWithoutTheToken() throws {
        let terminal = try ana.open()
        try terminal.press(":requests<enter>")
        try terminal.see("Requests to the server")
        try terminal.see("session")
        try terminal.see("200")
        #expect(!terminal.rawOutput.contains(ana.token.suffix(40)))
        try terminal.press("<esc>")
        try terminal.see("Annotations 1")
    }

    @Test func newNotesGetTheGroupThatWasChosen() throws {
        let terminal = try ana.open()
        try terminal.press(":default-group second round<enter>")
        try terminal.see("Group of new records: second round")
        try terminal.addNote("In a group")
        try terminal.see("In a group", at: engine)
        #expect(try ana.listed().contains(#""group":"second round""#))
    }

    /// The program reports a token's reduced rights before using it, and dims what they exclude at once.
    @Test func aNewTokenSaysWhatItTakesAway() throws {
        let terminal = try ana.open(columns: 120)
        try ana.give(try engine.token("ana", reading: true))
        try terminal.press("T@")
        terminal.send(text: ana.tokenFile)
        try terminal.press("<enter>")
        try terminal.see("Lost:")
        try terminal.see("write.")
        try terminal.press("<enter>")
        try terminal.see("READ-ONLY")
        try terminal.see("Now read-only")
    }
}
