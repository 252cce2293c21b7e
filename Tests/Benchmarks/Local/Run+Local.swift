extension Run {
    /// PDFs of one's own, without a server.
    func local() async throws {
        let benchmark = LocalBenchmark(backend: backend, folder: folder)
        let outcome = try await benchmark.run()
        var table = Table("", "ms", "least-most", "x")
        table.add("text of a file, by a program that can only read", outcome.readOnly, to: nil)
        table.add("text of a file, the engine is started", outcome.first, to: outcome.readOnly.median)
        table.add("... until a note can be written", outcome.editableFirst, to: nil)
        table.add("text of a file, the engine runs", outcome.running, to: outcome.readOnly.median)
        table.add("... until a note can be written", outcome.editable, to: nil)
        table.add("layer of \(benchmark.changes) notes on this machine", outcome.cached, to: nil)
        table.add("file with \(benchmark.changes) kept notes, again", outcome.kept, to: outcome.cached.median)
        table.add("qpdf, sync and qpdf --check of \(benchmark.megabytes) MB", outcome.qpdf, to: nil)
        table.add("\(benchmark.changes) changes written into it", outcome.write, to: outcome.qpdf.median)
        table.add("qpdf --json of \(benchmark.copies + 1) files", outcome.reading, to: nil)
        table.add(
            "merge of \(benchmark.copies) copies with \(benchmark.annotations) new annotations each", outcome.merge,
            to: outcome.reading.median)
        Report.add(
            """
            ## PDFs of one's own

            \(table.text)

            """)
    }
}
