import Annotations
import FaultProxy
import Foundation
import InstantCore
import TestSupport
import TestThreads
import Testing

@testable import Instant

/// Files go on behind what the server has, whatever happens to their connections.
@Suite(.timeLimit(.minutes(15))) struct FileUploadTests {
    private static let bytes = Data((0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 9) })

    private func image(_ id: AttachmentID) -> Content {
        note("a picture").changing {
            $0["type"] = "pspdfkit/image"
            $0["imageAttachmentId"] = .string(id.hex)
            $0["contentType"] = "image/png"
        }
    }

    /// Sends a file through a proxy with this fault on each connection.
    ///
    /// - Returns: the requests that carried it: their number, and those that were not answered with 200.
    private func send(through fault: Fault) async throws -> (puts: Int, failed: Int) {
        let folder = try TemporaryFolder()
        let server = try await LiveServer.withDocument(in: folder)
        let proxy = try await FaultProxy(to: server.port)
        let ana = try await Person(server, try server.token("ana"), through: URL(string: proxy.url))
        proxy.follow { _ in fault }
        proxy.cut()
        let file = try ana.descriptor.editableDocument.addAttachment(Self.bytes)
        _ = try ana.descriptor.create(image(file))
        try await ana.see { ana.descriptor.status.unsent == 0 && ana.descriptor.documentState == .clean }
        let bo = try await Person(server, try server.token("bo"))
        #expect(try await bo.descriptor.editableDocument.loadAttachment(file) == Self.bytes)
        let puts = ana.descriptor.recentRequests.filter { $0.method == "PUT" }
        try await server.stop()
        return (puts.count, puts.count { $0.outcome != "200" })
    }

    @Test func aFileGoesOnWhereItsConnectionWasCut() async throws {
        let sent = try await send(through: .reset(after: 500_000, .up))
        // Four connections suffice if each brings all that it carries.
        #expect(sent.failed >= 2 && sent.puts <= 20, "\(sent)")
    }

    @Test func partsPassAProxyThatTakesNoLargeBody() async throws {
        let sent = try await send(through: .limit(bodyBytes: 200_000))
        #expect(sent.failed <= 3 && sent.puts > 8, "\(sent)")
    }

    // MARK: What a server says

    private func answer(_ status: String, _ fields: String = "", _ body: String = "") -> ScriptedServer.Step {
        .say("HTTP/1.1 \(status)\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    /// Returns the first line of each request with the range that it sends.
    private func requests(_ steps: [ScriptedServer.Step]) async throws -> (requests: [String], failure: SyncFailure?) {
        let folder = try TemporaryFolder()
        let files = AttachmentFiles(layer: folder.path)
        let bytes = Data(repeating: UInt8(ascii: "x"), count: 100_000)
        let file = try files.add(bytes)
        var failure: SyncFailure?
        var texts: [String] = []
        try await ScriptedServer.run(steps) { server, transport in
            do throws(SyncFailure) { _ = try await transport.upload(file, from: files, token: "t") { _, _ in } } catch {
                failure = error
            }
            texts = server.texts
        }
        let lines = texts.map { text in
            let range = text.firstMatch(of: /content-range: ([^\r]*)/.ignoresCase()).map { " \($0.1)" } ?? ""
            return "\(text.prefix { $0 != " " })\(range)"
        }
        return (lines, failure)
    }

    @Test func aServerThatTellsNothingGetsTheWholeFile() async throws {
        let sent = try await requests([answer("404 Not Found"), answer("200 OK", "", "{}")])
        #expect(sent.requests == ["HEAD", "PUT"] && sent.failure == nil, "\(sent)")
    }

    @Test func whatTheServerHasIsNotSentAgain() async throws {
        let part = try await requests([answer("404 Not Found", "Upload-Offset: 70000\r\n"), answer("200 OK", "", "{}")])
        #expect(part.requests == ["HEAD", "PUT bytes 70000-99999/100000"] && part.failure == nil, "\(part)")
        let whole = try await requests([answer("404 Not Found", "Upload-Offset: 100000\r\nUpload-Complete: ?1\r\n")])
        #expect(whole.requests == ["HEAD"] && whole.failure == nil, "\(whole)")
    }

    /// Nobody has compared the bytes with the name of the file.
    @Test(arguments: [100_000, 100_001, -1]) func onlyTheServerSaysThatAFileIsComplete(_ offset: Int) async throws {
        let sent = try await requests([
            answer("404 Not Found", "Upload-Offset: \(offset)\r\n"), answer("200 OK", "", "{}"),
        ])
        #expect(sent.requests == ["HEAD", "PUT"] && sent.failure == nil, "\(sent)")
    }

    @Test(arguments: ["429 Too Many Requests", "502 Bad Gateway", "503 Service Unavailable", "504 Gateway Timeout"])
    func aBusyServerIsLeftAlone(_ status: String) async throws {
        let sent = try await requests([answer(status, "Retry-After: 7\r\n")])
        #expect(sent.requests == ["HEAD"], "\(sent)")
        guard case .unreachable(_, 7000)? = sent.failure else {
            Issue.record("\(sent)")
            return
        }
    }

    /// It would be refused for good, although parts may pass.
    @Test func aProxyThatTakesNoLargeBodyDoesNotSayThatTheFileIsTooLarge() async throws {
        let sent = try await requests([
            answer("404 Not Found", "Upload-Offset: 0\r\n"), answer("413 Content Too Large"),
            answer("503 Service Unavailable", "Retry-After: 7\r\n"),
        ])
        #expect(sent.requests == ["HEAD", "PUT", "HEAD"])
        guard case .unreachable(_, 7000)? = sent.failure else {
            Issue.record("\(sent)")
            return
        }
    }

    @Test func aFirewallThatRefusesPartsGetsTheWholeFile() async throws {
        let page = "<html>Forbidden</html>"
        let sent = try await requests([
            answer("404 Not Found", "Upload-Offset: 70000\r\n"), answer("403 Forbidden", "", page),
            answer("200 OK", "", "{}"),
        ])
        #expect(sent.requests == ["HEAD", "PUT bytes 70000-99999/100000", "PUT"] && sent.failure == nil, "\(sent)")
        let refused = try await requests([
            answer("404 Not Found", "Upload-Offset: 70000\r\n"), answer("403 Forbidden", "", page),
            answer("413 Content Too Large", "", page),
        ])
        #expect(refused.requests.count == 3 && refused.failure == .tooLarge, "\(refused)")
    }

    @Test func aPartThatDoesNotFitIsSentWithTheRest() async throws {
        let refused = #"{"error":{"reason":"invalid","description":"the SHA-256 does not match"}}"#
        let sent = try await requests([
            answer("404 Not Found", "Upload-Offset: 70000\r\n"), answer("422 Unprocessable Entity", "", refused),
            answer("200 OK", "", "{}"),
        ])
        #expect(sent.requests == ["HEAD", "PUT bytes 70000-99999/100000", "PUT"] && sent.failure == nil, "\(sent)")
        let damaged = try await requests([
            answer("404 Not Found", "Upload-Offset: 0\r\n"), answer("422 Unprocessable Entity", "", refused),
        ])
        guard case .attachment? = damaged.failure else {
            Issue.record("\(damaged)")
            return
        }
    }

    @Test func whatIsDamagedHereIsNotSent() async throws {
        let folder = try TemporaryFolder()
        let files = AttachmentFiles(layer: folder.path)
        let file = try files.add(Data("a picture".utf8))
        try Data("a pictura".utf8).write(to: URL(filePath: files.path(file)))
        try await ScriptedServer.run([]) { server, transport in
            await #expect(throws: SyncFailure.attachment("its attachment is damaged on this machine")) {
                try await transport.upload(file, from: files, token: "t") { _, _ in }
            }
            #expect(server.texts.isEmpty)
        }
    }

    /// Another device sends the same file.
    @Test func aServerThatHasMoreMeanwhileIsAskedAgain() async throws {
        let refused = #"{"error":{"reason":"range_not_satisfiable","description":"another part"}}"#
        let sent = try await requests([
            answer("404 Not Found", "Upload-Offset: 70000\r\n"), answer("416 Range Not Satisfiable", "", refused),
            answer("404 Not Found", "Upload-Offset: 90000\r\n"), answer("200 OK", "", "{}"),
        ])
        #expect(
            sent.requests == ["HEAD", "PUT bytes 70000-99999/100000", "HEAD", "PUT bytes 90000-99999/100000"]
                && sent.failure == nil, "\(sent)")
    }

    @Test func aServerThatIsGoneIsNotAskedForEver() async throws {
        let sent = try await requests([answer("404 Not Found", "Upload-Offset: 0\r\n"), .close, .close])
        #expect(sent.requests == ["HEAD", "PUT", "HEAD"], "\(sent)")
        guard case .unreachable? = sent.failure else {
            Issue.record("\(sent)")
            return
        }
    }
}
