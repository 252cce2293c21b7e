import Foundation
import GRDBSQLite
import TestSupport
import TestThreads
import Testing

/// Another process holds a lock on the layer's storage for any length of time.
@Suite(.onOwnThreads)
struct SavingStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    private func lockStorage() throws -> WriteLock {
        let files = FileManager.default.enumerator(atPath: ana.home.path)?.compactMap { $0 as? String } ?? []
        let file = try #require(files.first { $0.hasSuffix("/layer.sqlite") })
        return try WriteLock("\(ana.home.path)/\(file)")
    }

    private func write(_ text: String, in terminal: VirtualTerminal) throws {
        try terminal.press("a")
        try terminal.see("New note")
        terminal.send(text: text)
        try terminal.see(text)
        try terminal.press("<enter>")
    }

    private func see(cursorOn text: String, in terminal: VirtualTerminal) throws {
        try terminal.wait(until: "the cursor is on \(text)", seconds: Patience.long) {
            $0.text.split(separator: "\n").contains { $0.contains("▌") && $0.contains(text) }
        }
    }

    @Test func theScreenDoesNotWaitForTheDisk() throws {
        let terminal = try ana.open()
        let lock = try lockStorage()
        try write("Written behind a lock", in: terminal)
        try terminal.see("saving")
        try see(cursorOn: "Written behind a lock", in: terminal)
        // Keys still work, even on the note that is being saved.
        try terminal.press("G")
        try see(cursorOn: "Printed remark", in: terminal)
        try terminal.press("gg")
        try see(cursorOn: "Written behind a lock", in: terminal)
        try terminal.press("e")
        try terminal.see("Text of the note")
        terminal.send(text: ", twice")
        try terminal.see(", twice")
        try terminal.press("<enter>")
        try terminal.see("2 saving")
        #expect(terminal.text.contains("Written behind a lock, twice"))
        lock.release()
        try terminal.see(no: "saving")
        try terminal.see("Written behind a lock, twice", at: engine)
        try terminal.see("synced")
        #expect(try engine.records().components(separatedBy: "Written behind a lock").count == 2)
        #expect(try terminal.quit() == [])
    }

    @Test(arguments: ["q", "SIGTERM", "SIGHUP"])
    func leavingWaitsUntilItIsSaved(how: String) throws {
        let terminal = try ana.open()
        let lock = try lockStorage()
        try write("Nearly lost", in: terminal)
        try terminal.see("saving")
        switch how {
        case "SIGTERM": terminal.signal(SIGTERM)
        case "SIGHUP": terminal.signal(SIGHUP)
        default: try terminal.press("q")
        }
        try terminal.see("Saving an edit before leaving")
        lock.release()
        #expect(try terminal.waitForExit(seconds: Patience.long) == 0)
        #expect(terminal.whatIsLeftBehind == [])
        #expect(try ana.script("sync").status == 0)
        #expect(try engine.records().contains("Nearly lost"))
    }

    @Test func whatCannotBeSavedIsInTheEditorAgain() throws {
        let terminal = try ana.open()
        let lock = try lockStorage()
        try write("Too long a wait", in: terminal)
        try terminal.see("saving")
        try terminal.see("Not saved:")
        try terminal.see("Enter save")
        lock.release()
        try terminal.press("<enter>")
        try terminal.see("Added note")
        try terminal.see("Too long a wait", at: engine)
        #expect(try terminal.quit() == [])
    }

    @Test func withoutAScreenTheNextLineWaitsForTheDisk() throws {
        #expect(try ana.open().quit() == [])
        let terminal = try ana.start(["open", engine.url, "--token-file", ana.tokenFile, "--plain"])
        try terminal.see("page 1, 1 mark>")
        let lock = try lockStorage()
        terminal.send(text: "note\r")
        try terminal.see("a line with only a dot")
        terminal.send(text: "Said without a screen\r.\rlist\r")
        try terminal.wait(until: "the line is echoed", seconds: Patience.long) { $0.text.contains("list") }
        #expect(!terminal.text.contains("Added note"))
        lock.release()
        try terminal.see("Added note")
        try terminal.see("Said without a screen")
        terminal.send(text: "quit\r")
        #expect(try terminal.waitForExit(seconds: Patience.long) == 0)
    }
}

/// A second connection with a write lock on the database.
private final class WriteLock {
    private var connection: OpaquePointer?

    init(_ path: String) throws {
        guard sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
            throw StoryError("cannot open \(path)")
        }
        sqlite3_busy_timeout(connection, 30_000)
        guard sqlite3_exec(connection, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK else {
            throw StoryError("cannot lock \(path)")
        }
    }

    deinit { release() }

    func release() {
        guard let connection else { return }
        sqlite3_exec(connection, "ROLLBACK", nil, nil, nil)
        sqlite3_close(connection)
        self.connection = nil
    }
}
