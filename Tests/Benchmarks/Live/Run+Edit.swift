import Foundation

extension Run {
    func edit() async throws {
        let document = "edits"
        try backend.upload(try sample("reading-machines.pdf"), as: document)
        guard let url = URL(string: backend.server.address) else { throw BenchmarkError("no address") }
        let writer = try await LiveClient(
            server: url, folder: folder.appendingPathComponent("writer"),
            token: backend.server.mint.token(document: document, user: "ana"))
        let tokenFile = folder.appendingPathComponent("reader.jwt")
        try backend.server.mint.token(document: document, user: "ben").write(
            to: tokenFile, atomically: true, encoding: .utf8)
        let reader = try await FollowedLayer(
            server: backend.server.address, tokenFile: tokenFile, dataFolder: folder.appendingPathComponent("reader"))
        defer { reader.end() }
        // On a separate document, so that its changes do not reach the two clients.
        try backend.upload(try sample("reading-machines.pdf"), as: "wire")
        let postgres = try PostgresServer.start(in: folder.appendingPathComponent("postgres"))
        defer { postgres?.stop() }
        if postgres == nil { Report.add("PostgreSQL is not installed and is left out.") }
        let yjs = try YjsServer.start(in: folder.appendingPathComponent("yjs"))
        defer { yjs?.stop() }
        if yjs == nil { Report.add(YjsServer.missing) }
        let benchmark = EditBenchmark()
        let result = try await benchmark.run(
            writer, reader, wire: try WirePair(backend.server, document: "wire"),
            postgres: try postgres.map { try NotifyPair($0) },
            yjs: try yjs.map { try YjsPair($0, room: "edits", updates: $0.updates(for: benchmark.notes)) })
        let screens = try ScreensBenchmark(backend: backend, document: document, folder: folder).run()
        var table = Table("ms", "p50", "p99", "slowest", "of", "x", "x of Yjs")
        for (name, samples) in [
            ("edit committed -> told at the other client", result.committed), ("the call included", result.whole),
            ("the same without client stores, by the wire", result.wire),
            ("PostgreSQL \(postgres?.version ?? "-"): insert, NOTIFY -> heard", result.postgres),
            ("Yjs: update -> told at the other client", result.yjs),
            ("Yjs: update -> committed in the server's store", result.yjsStored),
        ] {
            table.add(
                name, Figures.milliseconds(samples.median), Figures.milliseconds(samples.percentile(99)),
                Figures.milliseconds(samples.most), String(samples.count),
                Figures.ratio(samples.median, to: result.postgres.median),
                Figures.ratio(samples.median, to: result.yjs.median))
        }
        table.add(
            "Enter -> on the other terminal, default delay", Figures.milliseconds(screens.median),
            Figures.milliseconds(screens.percentile(99)), Figures.milliseconds(screens.most), String(screens.count),
            Figures.none, Figures.none)
        Report.add("## An edit until another person has it\n\n\(table.text)\n\(yjs?.remark ?? "")")
    }
}
