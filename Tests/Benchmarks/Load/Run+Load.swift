import Annotations
import EngineSupport
import Foundation
import PostgresSupport

extension Run {
    /// Measures how other clients are affected while the backend copies, uploads and writes, and how a server copes
    /// with a flood of requests.
    func load() async throws {
        try await work()
        var table = Table("requests in one write", "answered", "closed", "ms", "MB growth")
        try flood("SQLite", [], &table)
        let postgres = try PostgresSupport.PostgresServer()
        try flood("PostgreSQL", ["--store", postgres.address("postgres")], &table)
        Report.add("## Floods of requests\n\n\(table.text)\n")
    }

    // MARK: The backend at work

    private func work() async throws {
        let count = options.loadRecords
        let document = "load"
        try backend.upload(try sample("harbour-handbook.pdf"), as: document)
        try await backend.post(Remark.all(count, pages: 109), document: document)
        let file = folder.appendingPathComponent("load.pdf")
        try LargePDF.write(megabytes: options.megabytes, to: file)
        let viewer = try Viewer(backend, document: document, folder: folder)
        // Each task runs on one thread while this one only waits.
        nonisolated(unsafe) let backend = backend
        let folder = folder
        let works: [(String, Int?, @Sendable () throws -> Void)] = [
            ("at rest", 5, {}),
            (
                "a layer of \(count) is copied", nil,
                {
                    try backend.curl(
                        "documents/\(document)/layers", #"{"name":"copy","source_layer_name":""}"#, in: folder)
                }
            ),
            ("a PDF of \(options.megabytes) MB is uploaded", nil, { try backend.upload(file.path, as: "load-pdf") }),
            (
                "10,000 annotations are created", nil,
                {
                    for part in 0..<20 {
                        let list = (0..<500).map { "{\"content\":\(EditBenchmark.note(part * 500 + $0).text)}" }
                        let json = "{\"annotations\":[\(list.joined(separator: ","))]}"
                        try backend.curl("documents/\(document)/layers/made/annotations", json, in: folder)
                    }
                }
            ),
        ]
        var table = Table(
            "ms", "work", "health p50", "p99", "slowest", "push p50", "push p99", "push slowest", "key p50", "key p99",
            "key slowest")
        let benchmark = LoadBenchmark(backend.server, document: document)
        for (index, (name, seconds, work)) in works.enumerated() {
            let figures = try benchmark.run("load\(index)", seconds: seconds, press: viewer.press, work: work)
            func three(_ samples: Samples) -> [String] {
                [samples.median, samples.percentile(99), samples.most].map(Figures.milliseconds)
            }
            table.rows.append(
                [name, Figures.milliseconds(figures.took)] + three(figures.checks) + three(figures.pushes)
                    + three(figures.keys))
        }
        Report.add(
            """
            ## The backend at work: \(LoadBenchmark.checkers) connections with health checks, \
            \(LoadBenchmark.pushers) with pushes to another layer, a viewer

            \(table.text)

            """)
        viewer.quit()
    }

    // MARK: Floods

    private func flood(_ name: String, _ store: [String], _ table: inout Table) throws {
        let server = try ServerProcess(
            postilla: backend.postilla, folder: folder.appendingPathComponent("flood-\(name)"),
            options: store
                + ["requests-per-second=0", "unauthenticated-requests-per-second=0"].flatMap { ["--limit", $0] })
        defer { server.stop() }
        try Backend(server: server, postilla: backend.postilla).upload(try sample("reading-machines.pdf"), as: "flood")
        let port = try server.listeningPort
        func run(_ what: String, turns: Int, _ fill: (inout Flood) -> Void) throws {
            var (requests, answers, closed) = (0, 0, 0)
            var took = Duration.zero
            var before = 0
            for turn in 0..<turns {
                var flood = try Flood(server, document: "flood", layer: "\(turns)-\(turn)")
                fill(&flood)
                let outcome = try flood.run(port: port)
                requests += outcome.requests
                answers += outcome.answers
                closed += outcome.isClosed ? 1 : 0
                took += outcome.took
                guard server.isRunning else {
                    throw BenchmarkError("\(name): the server ended with \(server.ending ?? "?")")
                }
                // The first turn allocates what the server keeps.
                if turn == 0 { before = server.memoryNow }
            }
            table.add(
                "\(name): \(turns) times \(what)", "\(answers) of \(requests)", "\(closed)",
                Figures.milliseconds(took / turns), Figures.megabytes(max(0, server.memoryNow - before)))
        }
        try run("100,000 invalid and 2,000 valid pushes", turns: 20) { flood in
            flood.addPush(changes: 200)
            for number in 0..<100_000 {
                flood.addInvalid()
                if number % 50 == 0 { flood.addPush() }
            }
        }
        try run("1,000 mixed requests behind pushes", turns: 5) { flood in
            for number in 0..<1_000 {
                switch number % 10 {
                case 0, 5: flood.addPush()
                case 1: flood.add("GET", "/healthcheck")
                case 2: flood.add("HEAD", "/healthcheck")
                case 3: flood.add("GET", "/instant/v1/session")
                case 4: flood.add("GET", "/nothing")
                case 6: flood.add("GET", "/instant/v1/records?limit=5")
                case 7: flood.add("DELETE", "/healthcheck")
                case 8: flood.addInvalid()
                default: flood.add("GET", "/api/documents")
                }
            }
        }
    }
}

extension Backend {
    /// Posts JSON to a route below `/api/`, blocking.
    fileprivate func curl(_ route: String, _ json: String, in folder: URL) throws {
        guard let curl = Tools.path("curl") else { throw BenchmarkError("curl is not installed") }
        let (body, header) = (folder.appendingPathComponent("body.json"), folder.appendingPathComponent("header"))
        try ServerProcess.writePrivately(json, to: body)
        try ServerProcess.writePrivately("Authorization: Token token=\"\(server.secret)\"\n", to: header)
        try Tools.run([
            curl, "--silent", "--show-error", "--fail", "--output", "/dev/null", "--header", "@\(header.path)",
            "--header",
            "Content-Type: application/json", "--data-binary", "@\(body.path)", "\(server.address)/api/\(route)",
        ])
    }
}
