import Foundation

extension Run {
    /// A change until the last of its listeners has it, by the wire alone.
    ///
    /// The peers take turns by blocks: each is measured as it is when it works, and a mood of the disk lasts longer than two
    /// blocks. Also change by change, where each comes into caches that the other has just filled with its own.
    func fanout() throws {
        let postgres = try PostgresServer.start(
            in: folder.appendingPathComponent("postgres-fanout"), connections: 128)
        defer { postgres?.stop() }
        if postgres == nil { Report.add("There is no PostgreSQL here: left out.") }
        var table = Table("ms until the last one has it", "p50", "p99", "slowest", "of", "x")
        for (listeners, block) in [(1, 50), (1, 1), (100, 50), (1_000, 50)] {
            // A thousand connections are more than PostgreSQL is set up for.
            let (ours, theirs) = try fanout(
                to: listeners, block: block, beside: listeners > 100 ? nil : postgres,
                changes: listeners > 100 ? 300 : 1_100)
            let turns = block == 1 ? "change by change" : "blocks of \(block)"
            for (name, samples) in [("postilla", ours), ("PostgreSQL: insert, NOTIFY", theirs)] where !samples.isEmpty {
                table.add(
                    "\(name), \(listeners) listening, \(turns)", Figures.milliseconds(samples.median),
                    Figures.milliseconds(samples.percentile(99)), Figures.milliseconds(samples.most),
                    String(samples.count), Figures.ratio(samples.median, to: theirs.median))
            }
        }
        Report.add("## A write until it is visible\n\n\(table.text)\n")
    }

    /// - Parameter block: so many changes by one, then by the other.
    private func fanout(
        to listeners: Int, block: Int, beside postgres: PostgresServer?, changes: Int
    ) throws -> (ours: Samples, theirs: Samples) {
        let name = "fanout-\(listeners)-\(block)"
        try backend.upload(try sample("reading-machines.pdf"), as: name)
        let wire = try WirePair(backend.server, document: name, listeners: listeners)
        let notify = try postgres.map { try NotifyPair($0, listeners: listeners) }
        var (ours, theirs) = (Samples(), Samples())
        for start in stride(from: 0, to: changes, by: block) {
            let numbers = start..<start + block
            for number in numbers {
                let told = try notify?.run(id: "\(name)-\(number)-", content: EditBenchmark.note(number).text)
                // The first hundred are for both to warm up.
                if let told, number >= 100 { theirs.add(told) }
            }
            for number in numbers {
                let passed = try wire.run(id: "\(name)-\(number)-", content: EditBenchmark.note(number))
                if number >= 100 { ours.add(passed) }
            }
        }
        return (ours, theirs)
    }
}
