import Glibc
import TestSupport

/// One start of a program on its own terminal, observed from the other side of the pty.
///
/// The clock starts before the process is created, or before a key is written, and stops when the last byte of the
/// answer has been read. The emulator's later work on the bytes is not measured, but takes processor time from the
/// program.
struct Visit {
    /// An answer has ended after this many milliseconds without output.
    static let quiet = 40
    /// A letter of a filter is shown at once where it was typed, and the filtered list considerably later.
    static let quietOfFilter = 250
    private static let patience = 30

    let terminal: VirtualTerminal
    let firstFrame: Duration
    /// Until output stopped: for Postilla, including the page's text and the server's data.
    let settled: Duration

    init(_ contestant: Contestant, rows: Int, columns: Int, watching: (VirtualTerminal) -> Void = { _ in }) throws {
        let start = ContinuousClock.now
        terminal = try VirtualTerminal(
            running: contestant.command, environment: contestant.environment, rows: rows, columns: columns)
        try terminal.wait(until: "\(contestant.name) shows its first screen", seconds: Self.patience) {
            watching($0)
            return contestant.isComplete($0)
        }
        guard let end = terminal.lastRead else { throw BenchmarkError("\(contestant.name) wrote nothing") }
        firstFrame = end - start
        terminal.waitForIdle(milliseconds: 300)
        settled = (terminal.lastRead ?? end) - start
    }

    /// Presses a key. Returns the time until the last byte of the resulting output; nil if there was none.
    func press(_ keys: Contestant.Keys, quiet: Int = quiet) -> Duration? {
        terminal.pump()
        let before = terminal.bytesRead
        let start = ContinuousClock.now
        terminal.send(text: keys)
        guard terminal.pump(milliseconds: 1_000) else { return nil }
        terminal.waitForIdle(milliseconds: quiet)
        guard let end = terminal.lastRead, terminal.bytesRead > before else { return nil }
        return end - start
    }

    /// Returns the bytes written and the processor time used while there is no input.
    func idle(seconds: Int) -> (bytes: Int, processor: Duration) {
        terminal.waitForIdle(milliseconds: 1_000)
        let before = (bytes: terminal.bytesRead, time: processorTime)
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end, !terminal.isClosed { terminal.pump(milliseconds: 100) }
        return (terminal.bytesRead - before.bytes, processorTime - before.time)
    }

    func leave(_ contestant: Contestant) {
        terminal.send(text: contestant.quit)
        do { _ = try terminal.waitForExit(seconds: 5) } catch { terminal.signal(SIGKILL) }
    }

    private var processorTime: Duration { terminal.process.flatMap(ProcessTime.used) ?? .zero }
}
