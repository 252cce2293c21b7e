import Foundation
import TestSupport
import TestThreads
import Testing

/// Undo after a restart of the real program.
@Suite(.onOwnThreads)
struct UndoStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    /// Deletes two notes in one step.
    private func deleteTwo() throws {
        for text in ["First thought", "Second thought"] { _ = try ana.note(text) }
        let terminal = try ana.open()
        try terminal.see("Annotations 3")
        try terminal.press("/thought<enter>")
        try terminal.see("Annotations 2 of 3")
        try terminal.press("gg<space><space>d")
        try terminal.see("Deleted 2 annotations")
        try terminal.see(no: "First thought", at: engine)
        try terminal.see(no: "Second thought", at: engine)
        // Otherwise the answer may be lost, and the deletions are held until a token with all rights is back.
        try terminal.see("synced")
        #expect(try terminal.quit() == [])
    }

    @Test func aWholeStepIsUndoneAfterARestart() throws {
        try deleteTwo()
        let terminal = try ana.open()
        try terminal.see("Annotations 1")
        try terminal.press("u")
        try terminal.see("Undone: deleted 2 annotations")
        try terminal.see("Annotations 3")
        try terminal.see("First thought", at: engine)
        try terminal.see("Second thought", at: engine)
        // Undone once, it is not undone again by the next run.
        #expect(try terminal.quit() == [])
        let again = try ana.open()
        try again.press("u")
        try again.see("Nothing to undo")
        #expect(try again.quit() == [])
    }

    @Test func aStepThatTheTokenDoesNotAllowStays() throws {
        try deleteTwo()
        let rights = ana.token
        try ana.give(try engine.token("ana", reading: true))
        let reading = try ana.open()
        try reading.see("READ-ONLY")
        for _ in 0..<2 {
            try reading.press("u")
            try reading.see("Cannot undo: ")
            try reading.press("<esc>")
            try reading.see(no: "Cannot undo: ")
        }
        #expect(try reading.quit() == [])
        #expect(try !engine.records().contains("thought"))
        try ana.give(rights)
        let terminal = try ana.open()
        try terminal.press("u")
        try terminal.see("Undone: deleted 2 annotations")
        try terminal.see("First thought", at: engine)
        try terminal.see("Second thought", at: engine)
        #expect(try terminal.quit() == [])
    }
}
