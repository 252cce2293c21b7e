package import Annotations

/// Consecutive pages of one size, as displayed, in points. On the wire: `[count, width, height]`.
package struct PageRun: Hashable, Sendable {
    package var count: Int
    package var width: Double
    package var height: Double

    package init(count: Int, width: Double, height: Double) {
        self.count = count
        self.width = width
        self.height = height
    }

    /// A document with more different sizes than this states only its number of pages.
    package static let maximum = 500
    /// The most pages that a document can have.
    package static let maximumPages = 1_000_000

    /// Returns the runs of a document's pages; empty if there are more than ``maximum``.
    package static func runs(of sizes: some Sequence<(width: Double, height: Double)>) -> [PageRun] {
        var runs: [PageRun] = []
        for size in sizes {
            if let last = runs.last, last.width == size.width, last.height == size.height {
                runs[runs.count - 1].count += 1
            } else if runs.count < maximum {
                runs.append(PageRun(count: 1, width: size.width, height: size.height))
            } else {
                return []
            }
        }
        return runs
    }

    package var json: JSON {
        .array([
            .number(JSONNumber(Int64(count))), .number(JSONNumber(width)), .number(JSONNumber(height)),
        ])
    }

    private init?(json: JSON) {
        guard let values = json.array, values.count == 3, let count = values[0].integer,
            (1...Int64(Self.maximumPages)).contains(count), let width = values[1].double, width > 0,
            let height = values[2].double, height > 0
        else { return nil }
        self.init(count: Int(count), width: width, height: height)
    }

    /// Returns runs only if all are valid and cover exactly this number of pages; otherwise the sizes are unknown.
    package static func reading(_ json: JSON?, pageCount: Int?) -> [PageRun] {
        guard let values = json?.array, values.count <= maximum else { return [] }
        let runs = values.compactMap(PageRun.init(json:))
        return runs.count == values.count && runs.reduce(0, { $0 + $1.count }) == pageCount ? runs : []
    }

    /// Returns a number of pages that a document can have; nil for any other value.
    package static func pageCount(_ json: JSON?) -> Int? {
        json?.integer.flatMap { (1...Int64(maximumPages)).contains($0) ? Int($0) : nil }
    }
}

extension [PageRun] {
    package var json: JSON { .array(map(\.json)) }
}

extension [PageRun] {
    /// Returns the run that holds a page; nil if the sizes are unknown.
    package func run(ofPage page: Int) -> PageRun? {
        var first = 0
        guard page >= 0 else { return nil }
        for run in self {
            first += run.count
            if page < first { return run }
        }
        return nil
    }
}
