import Foundation

extension Run {
    /// A PDF with 10,000 annotations, and one with 2,000 pages.
    func documents() async throws {
        let outcome = try await DocumentsBenchmark(backend: backend, folder: folder).run()
        var table = Table("", "ms", "least-most", "x")
        table.add("upload of 10,000 annotations", outcome.upload, to: outcome.qpdf.median)
        table.add("qpdf --json", outcome.qpdf, to: nil)
        let reference = outcome.pdftotext.median.flatMap { text in outcome.firstFrame.median.map { text + $0 } }
        table.add("first page of 2,000, from the start of the program", outcome.firstPage, to: reference)
        table.add("first frame", outcome.firstFrame, to: nil)
        table.add("pdftotext -f 1 -l 1", outcome.pdftotext, to: nil)
        table.add("first search of 2,000 pages", outcome.firstSearch, to: outcome.pdfgrep?.median)
        table.add("second search", outcome.nextSearch, to: outcome.pdfgrep?.median)
        table.add("search after a restart", outcome.searchAfterRestart, to: outcome.pdfgrep?.median)
        if let pdfgrep = outcome.pdfgrep {
            table.add("pdfgrep", pdfgrep, to: nil)
        } else {
            Report.add("pdfgrep is not installed and is left out.")
        }
        Report.add(
            """
            ## Large PDFs

            \(table.text)

            Server after the uploads: peak \(Figures.megabytes(outcome.peak)) MB (VmHWM).

            """)
    }
}
