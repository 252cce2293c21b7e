import Foundation

extension Run {
    func link() async throws {
        var table = Table("", "s", "rate", "their note, s", "own note, ms")
        for rate in options.rates {
            let jobs: [LinkBenchmark.Job] =
                switch rate {
                case 60...: [.opening(3_000), .offline(1_500), .file(32 << 20)]
                case 10...: [.opening(300), .offline(150), .file(3_200_000)]
                default: [.opening(30), .offline(30), .file(200_000)]
                }
            let benchmark = LinkBenchmark(backend: backend, folder: folder, rate: rate * 1000)
            for (number, job) in jobs.enumerated() {
                let result = try await benchmark.run(job, number: number)
                let hasWatch = result.typing > .zero
                table.add(
                    "\(rate) kB/s, \(result.name)", String(format: "%.0f", result.seconds),
                    String(format: "%.0f %%", result.share * 100),
                    hasWatch ? String(format: "%.1f", result.news.milliseconds / 1000) : Figures.none,
                    hasWatch ? Figures.milliseconds(result.typing) : Figures.none)
                // Such a run takes half an hour.
                Report.add("\(rate) kB/s, \(result.name): \(String(format: "%.1f %%", result.share * 100))")
            }
        }
        Report.add("## Over a slow link: 150 ms each way, standing still for 1 to 3 s now and then\n\n\(table.text)\n")
    }
}
