extension Run {
    func queue() async throws {
        let result = try await QueueBenchmark(backend: backend, folder: folder, edits: options.edits).run(
            pdf: try sample("reading-machines.pdf"))
        var table = Table("ms", "median", "least-most", "x")
        table.add("pushed, answered, the queue empty", result.push, to: result.bound.median)
        table.add("SQLite, the server's rows, 100 a commit", result.bound, to: result.bound.median)
        table.add("processor time of the client", result.processor, to: nil)
        table.add("processor time of the server", result.server, to: nil)
        table.add("one edit, durable", result.edit, to: nil)
        Report.add("## \(options.edits) edits made without a connection\n\n\(table.text)\n")
    }
}
