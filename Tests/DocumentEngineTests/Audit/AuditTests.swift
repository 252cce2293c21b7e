import Annotations
import Crypto
import Foundation
import SyncProtocol
import TestThreads
import Testing

@testable import DocumentEngine

/// Who did what, in the audit log of a real server.
@Suite("The audit log", .timeLimit(.minutes(15))) struct AuditTests {
    /// The lines of the log once there are `count`.
    private static func lines(_ path: String, _ count: Int) async throws -> [JSON] {
        var text = ""
        try await waitUntil("the audit log has \(count) lines") {
            text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            return text.split(separator: "\n").count >= count && text.hasSuffix("\n")
        }
        return try text.split(separator: "\n").map { try JSON(parsing: String($0)) }
    }

    private static func run(
        _ change: (inout Server.Options) -> Void = { _ in },
        _ body: (RunningServer, _ path: String) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/audit.jsonl"
        try await RunningServer.run(folder: folder) {
            $0.auditLog = path
            change(&$0)
        } _: { server in
            try await body(server, path)
        }
    }

    @Test func everyAuditedActionIsOneLine() async throws {
        try await Self.run { server, path in
            let token = try server.mint.token(TokenClaims(user: "ana", id: "t-1"))
            try await server.upload()
            _ = try await server.client(token, "GET", "document", headers: [("X-Request-Id", "r-1")])
            _ = try await server.backend("GET", "/api/documents/doc/layers/review/pdf?source=true")
            _ = try await server.push(token, [Samples.create(1, "a"), Samples.create(2, "b"), Samples.create(3, "c")])
            let annotations = "/api/documents/doc/layers/review/annotations"
            _ = try await server.backend("DELETE", annotations + "/a")
            _ = try await server.backend("DELETE", annotations, json: #"{"annotationIds":["b","nothing"]}"#)
            _ = try await server.backend("DELETE", annotations, json: #"{"annotationIds":"all"}"#)
            _ = try await server.backend("POST", "/api/revoke", json: #"{"jwts":["\#(token)","t-2"]}"#)
            _ = try await server.backend("DELETE", "/api/documents/doc/layers/review")
            _ = try await server.backend("DELETE", "/api/documents/doc")
            _ = try await server.backend("DELETE", "/api/documents/doc")
            server.server.reload(keys: [try await VerificationKey(pem: Mint.edDSA().publicPEM)], secrets: [])
            let lines = try await Self.lines(path, 11)
            let told = lines.map { line in
                ["action", "plane", "document_id", "layer", "outcome"].map { line[$0]?.string ?? "-" }
                    .joined(separator: " ")
            }
            #expect(
                told == [
                    "upload backend doc - done", "read_pdf sync doc review done", "read_pdf backend doc review done",
                    "delete_records backend doc review done", "delete_records backend doc review done",
                    "delete_records backend doc review done", "revoke backend - - done",
                    "delete_layer backend doc review done", "delete_document backend doc - done",
                    "delete_document backend doc - document_not_found", "reload server - - done",
                ])
            #expect(lines.allSatisfy { $0["time"]?.string == "2027-01-15T08:00:00.000Z" })
            let read = lines[1]
            #expect((read["user_id"], read["jti"], read["request_id"]) == ("ana", "t-1", "r-1"))
            #expect((read["address"], read["status"]?.integer) == ("127.0.0.1", 200))
            #expect(lines[0]["secret"]?.integer == 1)
            // The last one also deletes the two annotations of the PDF.
            #expect(lines[3...6].map { $0["count"]?.integer } == [1, 1, 3, 2])
            #expect(lines[6]["jtis"] == ["t-1", "t-2"])
            #expect(lines[9]["status"]?.integer == 404)
            #expect(lines[10]["added_keys"]?.array?.count == 1 && lines[10]["removed_keys"]?.array?.count == 1)
            let text = try String(contentsOfFile: path, encoding: .utf8)
            for secret in [token, RunningServer.secret, "words"] { #expect(!text.contains(secret)) }
            let rights = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(rights == 0o600)
        }
    }

    /// Exports, attachments and copies; and an import, if it deletes annotations.
    @Test func whatHandsOutContentsIsOneLine() async throws {
        try await Self.run { server, path in
            let picture = Array("a picture".utf8)
            let name = SHA256.hash(data: picture).hexadecimal
            let token = try server.mint.token(TokenClaims(user: "ana", id: "t-1"))
            try await server.upload()
            _ = try await server.client(token, "PUT", "attachments/\(name)", body: picture)
            let image = Samples.note("").changing {
                $0["type"] = "pspdfkit/image"
                $0["imageAttachmentId"] = .string(name)
            }
            let change = Change(n: 1, kind: .create, id: "i", baseRevision: 0, content: image)
            #expect(try await server.push(token, [change]).status == 200)
            for name in [name, String(repeating: "0", count: 64), "none"] {
                _ = try await server.client(token, "GET", "attachments/\(name)")
            }
            _ = try await server.backend("GET", "/api/documents/doc/attachments/\(name)")
            let layer = "/api/documents/doc/layers/review"
            for file in ["document.json", "document.xfdf", "annotations", "pages/0/annotations", "pdf"] {
                _ = try await server.backend("GET", "\(layer)/\(file)")
                _ = try await server.send(
                    "HEAD", "\(layer)/\(file)",
                    headers: [("Authorization", #"Token token="\#(RunningServer.secret)""#)])
            }
            for source in ["doc", "none"] {
                let body = #"{"document_id":"\#(source)","new_document_id":"copy"}"#
                _ = try await server.backend("POST", "/api/copy_document", json: body)
            }
            let layers = "/api/documents/doc/layers"
            for body in [#"{"name":"final","source_layer_name":"review"}"#, #"{"name":"empty"}"#, "{}"] {
                _ = try await server.backend("POST", layers, json: body)
            }
            for skipped in ["[6,999]", "[]"] {
                let file = #"{"format":"https://pspdfkit.com/instant-json/v1","skippedPdfObjectIds":\#(skipped)}"#
                let form = Form([("instant.json", "layer.json", Array(file.utf8))])
                _ = try await server.backend(form, to: "\(layer)/apply_instant_json")
            }
            _ = try await server.backend("DELETE", "/api/documents/copy")
            let lines = try await Self.lines(path, 15)
            let told = lines.map { line in
                let names = ["action", "plane", "document_id", "layer", "new_document_id", "new_layer", "outcome"]
                return names.compactMap { line[$0]?.string }.joined(separator: " ")
            }
            #expect(
                told == [
                    "upload backend doc done", "read_attachment sync doc review done",
                    "read_attachment sync doc review not_found", "read_attachment sync doc review not_found",
                    "read_attachment backend doc done", "export backend doc review done",
                    "export backend doc review done", "export backend doc review done",
                    "export backend doc review done", "read_pdf backend doc review done",
                    "copy_document backend doc copy done", "copy_document backend none copy document_not_found",
                    "copy_layer backend doc review final done", "delete_records backend doc review done",
                    "delete_document backend copy done",
                ])
            let attachments = lines[1...4].map { $0["attachment"]?.string }
            #expect(attachments == [name, String(repeating: "0", count: 64), nil, name])
            #expect(lines[13]["count"]?.integer == 1)
        }
    }

    /// A new route needs an action, or a place in this list because it neither hands out contents in bulk nor removes
    /// any for the backend.
    @Test func everyOtherRouteLeavesNoLine() async throws {
        try await RunningServer.run { server in
            let silent = server.server.routes.filter { $0.audit == nil }.map {
                $0.method.rawValue + " " + $0.pattern.replacing("/layers/{layer}/", with: "/")
            }
            #expect(
                Set(silent) == [
                    "GET /healthcheck", "GET /readiness", "GET /openapi.json", "GET /api/documents",
                    "GET /api/documents/{id}/properties", "GET /api/documents/{id}/layers",
                    "GET /api/documents/{id}/document_info", "POST /api/documents/{id}/annotations",
                    "PUT /api/documents/{id}/annotations", "GET /api/documents/{id}/annotations/{annotation}",
                    "PUT /api/documents/{id}/annotations/{annotation}",
                    "GET /api/documents/{id}/annotations/{root}/comments",
                    "POST /api/documents/{id}/annotations/{root}/comments", "POST /api/documents/{id}/comments",
                    "GET /instant/v1/token", "GET /instant/v1/session", "GET /instant/v1/records",
                    "GET /instant/v1/digest", "POST /instant/v1/changes", "GET /instant/v1/events",
                    "POST /instant/v1/presence", "PUT /instant/v1/attachments/{sha256}",
                ])
        }
    }

    @Test func unauthenticatedRequestsLeaveNoLine() async throws {
        try await Self.run { server, path in
            for _ in 0..<20 {
                _ = try await server.send("DELETE", "/api/documents/doc", headers: [("Authorization", "Token token=x")])
                _ = try await server.client("a.b.c", "GET", "document")
            }
            // Requests that change nothing and read no PDF leave none either.
            _ = try await server.backend("GET", "/api/documents")
            _ = try await server.send("HEAD", "/api/documents/doc/pdf", headers: [])
            try await server.upload()
            #expect(try await Self.lines(path, 1).map { $0["action"]?.string } == ["upload"])
        }
    }

    /// A token without the right to download, and one whose document is gone.
    @Test func refusalsAreLinesWithTheirReason() async throws {
        try await Self.run { server, path in
            try await server.upload()
            for claims in [TokenClaims(permissions: #"["read-document"]"#), TokenClaims(document: "other")] {
                _ = try await server.client(server.mint.token(claims), "GET", "document")
            }
            let lines = try await Self.lines(path, 3)
            #expect(lines.map { $0["outcome"]?.string } == ["done", "insufficient_scope", "document_not_found"])
            #expect(lines.map { $0["status"]?.integer } == [200, 403, 404])
        }
    }

    @Test func behindAProxyTheAddressIsThatOfTheClient() async throws {
        try await Self.run {
            $0.behindProxy = true
        } _: { server, path in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let forwarded = ("X-Forwarded-For", "198.51.100.7, 203.0.113.9")
            _ = try await server.client(token, "GET", "document", headers: [forwarded])
            #expect(try await Self.lines(path, 2)[1]["address"] == "203.0.113.9")
        }
    }

    /// Untrusted names can neither begin a line nor control the terminal that shows the log.
    @Test func hostileNamesStayOnTheirLine() async throws {
        try await Self.run { server, path in
            let document = "a\u{9B}2J\u{202E}\n\"}"
            let token = try server.mint.token(TokenClaims(document: document, id: "t\u{1B}[2J\r\n"))
            _ = try await server.client(token, "GET", "document")
            let lines = try await Self.lines(path, 1)
            #expect(lines.count == 1)
            #expect(lines[0]["document_id"]?.string == document)
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(String(text.dropLast()).isVisible)
        }
    }

    /// Taken for a `jti`, it would be logged and reported as revoked, but stay valid.
    @Test func aDamagedTokenIsNeitherRevokedNorLogged() async throws {
        try await Self.run { server, path in
            let token = try server.mint.token(TokenClaims(id: "t"))
            for text in ["\(token.prefix(100))", "\(token.dropFirst(2))", "Bearer \(token)", "\(token) ", "\(token).x"]
            {
                let answer = try await server.backend("POST", "/api/revoke", json: #"{"jwts":["other","\#(text)"]}"#)
                #expect((answer.status, answer.reason) == (400, "bad_request"), "\(text)")
            }
            #expect(try await server.client(token, "GET", "session").reason == "document_not_found", "not revoked")
            let lines = try await Self.lines(path, 5)
            #expect(lines.allSatisfy { $0["jtis"] == nil && $0["outcome"] == "bad_request" }, "\(lines)")
            _ = try await server.backend("POST", "/api/revoke", json: #"{"jwts":["key.1","\#(token)"]}"#)
            #expect(try await Self.lines(path, 6)[5]["jtis"] == ["key.1", "t"])
        }
    }

    /// Lines before a rotation are in the earlier file, later ones in the new one; none is lost.
    @Test func rotationLosesNothing() async throws {
        try await Self.run { server, path in
            for n in 0..<5 {
                try await server.upload("doc\(n)")
                try FileManager.default.moveItem(atPath: path, toPath: "\(path).\(n)")
                server.server.reopenAuditLog()
                try await waitUntil("a new file exists") { FileManager.default.fileExists(atPath: path) }
            }
            try await server.upload("last")
            for n in 0..<5 {
                #expect(try await Self.lines("\(path).\(n)", 1).map { $0["document_id"]?.string } == ["doc\(n)"])
            }
            #expect(try await Self.lines(path, 1).map { $0["document_id"] } == ["last"])
        }
    }

    /// A stopping server writes the waiting lines.
    @Test func noLineIsMissingAfterShutdown() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/audit.jsonl"
        try await RunningServer.run(folder: folder) {
            $0.auditLog = path
        } _: { server in
            for n in 0..<20 { _ = try await server.upload("doc\(n)") }
        }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.split(separator: "\n").count == 20)
        // A second run appends to the file.
        try await RunningServer.run(folder: folder) {
            $0.auditLog = path
        } _: {
            _ = try await $0.upload("more")
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").count == 21)
    }

    @Test func aFileThatCannotBeOpenedIsAnErrorAtTheStart() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: "/dev/null")
        for path in [folder.path, folder.path + "/none/audit", folder.path + "/link"] {
            let error = await #expect(throws: StoreError.self) {
                try await RunningServer.run {
                    $0.auditLog = path
                } _: { _ in
                }
            }
            #expect(error?.description.hasPrefix("cannot use \(path): ") == true, "\(error.debugDescription)")
        }
    }

    @Test func theMetricsCountLines() async throws {
        try await Self.run {
            $0.metrics = Server.ListenAddress(host: "127.0.0.1", port: 0)
        } _: { server, path in
            try await server.upload()
            _ = try await Self.lines(path, 1)
            try await waitUntil("the line is counted") {
                try await server.figures().contains(#"postilla_audit_lines_total{result="written"} 1"#)
            }
        }
    }
}
