import Foundation

extension Run {
    /// A change until the last of its listeners has it, by the wire alone.
    func fanout() throws {
        let postgres = try PostgresServer.start(
            in: folder.appendingPathComponent("postgres-fanout"), connections: 128)
        defer { postgres?.stop() }
        if postgres == nil { Report.add("There is no PostgreSQL here: left out.") }
        var table = Table("ms until the last one has it", "p50", "p99", "slowest", "of", "x")
        for listeners in [1, 100] {
            let document = "fanout-\(listeners)"
            try backend.upload(try sample("reading-machines.pdf"), as: document)
            let wire = try WirePair(backend.server, document: document, listeners: listeners)
            let notify = try postgres.map { try NotifyPair($0, listeners: listeners) }
            var (ours, theirs) = (Samples(), Samples())
            for number in 0..<320 {
                let note = EditBenchmark.note(number)
                let told = try notify?.run(id: "fan-\(listeners)-\(number)-", content: note.text)
                let passed = try wire.run(id: "fan-\(listeners)-\(number)-", content: note)
                guard number >= 20 else { continue }
                ours.add(passed)
                if let told { theirs.add(told) }
            }
            for (name, samples) in [("postilla", ours), ("PostgreSQL: insert, NOTIFY", theirs)] {
                table.add(
                    "\(name), \(listeners) listening", Figures.milliseconds(samples.median),
                    Figures.milliseconds(samples.percentile(99)), Figures.milliseconds(samples.most),
                    String(samples.count), Figures.ratio(samples.median, to: theirs.median))
            }
        }
        Report.add("## A write until it is visible\n\n\(table.text)\n")
    }
}
