/// The figures of several programs on one list, with their ratios to one of them.
struct ListTable {
    var figures: [ListFigures]
    /// The program that the others are compared with.
    var reference: String

    var text: String { [times.text, footprint.text].joined(separator: "\n\n") + remarks }

    private var times: Table {
        let reference = figures.first { $0.contestant.name == self.reference }
        var table = Table(
            "ms", "first frame", "least-most", "x", "settled", "key p50", "p99", "x", "screen p50", "p99", "filter p50",
            "p99")
        for figure in figures {
            table.add(
                figure.contestant.name, Figures.milliseconds(figure.firstFrame.median),
                Figures.milliseconds(figure.firstFrame.least) + "-" + Figures.milliseconds(figure.firstFrame.most),
                Figures.ratio(figure.firstFrame.median, to: reference?.firstFrame.median),
                Figures.milliseconds(figure.settled.median),
                Figures.milliseconds(figure.row.median), Figures.milliseconds(figure.row.percentile(99)),
                Figures.ratio(figure.row.median, to: reference?.row.median),
                Figures.milliseconds(figure.screen.median), Figures.milliseconds(figure.screen.percentile(99)),
                Figures.milliseconds(figure.filter.median), Figures.milliseconds(figure.filter.percentile(99)))
        }
        return table
    }

    private var footprint: Table {
        var table = Table("MB", "VmHWM", "RssAnon", "bytes a key", "bytes idle", "CPU ms idle")
        for figure in figures {
            table.add(
                figure.contestant.name, Figures.megabytes(figure.memory.peakResident),
                Figures.megabytes(figure.memory.peakAnonymous),
                figure.rowBytes.isEmpty ? Figures.none : String(figure.rowBytes.sorted()[figure.rowBytes.count / 2]),
                figure.idle.map { String($0.bytes) } ?? Figures.none,
                figure.idle.map { String(Int($0.processor.milliseconds)) } ?? Figures.none)
        }
        return table
    }

    /// Notes that are needed to read the tables.
    private var remarks: String {
        figures.filter { $0.unanswered > 0 }.map {
            "\n\($0.contestant.name): \($0.unanswered) keys changed nothing on the screen and are not included."
        }.joined()
    }
}
