import Annotations
import Foundation

extension Run {
    /// Measures a change until the last of its listeners has it, over the wire alone.
    ///
    /// The peers take turns in blocks, so that each is measured while it works steadily; a slow phase of the disk lasts
    /// longer than two blocks. They also take turns change by change, so that each finds caches that another has just
    /// filled.
    func fanout() throws {
        // A thousand streams and a thousand WebSockets.
        try OpenFiles.raise(to: 4_000)
        let postgres = try PostgresServer.start(
            in: folder.appendingPathComponent("postgres-fanout"), connections: 128)
        defer { postgres?.stop() }
        if postgres == nil { Report.add("PostgreSQL is not installed and is left out.") }
        let yjs = try YjsServer.start(in: folder.appendingPathComponent("yjs-fanout"))
        defer { yjs?.stop() }
        if yjs == nil { Report.add(YjsServer.missing) }
        var table = Table("ms until the last listener has it", "p50", "p99", "slowest", "of", "x", "x of Yjs")
        for (listeners, block) in [(1, 50), (1, 1), (10, 50), (100, 50), (1_000, 50)] {
            // A thousand connections are more than PostgreSQL is set up for.
            let times = try fanout(
                to: listeners, block: block, beside: listeners > 100 ? nil : postgres, yjs,
                changes: listeners > 100 ? 300 : 1_100)
            let turns = block == 1 ? "change by change" : "blocks of \(block)"
            for (peer, call, samples) in [
                ("postilla", "", times.ours), ("PostgreSQL", ": insert, NOTIFY", times.postgres),
                ("Yjs", ": update", times.yjs),
            ] where !samples.isEmpty {
                table.add(
                    "\(peer)\(call), \(listeners) listening, \(turns)", Figures.milliseconds(samples.median),
                    Figures.milliseconds(samples.percentile(99)), Figures.milliseconds(samples.most),
                    String(samples.count), Figures.ratio(samples.median, to: times.postgres.median),
                    Figures.ratio(samples.median, to: times.yjs.median))
                if block > 1 { plots.add(.fanout, peer, Double(listeners), samples.median?.milliseconds) }
            }
        }
        Report.add("## A write until it is visible\n\n\(table.text)\n\(yjs?.remark ?? "")")
    }

    private struct FanoutTimes {
        var ours = Samples()
        var postgres = Samples()
        var yjs = Samples()
    }

    /// - Parameter block: The number of changes in a peer's turn.
    private func fanout(
        to listeners: Int, block: Int, beside postgres: PostgresServer?, _ yjs: YjsServer?, changes: Int
    ) throws -> FanoutTimes {
        let name = "fanout-\(listeners)-\(block)"
        let notes = (0..<changes).map { (id: "\(name)-\($0)-", content: EditBenchmark.note($0)) }
        try backend.upload(try sample("reading-machines.pdf"), as: name)
        let wire = try WirePair(backend.server, document: name, listeners: listeners)
        let notify = try postgres.map { try NotifyPair($0, listeners: listeners) }
        let updates = try yjs.map {
            try YjsPair($0, room: name, listeners: listeners, updates: $0.updates(for: notes))
        }
        var times = FanoutTimes()
        for start in stride(from: 0, to: changes, by: block) {
            let numbers = start..<start + block
            // The first hundred are a warm-up for all.
            for number in numbers {
                let note = notes[number]
                let told = try notify?.run(id: note.id, content: note.content.text)
                if let told, number >= 100 { times.postgres.add(told) }
            }
            for number in numbers {
                let told = try updates?.run(number).told
                if let told, number >= 100 { times.yjs.add(told) }
            }
            for number in numbers {
                let passed = try wire.run(id: notes[number].id, content: notes[number].content)
                if number >= 100 { times.ours.add(passed) }
            }
        }
        return times
    }
}
