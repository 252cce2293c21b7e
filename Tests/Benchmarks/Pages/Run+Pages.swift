import Foundation

extension Run {
    /// A document of 109 pages with 1,000 annotations.
    func pages() async throws {
        let layer = try await FilledLayer.fill(
            backend, document: "pages", pdf: sample("harbour-handbook.pdf"), count: 1_000, folder: folder)
        let outcome = try PagesBenchmark(layer: layer).run()
        var table = Table("ms", "p50", "p90", "slowest", "pages")
        for (name, samples) in [("the next page", outcome.next), ("a distant page", outcome.far)] {
            table.add(
                name, Figures.milliseconds(samples.median), Figures.milliseconds(samples.percentile(90)),
                Figures.milliseconds(samples.most), String(samples.count))
        }
        Report.add(
            """
            ## Turning a page until its text is shown

            \(table.text)

            """)
    }
}
