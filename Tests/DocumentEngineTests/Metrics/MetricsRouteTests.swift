import SyncProtocol
import Testing

@testable import DocumentEngine

@Suite(.timeLimit(.minutes(15))) struct MetricsRouteTests {
    static func run(_ body: (RunningServer) async throws -> Void) async throws {
        try await RunningServer.run {
            $0.metrics = Server.ListenAddress(host: "127.0.0.1", port: 0)
        } _: {
            try await body($0)
        }
    }

    @Test func whatIsDoneIsCounted() async throws {
        try await Self.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            for number in 1...3 {
                _ = try await server.push(token, [Samples.create(Int64(number), "n\(number)")])
            }
            _ = try await server.client("no token", "GET", "session")
            _ = try await server.send("TRACE", "/nothing/of/ours")
            let events = try await EventReader(server, token)
            let answer = try await server.operations("/metrics")
            #expect(events.status == 200)
            #expect(answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            for line in [
                #"postilla_http_requests_total{method="POST",route="/instant/v1/changes",status="200"} 3"#,
                #"postilla_http_requests_total{method="POST",route="/api/documents",status="200"} 1"#,
                #"postilla_http_requests_total{method="GET",route="/instant/v1/session",status="401"} 1"#,
                #"postilla_http_requests_total{method="other",route="none",status="404"} 1"#,
                #"postilla_http_request_seconds_count{route="/instant/v1/changes"} 3"#,
                #"postilla_refusals_total{reason="token_malformed"} 1"#, "postilla_streams_open 1",
                "postilla_pdf_job_seconds_count 1", "postilla_pdf_jobs_running 0", "postilla_writes_waiting 0",
                "postilla_ready 1", "# TYPE postilla_transaction_writes histogram",
            ] { #expect(answer.text.contains(line + "\n"), "\(line) in\n\(answer.text)") }
            let memory = answer.text.split(separator: "\n").first { $0.hasPrefix("process_resident_memory_bytes ") }
            #expect((memory?.split(separator: " ").last.flatMap { Int($0) } ?? 0) > 1 << 20)
        }
    }

    /// The number of series does not depend on how many ids are requested, and no label contains an id.
    @Test func idsAreNoLabels() async throws {
        try await Self.run { server in
            var counts: [Int] = []
            for round in 0..<2 {
                for number in 0..<20 {
                    let id = "secret-id-\(round)-\(number)"
                    for path in ["", "/properties", "/layers/\(id)", "/attachments/\(id)", "/annotations/\(id)"] {
                        _ = try await server.backend("GET", "/api/documents/\(id)\(path)")
                    }
                }
                let text = try await server.figures()
                #expect(!text.contains("secret-id"))
                counts.append(text.split(separator: "\n").count)
            }
            #expect(counts[0] == counts[1])
        }
    }

    @Test func theAddressOfFiguresKnowsNothingElse() async throws {
        try await Self.run { server in
            let health = try await server.operations("/healthcheck")
            #expect(health.text == #"{"status":"ok"}"#)
            #expect(try await server.operations("/readiness").text == #"{"status":"ready"}"#)
            #expect(try await server.operations("/api/documents").status == 404)
            let written = try await server.operations("/metrics", method: "POST")
            #expect((written.status, written.headers["allow"]) == (405, "GET, HEAD"))
            // The public address does not serve the metrics.
            #expect(try await server.send("GET", "/metrics").status == 404)
            #expect(try await server.backend("GET", "/metrics").status == 404)
        }
    }
}
