import Foundation
import Synchronization
import TestSupport

/// A person moves through the list while others write a thousand annotations a second into the layer.
struct BurstBenchmark {
    var backend: Backend
    var document: String
    var folder: URL
    var perSecond = 1000
    var seconds = 5
    /// Changes per request.
    private let batch = 10

    struct Outcome {
        /// From the key press until the other pane's keys are shown.
        var keys = Samples()
        /// Keys that had no effect within a second.
        var lost = 0
        /// From the last change applied by the server until the list counts all of them.
        var behind = Duration.zero
        /// The writer's changes per second.
        var rate = 0.0
    }

    func run() throws -> Outcome {
        let terminal = try open()
        let before = try Self.count(terminal)
        terminal.send(text: "gg")
        terminal.waitForIdle(milliseconds: 300)
        let writer = try WireWriter(backend.server, document: document)
        let done = DispatchGroup()
        let written = Mutex((failure: nil as (any Error)?, took: Duration.zero))
        let start = ContinuousClock.now
        done.enter()
        // Each is used by one thread.
        nonisolated(unsafe) let (own, this) = (writer, self)
        Thread.detachNewThread {
            defer { done.leave() }
            do {
                try this.write(own, since: start)
                written.withLock { $0.took = ContinuousClock.now - start }
            } catch { written.withLock { $0.failure = error } }
        }
        var outcome = Outcome()
        while ContinuousClock.now < start + .seconds(seconds) {
            press(on: terminal, &outcome)
        }
        // Keeps reading the screen, so that the program never waits to write.
        while done.wait(timeout: .now()) == .timedOut { terminal.pump(milliseconds: 10) }
        try written.withLock {
            if let failure = $0.failure { throw failure }
            outcome.rate = Double(perSecond * seconds) / ($0.took.milliseconds / 1000)
        }
        let end = ContinuousClock.now
        let all = before + perSecond * seconds
        try terminal.wait(until: "all \(all) are counted", seconds: 60) { (try? Self.count($0)) == all }
        outcome.behind = ContinuousClock.now - end
        terminal.send(text: "q")
        _ = try terminal.waitForExit()
        return outcome
    }

    private func write(_ writer: WireWriter, since start: ContinuousClock.Instant) throws {
        for number in 0..<perSecond * seconds / batch {
            let due = start + .milliseconds(number * batch * 1000 / perSecond)
            let pause = due - ContinuousClock.now
            // Waits only for the due time: the others are measured at this pace.
            if pause > .zero { poll(nil, 0, Int32(pause.milliseconds.rounded(.up))) }
            let notes = (0..<batch).map { ("burst-\(number)-\($0)", EditBenchmark.note(number * batch + $0)) }
            try writer.send(writer.request(notes))
            try writer.finish()
        }
    }

    /// Presses a key after about a twentieth of a second, as if it were held down: Tab, which switches to the other
    /// pane. Up and Down would prove nothing, because annotations added by others move rows as well.
    private func press(on terminal: VirtualTerminal, _ outcome: inout Outcome) {
        terminal.pump(milliseconds: 50)
        let wasInList = Self.isInList(terminal)
        let start = ContinuousClock.now
        terminal.send(text: "\t")
        while Self.isInList(terminal) == wasInList {
            guard ContinuousClock.now - start < .seconds(1) else {
                outcome.lost += 1
                return
            }
            terminal.pump(milliseconds: 5)
        }
        outcome.keys.add(ContinuousClock.now - start)
    }

    /// Whether the last row shows the keys of the list. The cursor would prove nothing, because it moves everywhere
    /// while a picture is drawn.
    private static func isInList(_ terminal: VirtualTerminal) -> Bool {
        terminal.line(terminal.size.rows - 1).contains("/ filter")
    }

    private func open() throws -> VirtualTerminal {
        let home = folder.appendingPathComponent("home-burst")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        let terminal = try VirtualTerminal(
            running: backend.openCommand(document: document, user: "reader", home: home),
            environment: ["HOME": home.path])
        try terminal.wait(forText: "synced", seconds: 60)
        terminal.waitForIdle(milliseconds: 500)
        return terminal
    }

    /// Returns the number of annotations by the title of the list.
    private static func count(_ terminal: VirtualTerminal) throws -> Int {
        guard let count = terminal.recordCount else {
            throw BenchmarkError("the list has no title:\n\(terminal.text)")
        }
        return count
    }
}
