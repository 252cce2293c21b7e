/// The figures of a report, read from its tables so that reports of earlier builds can be compared.
struct ReportFigures {
    /// In the order of the report. A name consists of heading, row and column.
    private(set) var entries: [(name: String, value: Double)] = []

    /// Columns that describe a measurement and are not compared.
    private static let counts: Set = ["of", "x", "keys", "least-most", "postilla is x", "x of Yjs"]

    init(_ report: String) {
        var heading = ""
        var head: [String]?
        for line in report.split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.hasPrefix("|") else {
                head = nil
                if line.hasPrefix("#") { heading = line.drop { $0 == "#" || $0 == " " }.description }
                continue
            }
            let cells = line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.split(separator: " ").joined(separator: " ") }
            guard let columns = head else {
                head = cells
                continue
            }
            for (column, cell) in zip(columns, cells).dropFirst() where !Self.counts.contains(column) {
                guard let value = Double(cell), let row = cells.first else { continue }
                entries.append(("\(heading): \(row), \(columns[0]) \(column)", value))
            }
        }
    }

    /// The median of each figure over several reports, in the order of the first.
    static func medians(_ reports: [ReportFigures]) -> [(name: String, value: Double)] {
        var values: [String: [Double]] = [:]
        for (name, value) in reports.flatMap(\.entries) { values[name, default: []].append(value) }
        var seen: Set<String> = []
        return (reports.first?.entries ?? []).compactMap { name, _ in
            guard seen.insert(name).inserted, let all = values[name]?.sorted() else { return nil }
            return (name, all[all.count / 2])
        }
    }
}
