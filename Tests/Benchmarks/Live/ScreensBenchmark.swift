import Foundation
import TestSupport

/// A note on one terminal until it is shown on another, both started as usual: from the Enter that saves it, including
/// the second for which the library waits for further edits.
struct ScreensBenchmark {
    var backend: Backend
    var document: String
    var folder: URL
    var notes = 15

    func run() throws -> Samples {
        let writer = try open("ana")
        let reader = try open("ben")
        reader.send(text: "/seen-\r")
        reader.waitForIdle(milliseconds: 500)
        var samples = Samples()
        for number in 1...notes {
            writer.send(text: "a")
            writer.waitForIdle(milliseconds: 100)
            writer.send(text: "seen-\(number)")
            writer.waitForIdle(milliseconds: 100)
            let start = ContinuousClock.now
            writer.send(text: "\r")
            try reader.wait(until: "note \(number) is there") { $0.text.contains("Annotations \(number) ") }
            samples.add((reader.lastRead ?? .now) - start)
            writer.waitForIdle(milliseconds: 300)
        }
        for terminal in [writer, reader] {
            terminal.send(text: "\u{1B}")
            terminal.waitForIdle(milliseconds: 600)
            terminal.send(text: "q")
            _ = try terminal.waitForExit()
        }
        return samples
    }

    private func open(_ user: String) throws -> VirtualTerminal {
        let home = folder.appendingPathComponent("home-\(user)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        let terminal = try VirtualTerminal(
            running: backend.openCommand(document: document, user: user, home: home),
            environment: ["HOME": home.path])
        try terminal.wait(forText: "synced", seconds: 60)
        terminal.waitForIdle(milliseconds: 500)
        return terminal
    }
}
