import Glibc
import TestSupport

/// One start of a program on a terminal of its own, watched from the other side of the pty.
///
/// The clock starts before the process is made, or before a key is written, and stops when the last byte of the answer
/// has been read; what the emulator then does with the bytes is in no figure but as time it takes from the program.
struct Visit {
    /// An answer has ended when nothing more comes for so long.
    static let quiet = 40
    /// A letter of a filter is shown at once where it was typed, and what it leaves of the list a good deal later.
    static let quietOfFilter = 250
    private static let patience = 30

    let terminal: VirtualTerminal
    let firstFrame: Duration
    /// Until nothing more came: for Postilla with the page's text, and what the server had to tell.
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

    /// Presses a key: the time to the last byte of what it changed on the screen; nil when nothing changed.
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

    /// How many bytes come, and how much processor time goes, while nobody does anything.
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
