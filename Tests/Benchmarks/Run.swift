import EngineSupport
import Foundation
import TestSupport

/// The parts of one run, each printing its tables.
struct Run {
    var backend: Backend
    var folder: URL
    var options: Measurement

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
        // On a document of its own: its changes are not for the two clients.
        try backend.upload(try sample("reading-machines.pdf"), as: "wire")
        let postgres = try PostgresServer.start(in: folder.appendingPathComponent("postgres"))
        defer { postgres?.stop() }
        if postgres == nil { Report.add("There is no PostgreSQL here: left out.") }
        let result = try await EditBenchmark().run(
            writer, reader, wire: try WirePair(backend.server, document: "wire"),
            postgres: try postgres.map(NotifyPair.init))
        let screens = try ScreensBenchmark(backend: backend, document: document, folder: folder).run()
        var table = Table("ms", "p50", "p99", "slowest", "of", "x")
        for (name, samples) in [
            ("edit committed -> told at the other client", result.committed), ("the call included", result.whole),
            ("the same without client stores, by the wire", result.wire),
            ("PostgreSQL \(postgres?.version ?? "-"): insert, NOTIFY -> heard", result.postgres),
        ] {
            table.add(
                name, Figures.milliseconds(samples.median), Figures.milliseconds(samples.percentile(99)),
                Figures.milliseconds(samples.most), String(samples.count),
                Figures.ratio(samples.median, to: result.postgres.median))
        }
        table.add(
            "Enter -> on the other terminal, default delay", Figures.milliseconds(screens.median),
            Figures.milliseconds(screens.percentile(99)), Figures.milliseconds(screens.most), String(screens.count),
            Figures.none)
        Report.add("## An edit until another person has it\n\n\(table.text)\n")
    }

    func sync() async throws {
        let document = "sync"
        try backend.upload(try sample("harbour-handbook.pdf"), as: document)
        let own = try await backend.count(document: document)
        try await backend.post(
            Array(Remark.all(options.records, pages: 109).prefix(options.records - own)), document: document)
        let result = try await FirstSyncBenchmark(backend: backend, folder: folder, count: options.records).run(
            document: document)
        var table = Table("ms", "median", "least-most", "x")
        for (name, samples) in [
            ("first sync into the durable store", result.sync),
            ("curl of the pages, SQLite's bulk insert", result.bound),
            ("... of which curl", result.curl), ("... of which SQLite", result.insert),
        ] { table.add(name, samples, to: result.bound.median) }
        table.add("processor time of the client alone", result.processor, to: nil)
        table.add("a new process to its first 100 rows", result.open, to: nil)
        table.add("... of which inside the library", result.openInside, to: nil)
        var memory = Table("MB", "VmHWM", "RssAnon")
        for (name, process) in [("first sync", result.syncMemory), ("first rows", result.openMemory)] {
            memory.add(name, Figures.megabytes(process.peakResident), Figures.megabytes(process.peakAnonymous))
        }
        Report.add(
            """
            ## A layer of \(options.records) records for the first time: \(result.pages) pages, \
            \(Figures.megabytes(result.bytes)) MB

            \(table.text)

            \(memory.text)

            """)
    }

    func queue() async throws {
        let result = try await QueueBenchmark(backend: backend, folder: folder, edits: options.edits).run(
            pdf: try sample("reading-machines.pdf"))
        var table = Table("ms", "median", "least-most", "x")
        table.add("pushed, answered, the queue empty", result.push, to: result.bound.median)
        table.add("SQLite, the server's rows, 100 a commit", result.bound, to: result.bound.median)
        table.add("processor time of the client alone", result.processor, to: nil)
        table.add("one edit, durable", result.edit, to: nil)
        Report.add("## \(options.edits) edits made without a connection\n\n\(table.text)\n")
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
