/// A Markdown table that is also legible in a terminal: the first column is left-aligned, figures are right-aligned.
struct Table {
    var head: [String]
    var rows: [[String]] = []

    init(_ head: String...) { self.head = head }

    mutating func add(_ cells: String...) { rows.append(cells) }

    /// Adds a name, its median, its range, and its ratio to something else.
    mutating func add(_ name: String, _ samples: Samples, to reference: Duration?) {
        add(
            name, Figures.milliseconds(samples.median),
            Figures.milliseconds(samples.least) + "-" + Figures.milliseconds(samples.most),
            Figures.ratio(samples.median, to: reference))
    }

    var text: String {
        let widths = head.indices.map { column in ([head] + rows).map { $0[column].count }.max() ?? 0 }
        func line(_ cells: [String]) -> String {
            let padded = zip(0..., zip(cells, widths)).map { column, cell in
                let blanks = String(repeating: " ", count: cell.1 - cell.0.count)
                return column == 0 ? cell.0 + blanks : blanks + cell.0
            }
            return "| " + padded.joined(separator: " | ") + " |"
        }
        let rule = widths.enumerated().map { column, width in
            column == 0 ? String(repeating: "-", count: width + 2) : String(repeating: "-", count: width + 1) + ":"
        }
        return ([line(head), "|" + rule.joined(separator: "|") + "|"] + rows.map(line)).joined(separator: "\n")
    }
}
