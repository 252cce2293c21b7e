import EngineSupport
import Foundation

extension Run {
    func listeners() throws {
        try OpenFiles.raise(to: options.listeners + 1_000)
        // A separate server, because the shared one's memory contains the work of earlier parts.
        let server = try ServerProcess(
            postilla: backend.postilla, folder: folder.appendingPathComponent("listeners"),
            options: Self.withoutRates + ["--limit", "connections=\(options.listeners + 1_000)"])
        defer { server.stop() }
        let document = "listeners"
        try Backend(server: server, postilla: backend.postilla).upload(
            try sample("reading-machines.pdf"), as: document)
        let benchmark = ListenersBenchmark(server: server, document: document)
        let idle = try benchmark.idle(options.listeners)
        var table = Table("", "KB each", "MB before", "MB after", "dropped", "heartbeats", "ms to open")
        table.add(
            "\(idle.listeners) idle listeners", String(format: "%.1f", Double(idle.bytesEach) / 1024),
            Figures.megabytes(idle.before), Figures.megabytes(max(idle.after, idle.later)), String(idle.dropped),
            "at least \(idle.heartbeats)", Figures.milliseconds(idle.opening))
        Report.add("## Idle listeners for 32 s\n\n\(table.text)\n")

        table = Table("ms until the last listener has it", "p50", "p99", "slowest", "changes a second, burst", "missed")
        for count in [1, 100, 1_000] {
            let crowd = try benchmark.crowd(count)
            table.add(
                "\(count) on one layer", Figures.milliseconds(crowd.slowest.median),
                Figures.milliseconds(crowd.slowest.percentile(99)), Figures.milliseconds(crowd.slowest.most),
                String(format: "%.0f", Double(crowd.burst) * 1000 / crowd.burstTime.milliseconds),
                String(crowd.missed))
        }
        Report.add("## A change until every listener to the layer has it\n\n\(table.text)\n")
    }
}
