import Foundation
import TestSupport

/// The parts of one run, each printing its tables.
struct Run {
    var backend: Backend
    var folder: URL
    var options: Benchmarks

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
            for size in [(rows: 24, columns: 80), (rows: 40, columns: 140)] {
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

    func edit() async throws {
        let document = "edits"
        try backend.upload(try sample("reading-machines.pdf"), as: document)
        guard let url = URL(string: backend.server.address) else { throw BenchmarkError("no address") }
        let writer = try await LiveClient(
            server: url, folder: folder.appendingPathComponent("writer"),
            token: backend.server.mint.token(document: document, user: "ana"))
        let reader = try await LiveClient(
            server: url, folder: folder.appendingPathComponent("reader"),
            token: backend.server.mint.token(document: document, user: "ben"))
        let (whole, committed) = try await EditBenchmark().run(writer, reader)
        let screens = try ScreensBenchmark(backend: backend, document: document, folder: folder).run()
        var table = Table("ms", "p50", "p99", "slowest", "of")
        for (name, samples) in [
            ("edit committed -> told at the other client", committed), ("the call included", whole),
            ("Enter -> on the other terminal, default delay", screens),
        ] {
            table.add(
                name, Figures.milliseconds(samples.median), Figures.milliseconds(samples.percentile(99)),
                Figures.milliseconds(samples.most), String(samples.count))
        }
        Report.add("## An edit until another person has it\n\n\(table.text)\n")
    }

    func download() async throws {
        let file = folder.appendingPathComponent("large.pdf")
        try LargePDF.write(megabytes: options.megabytes, to: file)
        let bytes = options.megabytes << 20
        try backend.upload(file.path, as: "large")
        let result = try await DownloadBenchmark(server: backend.server, document: "large", folder: folder).run()
        var table = Table("", "ms", "least-most", "MB/s", "x")
        func add(_ name: String, _ samples: Samples) {
            table.add(
                name, Figures.milliseconds(samples.median),
                Figures.milliseconds(samples.least) + "-" + Figures.milliseconds(samples.most),
                Figures.megabytesPerSecond(bytes, in: samples.median),
                Figures.ratio(samples.median, to: result.curl?.median))
        }
        add("Instant: verified, on the disk", result.instant)
        if let curl = result.curl {
            add("curl; sync; sha256sum", curl)
        } else {
            Report.add("There is no curl: left out.")
        }
        Report.add("## A PDF of \(options.megabytes) MB from the server\n\n\(table.text)\n")
    }

    /// The package's own samples; the working directory is its root, as with make.
    private func sample(_ name: String) throws -> String {
        let path = "Resources/samples/" + name
        guard FileManager.default.fileExists(atPath: path) else {
            throw BenchmarkError("\(path) is not there: run this in the folder that holds Package.swift")
        }
        return path
    }
}
