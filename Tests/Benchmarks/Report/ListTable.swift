/// The figures of several programs on one list, the peers' ratios to them included.
struct ListTable {
    var figures: [ListFigures]
    /// What the others are divided by.
    var reference: String

    var text: String {
        let reference = figures.first { $0.contestant.name == self.reference }
        var table = Table(
            "", "first frame", "least-most", "x", "key p50", "p99", "x", "screen p50", "p99", "filter p50", "p99",
            "VmHWM",
            "RssAnon", "idle bytes")
        for figure in figures {
            table.add(
                figure.contestant.name, Figures.milliseconds(figure.firstFrame.median),
                Figures.milliseconds(figure.firstFrame.least) + "-" + Figures.milliseconds(figure.firstFrame.most),
                Figures.ratio(figure.firstFrame.median, to: reference?.firstFrame.median),
                Figures.milliseconds(figure.row.median), Figures.milliseconds(figure.row.percentile(99)),
                Figures.ratio(figure.row.median, to: reference?.row.median),
                Figures.milliseconds(figure.screen.median), Figures.milliseconds(figure.screen.percentile(99)),
                Figures.milliseconds(figure.filter.median), Figures.milliseconds(figure.filter.percentile(99)),
                Figures.megabytes(figure.memory.peakResident), Figures.megabytes(figure.memory.peakAnonymous),
                figure.idle.map { String($0.bytes) } ?? Figures.none)
        }
        return table.text
    }
}
