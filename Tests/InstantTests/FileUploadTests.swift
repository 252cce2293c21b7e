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
        #expect(sent.failed >= 2 && sent.puts <= 60, "\(sent)")
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

    /// The bytes may not have been checked against the file's name.
    @Test(arguments: [100_000, 100_001, -1]) func onlyTheServerSaysThatAFileIsComplete(_ offset: Int) async throws {
        let sent = try await requests([
            answer("404 Not Found", "Upload-Offset: \(offset)\r\n"), answer("200 OK", "", "{}"),
        ])
        #expect(sent.requests == ["HEAD", "PUT"] && sent.failure == nil, "\(sent)")
    }

    @Test(arguments: ["429 Too Many Requests", "502 Bad Gateway", "503 Service Unavailable", "504 Gateway Timeout"])
    func aBusyServerIsLeftAlone(_ status: String) async throws {
        for field in ["Retry-After: 7\r\n", ""] {
            let sent = try await requests([answer(status, field)])
            #expect(sent.requests == ["HEAD"], "\(sent)")
            guard case .unreachable(_, let pause)? = sent.failure, field.isEmpty || pause == 7000 else {
                Issue.record("\(sent)")
                return
            }
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
        // Not that the file is too large: parts may pass the next time.
        guard case .invalidServer? = refused.failure, refused.requests.count == 3 else {
            Issue.record("\(refused)")
            return
        }
    }

    @Test func aQuestionThatIsDroppedOnTheWayHoldsNoFileUp() async throws {
        let sent = try await requests([.close, answer("200 OK", "", "{}")])
        #expect(sent.requests == ["HEAD", "PUT"] && sent.failure == nil, "\(sent)")
    }

    @Test func aFileWhoseAnswerWasLostIsComplete() async throws {
        let sent = try await requests([
            answer("404 Not Found", "Upload-Offset: 70000\r\n"), .close,
            answer("404 Not Found", "Upload-Offset: 100000\r\nUpload-Complete: ?1\r\n"),
        ])
        #expect(sent.requests == ["HEAD", "PUT bytes 70000-99999/100000", "HEAD"] && sent.failure == nil, "\(sent)")
    }

    /// A proxy refuses the body before the server has seen the token.
    @Test func aTokenThatHasEndedDoesNotMakeAFileTooLarge() async throws {
        let sent = try await requests([
            answer("401 Unauthorized"), answer("413 Content Too Large", "", "<html>"), answer("401 Unauthorized"),
        ])
        guard case .unreachable? = sent.failure, sent.requests == ["HEAD", "PUT", "HEAD"] else {
            Issue.record("\(sent)")
            return
        }
    }

    @Test func aProxyThatLosesPatienceGetsSmallerParts() async throws {
        let sent = try await requests([
            answer("404 Not Found", "Upload-Offset: 0\r\n"), answer("408 Request Timeout", "", "<html>"),
            answer("404 Not Found", "Upload-Offset: 0\r\n"), answer("200 OK", "", "{}"), answer("200 OK", "", "{}"),
        ])
        #expect(
            sent.requests == [
                "HEAD", "PUT", "HEAD", "PUT bytes 0-65535/100000", "PUT bytes 65536-99999/100000",
            ] && sent.failure == nil, "\(sent)")
    }

    // MARK: Sizes, and what is told

    @Test func partsGrowUpToWhatHasFailed() throws {
        let sizes = PartSizes()
        let file = try #require(AttachmentFiles.id(of: Data("a".utf8)))
        #expect(sizes.most(of: file) == nil)
        sizes.failed(file, 32 << 20)
        #expect(sizes.most(of: file) == 1 << 20)
        sizes.failed(file, 1 << 20)
        #expect(sizes.most(of: file) == 256 << 10)
        sizes.passed(file)
        #expect(sizes.most(of: file) == 512 << 10)
        sizes.passed(file)
        #expect(sizes.most(of: file) == 512 << 10, "1 MB has failed")
        sizes.failed(file, 100_000)
        #expect(sizes.most(of: file) == PartSizes.least)
        sizes.forget(file)
        #expect(!sizes.hasFailed(file))
    }

    @Test func progressIsToldAfterASecondFourTimesASecondAndItsEndOnce() throws {
        var report = UploadReport()
        let (one, other) = (
            try #require(AttachmentFiles.id(of: Data("a".utf8))), try #require(AttachmentFiles.id(of: Data("b".utf8)))
        )
        let start = ContinuousClock.now
        var told: [Int] = []
        for step in 0..<40 {
            let progress = UploadProgress(file: one, sent: Int64(step), total: 40)
            if report.moved(progress, at: start + .milliseconds(50 * step)) { told.append(step) }
        }
        #expect(told == [20, 25, 30, 35])
        // A file that follows at once, and is sent at once: the end of the first is still told.
        let isTold = report.moved(UploadProgress(file: other, sent: 1, total: 9), at: start + .seconds(3))
        #expect(!isTold)
        #expect(report.current == nil)
        let ends = [report.ended(), report.ended()]
        #expect(ends == [true, false])
        let short = [
            report.moved(UploadProgress(file: one, sent: 1, total: 9), at: start + .seconds(4)), report.ended(),
        ]
        #expect(short == [false, false])
    }

    @Test func aPartThatDoesNotFitIsSentWithTheRest() async throws {
        let refused = #"{"error":{"reason":"invalid","description":"the SHA-256 does not match"}}"#
        let sent = try await requests([
            answer("404 Not Found", "Upload-Offset: 70000\r\n"), answer("422 Unprocessable Entity", "", refused),
            answer("200 OK", "", "{}"),
        ])
        #expect(sent.requests == ["HEAD", "PUT bytes 70000-99999/100000", "PUT"] && sent.failure == nil, "\(sent)")
        // It was intact here: it is tried again, and put aside in the end.
        let damaged = try await requests([
            answer("404 Not Found", "Upload-Offset: 0\r\n"), answer("422 Unprocessable Entity", "", refused),
        ])
        #expect(damaged.failure == .invalidServer("something between here and 127.0.0.1 changes the file"))
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
