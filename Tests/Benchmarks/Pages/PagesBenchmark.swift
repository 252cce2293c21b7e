import TestSupport

/// Turning the pages of a long document in the viewer, forward to one that was foreseen and far away to one that was not.
struct PagesBenchmark {
    var layer: FilledLayer
    /// Pages that are turned.
    var count = 40

    struct Outcome {
        /// From the key until the text of the page stands on the screen.
        var next = Samples()
        var far = Samples()
    }

    func run() throws -> Outcome {
        var outcome = Outcome()
        let terminal = try VirtualTerminal(running: layer.command, environment: layer.environment)
        try terminal.wait(until: "the first page is read", seconds: 60) { Self.page(of: $0) == 1 }
        try terminal.wait(forText: "synced", seconds: 60)
        for page in 2...count {
            // Its neighbours are read meanwhile, as they are while a person reads.
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

    /// The page that is shown, once it is read.
    private static func page(of terminal: VirtualTerminal) -> Int? {
        let text = terminal.text
        guard !text.contains("Reading page"), let found = text.firstMatch(of: #/ p(\d+)\/\d+ /#)
        else { return nil }
        return Int(found.1)
    }
}
