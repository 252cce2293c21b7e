import Foundation
import TestSupport
import TestThreads
import Testing

@Suite(.onOwnThreads)
struct SharingStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    @Test func twoTerminalsSeeEachOthersEdits() throws {
        let ben = try Person("ben", at: engine)
        let (first, second) = (try ana.open(), try ben.open())
        try first.addNote("Which ones?")
        try second.see("Which ones?")
        try second.addNote("The small ones.")
        try first.see("The small ones.")
        try first.press("gg/Which<enter>")
        try first.see("Annotations 1")
        try first.press("d")
        try second.see(no: "Which ones?")
        #expect(try first.quit() == [])
        #expect(try second.quit() == [])
    }

    @Test func aSpectatorReadsAndIsToldWhyNothingMore() throws {
        let sam = try Person("sam", at: engine, token: try engine.token("sam", reading: true))
        let (writer, spectator) = (try ana.open(), try sam.open())
        try spectator.see("READ-ONLY")
        for key in ["a", "e", "d"] {
            try spectator.press(key)
            try spectator.see(#"Read-only: this token lacks "write""#)
            try spectator.press("<esc>")
            try spectator.see(no: "lacks")
        }
        try writer.addNote("Watch this")
        try spectator.see("Watch this")
        #expect(try engine.records().components(separatedBy: "Watch this").count == 2)
        #expect(try spectator.quit() == [])
    }

    @Test func lettersOfAllScriptsArriveAsTheyWereTyped() throws {
        let ben = try Person("ben", at: engine)
        let (first, second) = (try ana.open(), try ben.open())
        let text = "Größe 日本語 na\u{308}ive 👍🏽 Ω"
        try first.press("a")
        try first.see("New note")
        first.send(text: text)
        try first.see("Ω")
        try first.press("<enter>")
        try first.see("Added note")
        try second.see("日本語")
        let list = try ben.run(["list", engine.url, "--token-file", ben.tokenFile, "--format", "tsv"])
        #expect(list.status == 0, "\(list.messages)")
        #expect(Array(list.output.utf8).contains(Array(text.utf8)))
    }

    @Test func twoWindowsOfOnePersonShareOneCopy() throws {
        let (first, second) = (try ana.open(), try ana.start())
        try second.see("synced by pid \(first.processID) (open)")
        try second.addNote("From the second window")
        try first.see("From the second window")
        try first.see("From the second window", at: engine)
        #expect(try first.quit() == [])
        try second.addNote("Now alone")
        try second.see("Now alone", at: engine)
        #expect(try second.quit() == [])
    }

    @Test func twoWhoChangeOneNoteSeeBothTexts() throws {
        let ben = try Person("ben", at: engine)
        let (first, second) = (try ana.open(), try ben.open())
        try first.addNote("The base")
        try second.see("The base")
        for terminal in [first, second] {
            try terminal.press("gg/base<enter>")
            try terminal.see("Annotations 1")
        }
        try second.press(":offline<enter>")
        try second.see("offline")
        try second.press("e")
        try second.see("Text of the note")
        try second.press(" of ben<enter>")
        try second.see("Changed ")
        try first.press("e")
        try first.see("Text of the note")
        try first.press(" of ana<enter>")
        try first.see("of ana", at: engine)
        try second.press(":online<enter>")
        try second.see("1 in conflict")
        try second.press("O")
        try second.see("conflict, Enter to compare")
        try second.press("<enter>")
        try second.see("The base of ana")
        try second.see("The base of ben")
        try second.press("m")
        try second.see(no: "in conflict")
        try first.see("The base of ben")
    }

    @Test func theLibraryHasWhatWasOpenedAndOpensItAgain() throws {
        #expect(try ana.open().quit() == [])
        let terminal = try ana.start([])
        try terminal.see("Layers on this machine")
        try terminal.see("review")
        try terminal.press("<enter>")
        try terminal.see("Printed remark")
        try terminal.see("Token needed")
        // Escape alone: with a key directly after it, it would read as Alt.
        try terminal.press("<esc>")
        try terminal.see(no: "Token needed")
        try terminal.press("q")
        try terminal.see("Layers on this machine")
        #expect(try terminal.quit() == [])
    }

    @Test func aTerminalOpenedReadOnlyEditsNothing() throws {
        let terminal = try ana.open(["open", engine.url, "--token-file", ana.tokenFile, "--read-only"])
        try terminal.see("READ-ONLY")
        try terminal.press("a")
        try terminal.see("Read-only: opened with --read-only")
    }
}
