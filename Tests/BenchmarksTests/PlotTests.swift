import Foundation
import Testing

@testable import Benchmarks

@Suite struct PlotTests {
    @Test func anAxisOverDecadesIsLogarithmicAndHoldsAllValues() {
        let scale = PlotScale([1_000, 10_000, 100_000], from: 0, to: 200)
        #expect(scale.isLogarithmic)
        #expect(scale.ticks == [1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000])
        #expect(scale.position(of: 1_000) == 0)
        #expect(abs(scale.position(of: 10_000) - 100) < 1e-9)
        #expect(abs(scale.position(of: 100_000) - 200) < 1e-9)
        #expect(
            PlotScale([0.11, 658], from: 0, to: 1).ticks.map(PlotScale.label) == ["0.1", "1", "10", "100", "1,000"])
    }

    @Test func anAxisWithinADecadeIsLinearFromZero() {
        let scale = PlotScale([5_582, 12_615], from: 300, to: 0)
        #expect(!scale.isLogarithmic)
        #expect(
            scale.ticks.map(PlotScale.label) == ["0", "2,000", "4,000", "6,000", "8,000", "10,000", "12,000", "14,000"])
        #expect(scale.position(of: 0) == 300)
        #expect(scale.position(of: 14_000) == 0)
    }

    @Test(arguments: [[], [0], [7], [0, 0], [0, 5]] as [[Double]])
    func anyValuesHaveAnAxis(values: [Double]) {
        let scale = PlotScale(values, from: 10, to: 20)
        for value in values { #expect((10...20).contains(scale.position(of: value))) }
        #expect(!scale.ticks.isEmpty)
    }

    @Test func theFileIsXMLWithEverySeriesAndBothBackgrounds() throws {
        var plot = Plot(title: "Cost & size", x: "entries", y: "ms")
        plot.series = ["postilla", "a<b", "third", "fourth", "fifth", "sixth"].enumerated().map { index, name in
            let points = [1_000.0, 10_000, 100_000].map { Plot.Point(x: $0, y: Double(index + 1) * $0 / 500) }
            return Plot.Series(name: name, points: points)
        }
        let svg = plot.svg
        #expect(svg.utf8.count < 20_000)
        for part in [
            "Cost &amp; size", "a&lt;b", "entries (log scale)", "ms (log scale)", "prefers-color-scheme:dark",
            "100,000",
        ] { #expect(svg.contains(part), "\(part)") }
        #expect(svg.matches(of: #/<polyline\s/#).count == 6)
        #expect(svg.matches(of: #/<circle\s/#).count == 8, "two series of circles, three points and a name each")
        #expect(svg.matches(of: #/<[a-z]/#).count == svg.matches(of: #/\/>|<\/[a-z]/#).count, "every element ends")
        #expect(!svg.contains("nan") && !svg.contains("inf"))
    }

    @Test func onlyWhatWasMeasuredAtSeveralSizesIsDrawn() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("plots-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let plots = Plots()
        plots.add(.fanout, "postilla", 1, 0.5)
        plots.add(.fanout, "postilla", 100, 2.5)
        plots.add(.fanout, "PostgreSQL", 1, nil)
        plots.add(.writers, "postilla", 8, 9_000)
        try plots.write(to: folder)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["fanout.svg"])
        let svg = try String(contentsOf: folder.appendingPathComponent("fanout.svg"), encoding: .utf8)
        #expect(!svg.contains("PostgreSQL"))
    }
}
