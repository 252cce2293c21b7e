import TestSupport

extension Run {
    /// The maximum number of messages in neomutt's mailbox.
    private static let mostMails = 10_000

    func list() async throws {
        let pdf = try sample("harbour-handbook.pdf")
        for count in options.sizes {
            let layer = try await FilledLayer.fill(
                backend, document: "list-\(count)", pdf: pdf, count: count, folder: folder)
            let peers = Peers(folder: folder)
            let remarks = Remark.all(count, pages: 109)
            // neomutt takes seconds for more.
            let mails = count > Self.mostMails ? Remark.all(Self.mostMails, pages: 109) : remarks
            var found = [try peers.less(remarks)]
            if !options.isBrief {
                found += try [peers.fzf(remarks), peers.tig(remarks), peers.neomuttOnMailbox(mails)]
                if count <= Self.mostMails { found.append(try peers.neomuttOnMaildir(mails)) }
            }
            let contestants = found.compactMap(\.self)
            for name in ["less"] + (options.isBrief ? [] : ["fzf", "tig", "neomutt"]) where Tools.path(name) == nil {
                Report.add("\(name) is not installed and is left out.")
            }
            let versions = Set(contestants.map(\.version)).sorted().joined(separator: ", ")
            Report.add("# \(count) annotations, compared with \(versions)\n")
            // The larger terminal is used only for the longest list, which has a gate there.
            let isLongest = count == options.sizes.max() && !options.isBrief
            for size in [(rows: 24, columns: 80), (rows: 40, columns: 140)] where isLongest || size.rows == 24 {
                let benchmark = ListBenchmark(
                    contestants: [peers.postilla(layer)] + contestants, rows: size.rows, columns: size.columns,
                    starts: options.starts)
                var figures = try benchmark.run()
                for index in figures.indices {
                    figures[index].memory = try benchmark.memory(of: figures[index].contestant)
                    figures[index].idle = try benchmark.idle(figures[index].contestant)
                }
                if size.rows == 24 { draw(figures, count: count, areMailsFewer: mails.count < count) }
                Report.add("## \(count) on \(size.columns)x\(size.rows)\n")
                Report.add(
                    ListTable(figures: figures, reference: options.isBrief ? "less" : "neomutt, mbox").text + "\n")
            }
            Report.add(
                "First sync of the \(count) and the PDF, until shown: \(Figures.milliseconds(layer.firstSync)) ms.\n")
            if count == options.sizes.max() { try await dense(layer, count: count, pdf: pdf) }
        }
    }

    /// Compares the first frame with that of a layer whose remarks are all on the first eight pages.
    private func dense(_ layer: FilledLayer, count: Int, pdf: String) async throws {
        let dense = try await FilledLayer.fill(
            backend, document: "dense-\(count)", pdf: pdf, count: count, pages: Self.densePages, folder: folder)
        let peers = Peers(folder: folder)
        var benchmark = ListBenchmark(
            contestants: [peers.postilla(layer), peers.postilla(dense)], rows: 24, columns: 80, starts: options.starts)
        benchmark.visits = 0
        // A layer opens where the last visit ended.
        for contestant in benchmark.contestants {
            let visit = try Visit(contestant, rows: benchmark.rows, columns: benchmark.columns)
            _ = visit.press(contestant.first)
            visit.leave(contestant)
        }
        let frames = try benchmark.run().map(\.firstFrame)
        let texts = frames.map {
            "\(Figures.milliseconds($0.median)) (\(Figures.milliseconds($0.least)) to \(Figures.milliseconds($0.most)))"
        }
        let ratio = Figures.ratio(frames[1].median, to: frames[0].median)
        Report.add(
            "First frame of \(count) on 109 pages: \(texts[0]) ms; on \(Self.densePages) pages: \(texts[1]) ms, x \(ratio).\n"
        )
    }

    private static let densePages = 8

    /// - Parameter areMailsFewer: Whether neomutt's list is shorter than the others.
    private func draw(_ figures: [ListFigures], count: Int, areMailsFewer: Bool) {
        for figure in figures {
            let name = figure.contestant.name
            guard !areMailsFewer || !name.hasPrefix("neomutt") else { continue }
            plots.add(.firstFrame, name, Double(count), figure.firstFrame.median?.milliseconds)
            plots.add(.key, name, Double(count), figure.row.median?.milliseconds)
            plots.add(.memory, name, Double(count), Double(figure.memory.peakAnonymous) / 1_048_576)
        }
    }
}
