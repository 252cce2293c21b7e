import TestSupport

/// Turning the pages of a long document in the viewer: to the next page, which was prefetched, and to a distant one,
/// which was not.
struct PagesBenchmark {
    var layer: FilledLayer
    /// The last page that is turned to.
    var count = 40

    struct Outcome {
        /// From the key press until the text of the page is on the screen.
        var next = Samples()
        var far = Samples()
    }

    func run() throws -> Outcome {
        var outcome = Outcome()
        let terminal = try VirtualTerminal(running: layer.command, environment: layer.environment)
        try terminal.wait(until: "the first page is read", seconds: 60) { Self.page(of: $0) == 1 }
        try terminal.wait(forText: "synced", seconds: 60)
        for page in 2...count {
            // Meanwhile the neighbours of the page are prefetched, as they are while a person reads.
            terminal.waitForIdle(milliseconds: 300)
            outcome.next.add(try turn("J", to: page, terminal))
        }
        for page in [100, 60, 90, 70, 80] {
            terminal.waitForIdle(milliseconds: 300)
            // By its label: the first four are numbered i to iv.
            outcome.far.add(try turn(":page \(page - 4)\r", to: page, terminal))
        }
        terminal.send(text: "q")
        _ = try terminal.waitForExit()
        return outcome
    }

    private func turn(_ keys: String, to page: Int, _ terminal: VirtualTerminal) throws -> Duration {
        let start = ContinuousClock.now
        terminal.send(text: keys)
        try terminal.wait(until: "page \(page) is read", seconds: 10) { Self.page(of: $0) == page }
        guard let end = terminal.lastRead else { throw BenchmarkError("nothing was written") }
        return end - start
    }

    /// Returns the page that is shown; nil until its text has been read.
    private static func page(of terminal: VirtualTerminal) -> Int? {
        let text = terminal.text
        guard !text.contains("Reading page"), let found = text.firstMatch(of: #/ p(\d+)\/\d+ /#)
        else { return nil }
        return Int(found.1)
    }
}
