import TestSupport

extension Run {
    func list() async throws {
        let pdf = try sample("harbour-handbook.pdf")
        for count in options.sizes {
            let layer = try await FilledLayer.fill(
                backend, document: "list-\(count)", pdf: pdf, count: count, folder: folder)
            let peers = Peers(folder: folder)
            let remarks = Remark.all(count, pages: 109)
            let found = try [peers.less(remarks), peers.neomuttOnMailbox(remarks), peers.neomuttOnMaildir(remarks)]
                .compactMap(\.self)
            for name in ["less", "neomutt"] where Tools.path(name) == nil {
                Report.add("There is no \(name) here: left out.")
            }
            let versions = Set(found.map(\.version)).sorted().joined(separator: ", ")
            Report.add("# \(count) annotations, beside \(versions)\n")
            // The larger terminal for the longest list alone: that is where a gate is.
            let isLongest = count == options.sizes.max()
            for size in [(rows: 24, columns: 80), (rows: 40, columns: 140)] where isLongest || size.rows == 24 {
                let benchmark = ListBenchmark(
                    contestants: [peers.postilla(layer)] + found, rows: size.rows, columns: size.columns,
                    starts: options.starts)
                var figures = try benchmark.run()
                for index in figures.indices {
                    figures[index].memory = try benchmark.memory(of: figures[index].contestant)
                    figures[index].idle = try benchmark.idle(figures[index].contestant)
                }
                Report.add("## \(count) on \(size.columns)x\(size.rows)\n")
                Report.add(ListTable(figures: figures, reference: "neomutt, mbox").text + "\n")
            }
            Report.add(
                "First sync of the \(count) and the PDF, to the screen: \(Figures.milliseconds(layer.firstSync)) ms.\n")
        }
    }
}
