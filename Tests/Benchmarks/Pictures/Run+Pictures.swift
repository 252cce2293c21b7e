import Foundation

extension Run {
    /// Pages of a document of 109 with 1,000 annotations.
    func pictures() async throws {
        let pdf = try sample("harbour-handbook.pdf")
        let layer = try await FilledLayer.fill(
            backend, document: "pictures", pdf: pdf, count: 1_000, folder: folder)
        let outcome = try PicturesBenchmark(layer: layer, pdf: pdf, folder: folder).run()
        let (width, height) = outcome.pixels
        var table = Table("ms", "p50", "p90", "slowest", "pages")
        let rows = [
            ("a page as a picture", outcome.page), ("pdftocairo -png", outcome.pdftocairo),
            ("the next page", outcome.next),
        ]
        for (name, samples) in rows {
            table.add(
                name, Figures.milliseconds(samples.median), Figures.milliseconds(samples.percentile(90)),
                Figures.milliseconds(samples.most), String(samples.count))
        }
        let ratio = Figures.ratio(outcome.page.median, to: outcome.pdftocairo.median)
        Report.add(
            """
            ## Showing a page as a picture of \(width)x\(height) pixels

            \(table.text)
            A page takes \(ratio) of pdftocairo's time. Bytes sent for one: at most \(outcome.bytes.max() ?? 0).

            """)
    }
}
