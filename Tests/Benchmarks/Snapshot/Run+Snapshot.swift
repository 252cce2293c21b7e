import Foundation

extension Run {
    /// Measures a large layer's snapshot, page by page over one connection, and the same bytes as files from nginx.
    func snapshot() async throws {
        let document = "snapshot"
        try backend.upload(try sample("harbour-handbook.pdf"), as: document)
        let own = try await backend.count(document: document)
        try await backend.post(
            Array(Remark.all(options.records, pages: 109).prefix(options.records - own)), document: document)
        guard let curl = Tools.path("curl") else { throw BenchmarkError("curl is not installed") }
        let fetch = try await SnapshotFetch(
            server: backend.server, document: document, curl: curl, folder: folder)
        let files = folder.appendingPathComponent("pages")
        try fetch.save(in: files)
        let nginx = try NginxServer.start(files: files, in: folder.appendingPathComponent("nginx"))
        defer { nginx?.stop() }
        if nginx == nil { Report.add("nginx is not installed and is left out.") }
        let copy = try nginx.map { try fetch.copy(from: $0.port, curl: curl, folder: folder) }
        var (ours, theirs) = (Samples(), Samples())
        let before = backend.server.memoryNow
        let watch = MemoryWatch(process: backend.server.processID)
        for turn in 0..<6 {
            let (mine, other) = (try fetch.run(), try copy?.run())
            guard turn > 0 else { continue }
            ours.add(mine)
            if let other { theirs.add(other) }
        }
        let grown = max(0, watch.stop().peakAnonymous - before)
        var table = Table("ms", "median", "least-most", "MB/s", "speed is x")
        for (name, samples) in [("postilla", ours), (nginx?.version ?? "nginx", theirs)] {
            table.add(
                name, Figures.milliseconds(samples.median),
                Figures.milliseconds(samples.least) + "-" + Figures.milliseconds(samples.most),
                Figures.megabytesPerSecond(fetch.bytes, in: samples.median),
                Figures.ratio(theirs.median, to: samples.median))
        }
        Report.add(
            """
            ## A snapshot of \(options.records) records: \(fetch.pages) pages, \(Figures.megabytes(fetch.bytes)) MB

            \(table.text)

            The server's own memory (RssAnon) grew by \(Figures.megabytes(grown)) MB.

            """)
    }
}
