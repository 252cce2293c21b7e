import Glibc
import Screen
import TestSupport
import Testing

/// Tests of the test instrument that the other tests use.
@Suite struct VirtualTerminalTests {
    @Test func aProgramRunsOnIt() throws {
        let terminal = try VirtualTerminal(running: ["/bin/sh", "-c", "stty size; read line; echo got $line; exit 3"])
        try terminal.wait(forText: "24 80")
        try terminal.press("hello<enter>")
        try terminal.wait(until: "it has answered") { $0.text.contains("got") }
        #expect(terminal.line(0) == "24 80")
        #expect(try terminal.waitForExit() == 3)
        #expect(terminal.text.contains("hello"))
        #expect(terminal.whatIsLeftBehind == [])
    }

    @Test func itCanBeResizedAndSignalled() throws {
        let program = "trap 'stty size' WINCH; echo ready; while :; do read line; done"
        let terminal = try VirtualTerminal(running: ["/bin/bash", "-c", program], rows: 10, columns: 40)
        try terminal.wait(forText: "ready")
        terminal.resize(rows: 12, columns: 50)
        try terminal.press("<enter>")
        try terminal.wait(forText: "12 50")
        terminal.signal(SIGKILL)
        #expect(try terminal.waitForExit() == 128 + Int(SIGKILL))
    }

    @Test func modesAndPlacesAreSeen() throws {
        let program =
            #"printf '\033[?1049h\033[?25l\033[?2004h\033[?1000h\033[3;5H\033[1;34mhi'; stty raw -echo; sleep 100"#
        let terminal = try VirtualTerminal(running: ["/bin/sh", "-c", program])
        // The kernel reports echo at once, but earlier output must be read first.
        try terminal.wait(until: "echo is off") {
            $0.text.contains("hi") && $0.whatIsLeftBehind.contains("echo off")
        }
        #expect(terminal.line(2) == "    hi")
        #expect(terminal.cell(2, 4).text == "h" && terminal.cell(2, 4).attributes == .bold)
        #expect(terminal.cell(2, 4).foreground == 4)
        #expect(terminal.cursor == Position(row: 2, column: 6))
        #expect(
            terminal.isAlternateScreen && !terminal.isCursorVisible && terminal.marksPastes && terminal.reportsMouse)
    }

    @Test func aConditionThatNeverHoldsShowsTheScreen() throws {
        let terminal = try VirtualTerminal(running: ["/bin/echo", "all there is"])
        let error = #expect(throws: VirtualTerminalError.self) { try terminal.wait(forText: "more") }
        #expect(error?.description.contains("the program ended before \"more\" is shown") == true)
        #expect(error?.description.contains("all there is") == true)
    }

    @Test func hangingUpEndsTheProgram() throws {
        let terminal = try VirtualTerminal(running: ["/bin/sh", "-c", "echo ready; read line"])
        try terminal.wait(forText: "ready")
        terminal.hangUp()
        #expect(try terminal.waitForExit() == 128 + Int(SIGHUP))
    }

    @Test(arguments: [
        "a", "é", "<C-d>", "<C-space>", "<A-x>", "<enter>", "<A-enter>", "<escape>", "<S-tab>", "<C-left>",
        "<S-pageup>",
        "<delete>", "<home>", "<f1>", "<f12>", "<S-f6>", "<backspace>", "<paste:two\\nlines>", "<click:3,120>",
        "<wheelup:0,0>", "<wheeldown:9,9>",
    ])
    func whatItSendsForAKeyIsDecodedAsThatKey(notation: String) throws {
        let key = try Key(notation)
        var decoder = KeyDecoder()
        var keys = decoder.feed(key.bytes, at: 0)
        if let deadline = decoder.deadline { keys += decoder.timeout(at: deadline) }
        #expect(keys == [key])
    }
}
