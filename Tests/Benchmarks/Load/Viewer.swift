import Foundation
import TestSupport

/// A viewer on a terminal, for measuring how soon keys are answered.
final class Viewer {
    private let terminal: VirtualTerminal

    init(_ backend: Backend, document: String, folder: URL) throws {
        let home = folder.appendingPathComponent("home-viewer")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        terminal = try VirtualTerminal(
            running: backend.openCommand(document: document, user: "reader", home: home),
            environment: ["HOME": home.path])
        try terminal.wait(forText: "synced", seconds: 120)
        terminal.waitForIdle(milliseconds: 1_000)
        terminal.send(text: "gg")
        terminal.waitForIdle(milliseconds: 300)
    }

    /// Presses Tab after a twentieth of a second, and waits until the other pane's keys are shown.
    ///
    /// - Returns: nil if it had no effect within a second.
    func press() throws -> Duration? {
        terminal.pump(milliseconds: 50)
        let wasInList = isInList
        let start = ContinuousClock.now
        terminal.send(text: "\t")
        while isInList == wasInList {
            guard ContinuousClock.now - start < .seconds(1) else { return nil }
            terminal.pump(milliseconds: 5)
        }
        return ContinuousClock.now - start
    }

    func quit() {
        terminal.send(text: "q")
        _ = try? terminal.waitForExit()
    }

    private var isInList: Bool { terminal.line(terminal.size.rows - 1).contains("Tab page") }
}
