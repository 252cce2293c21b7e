import Foundation

extension Run {
    func sync() async throws {
        let smaller = options.plots == nil ? [] : [1_000, 10_000].filter { $0 < options.records }
        for records in smaller + [options.records] { try await sync(records) }
    }

    private func sync(_ records: Int) async throws {
        let document = "sync-\(records)"
        try backend.upload(try sample("harbour-handbook.pdf"), as: document)
        let own = try await backend.count(document: document)
        try await backend.post(
            Array(Remark.all(records, pages: 109).prefix(records - own)), document: document)
        let result = try await FirstSyncBenchmark(backend: backend, folder: folder, count: records).run(
            document: document)
        plots.add(.firstSync, "client library", Double(records), result.sync.median?.milliseconds)
        plots.add(.firstSync, "curl and SQLite", Double(records), result.bound.median?.milliseconds)
        var table = Table("ms", "median", "least-most", "x")
        for (name, samples) in [
            ("first sync into the durable store", result.sync),
            ("curl of the pages, SQLite's bulk insert", result.bound),
            ("... of which curl", result.curl), ("... of which SQLite", result.insert),
        ] { table.add(name, samples, to: result.bound.median) }
        table.add("processor time of the client alone", result.processor, to: nil)
        table.add("a new process to its first 100 rows", result.open, to: nil)
        table.add("... of which inside the library", result.openInside, to: nil)
        let layer = try FilledLayer.open(backend, document: document, count: records, folder: folder)
        let viewer = ListBenchmark(
            contestants: [Peers(folder: folder).postilla(layer)], rows: 24, columns: 80, starts: 5, visits: 0)
        table.add("postilla's first frame, 80x24", try viewer.run()[0].firstFrame, to: nil)
        var memory = Table("MB", "VmHWM", "RssAnon")
        for (name, process) in [
            ("first sync", result.syncMemory), ("first rows", result.openMemory),
            ("postilla, a walk to the end and a filter", try viewer.memory(of: viewer.contestants[0])),
        ] {
            memory.add(name, Figures.megabytes(process.peakResident), Figures.megabytes(process.peakAnonymous))
        }
        Report.add(
            """
            ## A layer of \(records) records for the first time: \(result.pages) pages, \
            \(Figures.megabytes(result.bytes)) MB

            \(table.text)

            \(memory.text)

            """)
    }
}
