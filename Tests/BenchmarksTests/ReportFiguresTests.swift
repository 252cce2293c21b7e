import Testing

@testable import Benchmarks

/// The figures that a comparison of two builds reads from their reports.
@Suite struct ReportFiguresTests {
    private let report = """
        Machine: 2 cores

        ## 8 writers

        | writes a second | median | least-most | postilla is x |
        |-----------------|-------:|-----------:|--------------:|
        | postilla        |   1200 |  1100-1300 |          1.00 |
        | Redis           |      - |          - |             - |

        # More

        | ms        |  p50 | of |
        |-----------|-----:|---:|
        | an edit   | 2.50 | 10 |
        """

    @Test func figuresAreNamedByHeadingRowAndColumn() {
        let figures = ReportFigures(report)
        #expect(
            figures.entries.map(\.name) == [
                "8 writers: postilla, writes a second median", "More: an edit, ms p50",
            ])
        #expect(figures.entries.map(\.value) == [1200, 2.5])
    }

    @Test func theMedianOfSeveralRunsCounts() {
        let reports = [2.5, 9, 3].map { ReportFigures(report.replacing("2.50", with: "\($0)")) }
        #expect(ReportFigures.medians(reports).map(\.value) == [1200, 3])
    }
}
