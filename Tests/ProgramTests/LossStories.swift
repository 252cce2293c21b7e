import Foundation
import TestSupport
import TestThreads
import Testing

/// Access to the document ends while a user has unsent edits.
@Suite(.onOwnThreads)
struct LossStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    @Test func whatWasNotSentIsSavedReadOnAndRemovedWithConsent() throws {
        let terminal = try ana.open(rows: 30, columns: 120)
        try terminal.press(":offline<enter>")
        try terminal.see("offline")
        try terminal.addNote("Nobody has this")
        try engine.delete("paper")
        try terminal.press(":online<enter>")
        try terminal.see("You no longer have access to")
        try terminal.see("The local copy and 1")

        try terminal.press("s")
        try terminal.see("1 unsent edit saved in")
        let folder = ana.home.path + "/.local/state/postilla"
        let saved = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasPrefix("unsent-") })
        #expect(try String(contentsOfFile: "\(folder)/\(saved)", encoding: .utf8).contains("Nobody has this"))

        try terminal.press("r")
        try terminal.see(no: "You no longer have access to")
        try terminal.see("Nobody has this")
        #expect(try terminal.quit() == [])
    }

    @Test func theLocalCopyGoesOnlyWhenTheQuestionIsAnswered() throws {
        let terminal = try ana.open()
        try engine.delete("paper")
        try terminal.see("You no longer have access to")
        try terminal.press("x")
        try terminal.see("from this machine? y/N")
        try terminal.press("n")
        try terminal.see("You no longer have access to")
        try terminal.press("x")
        try terminal.see("from this machine? y/N")
        try terminal.press("y")
        try terminal.see(no: "You no longer have access to")
        #expect(try terminal.quit() == [])
        #expect(try ana.run(["storage"]).output.contains("paper") == false)
    }
}
