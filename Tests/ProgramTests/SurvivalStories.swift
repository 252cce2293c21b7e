import Foundation
import TestSupport
import TestThreads
import Testing

@Suite(.onOwnThreads)
struct SurvivalStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    @Test func aServerThatWasKilledComesBackAndGetsWhatWasWrittenMeanwhile() throws {
        let terminal = try ana.open()
        try terminal.addNote("Before the fall")
        try terminal.see("Before the fall", at: engine)
        // The program also has the response: a kill between commit and response would leave both notes queued.
        try terminal.see("synced")
        engine.kill()
        try terminal.see("offline, retry in")
        try terminal.addNote("Written in the dark")
        try terminal.see("unsent: 1")
        try engine.start()
        try terminal.press("S")
        try terminal.see("synced")
        // Once more while an edit may be in transit: nothing is lost or duplicated.
        try terminal.addNote("In the very moment")
        engine.kill()
        try terminal.see("offline, retry in")
        try engine.start()
        try terminal.press("S")
        try terminal.see("In the very moment", at: engine)
        let records = try engine.records()
        for text in ["Before the fall", "Written in the dark", "In the very moment"] {
            #expect(records.components(separatedBy: text).count == 2, "\(text)")
        }
        #expect(try terminal.quit() == [])
    }

    @Test func aClientThatWasKilledLostNothingItHadShown() throws {
        let terminal = try ana.open()
        try terminal.addNote("Perhaps under way")
        terminal.signal(SIGKILL)
        #expect(try terminal.waitForExit(seconds: Patience.long) == 128 + Int(SIGKILL))
        engine.kill()
        try keepWhatIsShown()

        try engine.start()
        let again = try ana.open()
        try again.see("Seen and therefore kept", at: engine)
        let records = try engine.records()
        for text in ["Perhaps under way", "Seen and therefore kept"] {
            #expect(records.components(separatedBy: text).count == 2, "\(text)")
        }
        #expect(try again.quit() == [])
    }

    @Test func aDraftThatWasSavedBeforeTheClientWasKilledIsNotOfferedAgain() throws {
        try ana.saveLeavingTheDraft("Saved and")
        let again = try ana.open()
        try again.addNote("written once")
        try again.see("written once", at: engine)
        #expect(try engine.records().components(separatedBy: "Saved and").count == 2)
        #expect(try again.quit() == [])
    }

    /// Without a server: writes, is killed, and finds the text again.
    private func keepWhatIsShown() throws {
        let terminal = try ana.start()
        try terminal.see("Perhaps under way")
        try terminal.addNote("Seen and therefore kept")
        terminal.signal(SIGKILL)
        _ = try terminal.waitForExit(seconds: Patience.long)
        let offline = try ana.start()
        try offline.see("Seen and therefore kept")
        try offline.see("unsent: ")
        offline.signal(SIGKILL)
        _ = try offline.waitForExit(seconds: Patience.long)
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGINT])
    func aSignalKeepsTheDraftAndGivesTheTerminalBack(signal: Int32) throws {
        let terminal = try ana.open()
        try terminal.press("a")
        try terminal.see("New note")
        terminal.send(text: "Half a thou")
        try terminal.see("Half a thou")
        terminal.signal(signal)
        _ = try terminal.waitForExit(seconds: Patience.long)
        #expect(terminal.whatIsLeftBehind == [])

        let again = try ana.open()
        try again.press("a")
        try again.see("Half a thou")
    }

    @Test func aWindowThatIsClosedKeepsTheDraft() throws {
        let terminal = try ana.open()
        try terminal.press("a")
        try terminal.see("New note")
        terminal.send(text: "Half a thou")
        try terminal.see("Half a thou")
        terminal.hangUp()
        // Both the shell and the kernel send SIGHUP, at different times.
        _ = try terminal.waitForExit(seconds: Patience.long, repeating: SIGHUP)
        let again = try ana.open()
        try again.press("a")
        try again.see("Half a thou")
    }

    @Test func controlCTakesBackAndTellsHowToLeave() throws {
        let terminal = try ana.open()
        try terminal.press("a")
        try terminal.see("New note")
        try terminal.press("<C-c>")
        try terminal.see(no: "New note")
        try terminal.press("<C-c>")
        try terminal.see("Press q to quit")
        #expect(try terminal.quit() == [])
    }

    @Test func itIsSuspendedAndBroughtBackByAShell() throws {
        let shell = try VirtualTerminal(
            running: ["/bin/bash", "--norc", "--noprofile", "-i"],
            environment: ana.environment.merging(["PS1": "ready> "]) { $1 }, directory: ana.home.path)
        try shell.see("ready>")
        shell.send(text: "'\(Program.path)' open \(engine.url) --token-file token.jwt\r")
        // Stops at once, while other threads start the tools that read pages.
        try shell.see("Annotations 1")
        try shell.press("<C-z>")
        try shell.see("Stopped")
        #expect(!shell.isAlternateScreen && shell.isCursorVisible)
        shell.send(text: "fg\r")
        try shell.see("Annotations 1")
        try shell.addNote("Back again")
        try shell.press("q")
        try shell.wait(until: "the shell has the terminal", seconds: Patience.long) { !$0.isAlternateScreen }
        shell.send(text: "exit\r")
        _ = try shell.waitForExit(seconds: Patience.long)
    }
}
