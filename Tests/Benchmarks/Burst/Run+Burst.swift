import Foundation

extension Run {
    func burst() throws {
        try backend.upload(try sample("reading-machines.pdf"), as: "burst")
        let outcome = try BurstBenchmark(backend: backend, document: "burst", folder: folder).run()
        var table = Table("ms", "p50", "p99", "slowest", "keys", "lost")
        table.add(
            "a key (Tab) until its effect is shown", Figures.milliseconds(outcome.keys.median),
            Figures.milliseconds(outcome.keys.percentile(99)), Figures.milliseconds(outcome.keys.most),
            String(outcome.keys.count), String(outcome.lost))
        Report.add(
            """
            ## \(Int(outcome.rate)) changes a second by others

            \(table.text)

            All of them were counted on the screen \(Figures.milliseconds(outcome.behind)) ms after the last one.

            """)
    }
}
