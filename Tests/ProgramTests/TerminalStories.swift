import Screen
import TestSupport
import TestThreads
import Testing

@Suite(.onOwnThreads)
struct TerminalStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    @Test func theScreenFollowsTheSizeOfTheTerminal() throws {
        let terminal = try ana.open()
        try terminal.addNote("Here all along")
        let small = [Size(rows: 20, columns: 45), Size(rows: 5, columns: 20), Size(rows: 40, columns: 140)]
        for size in small + small.reversed() {
            terminal.resize(rows: size.rows, columns: size.columns)
            try terminal.see(size.rows == 5 ? "Too small" : "Here all along")
        }
        terminal.resize(rows: 24, columns: 80)
        try terminal.see("page 1 of 3")
        #expect(try terminal.quit() == [])
    }

    @Test func aTerminalThatIsTooSmallSaysSoAndCanBeLeft() throws {
        let terminal = try ana.start(rows: 5, columns: 20)
        try terminal.see("Too small: 20x5,")
        #expect(try terminal.quit() == [])
    }

    @Test(arguments: ["dumb", "", "no-such-terminal"])
    func aTerminalThatCannotDrawIsRefused(kind: String) throws {
        let terminal = try ana.start(environment: ["TERM": kind])
        #expect(try terminal.waitForExit(seconds: Patience.long) == 64)
        #expect(terminal.text.contains("TERM"))
        #expect(terminal.whatIsLeftBehind == [])
    }

    @Test func withoutATerminalItSaysWhatIsMissing() throws {
        let run = try ana.run(["open", engine.url, "--token-file", ana.tokenFile], environment: ["TERM": "xterm"])
        #expect(run.status == 64)
        #expect(run.messages.contains("terminal"))
        #expect(run.output == "")
    }

    @Test func anUnreachableServerLeavesAScreenThatSaysSo() throws {
        engine.kill()
        let terminal = try ana.start()
        try terminal.see("offline, retry in")
        #expect(try terminal.quit() == [])
    }
}
