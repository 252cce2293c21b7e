import Annotations
import SyncProtocol
import Testing

@testable import DocumentEngine

/// The log contains the request and its result, but no content.
@Suite(.timeLimit(.minutes(15))) struct RequestLogTests {
    private static func run(_ log: RecordedLog, _ body: (RunningServer) async throws -> Void) async throws {
        try await RunningServer.run {
            $0.logger = log.logger
            $0.logsRequests = true
            $0.secrets = ["hush-secret"]
        } _: {
            try await body($0)
        }
    }

    @Test func aRequestIsOneLine() async throws {
        let log = RecordedLog()
        try await Self.run(log) { server in
            _ = try await server.send(
                "GET", "/api/documents/hush-document/properties?x=hush", headers: [("X-Request-Id", "r1")])
        }
        let lines = log.text.split(separator: "\n").filter { $0.hasPrefix("info request ") }
        #expect(lines.count == 1)
        let pattern =
            #/info request method=GET ms=[0-9.]+ reason=unauthorized request=r1 route=/api/documents/\{id\}/properties status=401/#
        #expect(lines.first?.wholeMatch(of: pattern) != nil, "\(log.text)")
    }

    /// Sends valid and invalid requests to every route, with markers in every field that holds user data.
    @Test func nothingThatIsSomebodysIsInTheLog() async throws {
        let log = RecordedLog()
        var tokens: [String] = []
        try await Self.run(log) { server in
            let claims = TokenClaims(
                document: "hush-document", layer: "hush-layer", user: "hush-user", creatorName: "hush-name",
                id: "hush-token")
            let good = try server.mint.token(claims)
            let forged = String(good.dropLast(6)) + "AAAAAA"
            tokens = [good, forged]
            let text = "hush-text"
            let content = JSON.object(Samples.note(text).object).text
            let bodies = [
                "", "hush-body", #"{"annotations":[{"id":"hush-id","content":\#(content)}]}"#,
                #"{"content":\#(content)}"#, #"{"comments":[{"content":{"text":"\#(text)"}}]}"#,
                #"{"jwts":["hush-revoked"]}"#, #"{"document_id":"hush-document","new_document_id":"hush-copy"}"#,
                #"{"name":"hush-new"}"#, #"{"annotationIds":["hush-id"]}"#,
            ]
            let headers = [("Authorization", #"Token token="hush-secret""#)]
            _ = try await server.send(
                "POST", "/api/documents?document_id=hush-document&title=hush-title",
                headers: headers + [("Content-Type", "application/pdf")], body: Samples.pdf)
            let document = "/api/documents/hush-document"
            let paths =
                [
                    "/api/documents?cursor=hush&title=hush", "/api/revoke", "/api/copy_document", document, "/hush",
                    "/hush%ff",
                ]
                + [
                    "properties", "document_info", "pdf?source=true", "layers", "layers/hush-layer", "annotations",
                    "annotations/hush-id", "annotations/hush-id/comments", "comments", "pages/0/annotations",
                    "document.json", "document.xfdf", "apply_instant_json", "attachments/hush",
                ].flatMap { [document + "/" + $0, document + "/layers/hush-layer/" + $0] }
            for path in paths {
                for method in ["GET", "POST", "PUT"] {
                    for body in bodies where method != "GET" || body.isEmpty {
                        _ = try await server.send(method, path, headers: headers, body: Array(body.utf8))
                    }
                }
                _ = try await server.send("GET", path, headers: [("Authorization", "Token token=hush-guess")])
            }
            for token in [good, forged, "hush.hush.hush"] {
                for path in ["session", "document", "records", "digest?epoch=hush", "attachments/hush", "changes"] {
                    _ = try await server.client(token, path == "changes" ? "POST" : "GET", path, body: Array(text.utf8))
                }
                _ = try await server.push(token, client: "hush-client", [Samples.create(1, "hush-n1", text)])
            }
            #expect(try await server.session(good).head > 0)
        }
        #expect(log.text.split(separator: "\n").count > 100)
        #expect(
            !log.text.lowercased().contains("hush"), "\(log.text.split(separator: "\n").filter { $0.contains("hush") })"
        )
        for token in tokens {
            for part in token.split(separator: ".").dropFirst() { #expect(!log.text.contains(part)) }
        }
    }
}
