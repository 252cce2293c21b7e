import Foundation
import InstantCore
import Synchronization
import Testing

@testable import Instant

/// Network, server and second-process faults during a PDF download.
@Suite(.timeLimit(.minutes(15))) struct DownloadFaultTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ server: FakeServer) throws -> (InstantClient, InstantDocumentDescriptor) {
        let client = try InstantClient(
            serverURL: server.url, dataDirectory: folder.url,
            environment: Environment(now: Environment.system.now, downloadPause: { _ in 1 }))
        return (client, try client.documentDescriptor(forJWT: token()))
    }

    /// - Returns: The error of the download; nil on success.
    private func download(_ descriptor: InstantDocumentDescriptor) async throws -> InstantError? {
        let events = descriptor.events
        try descriptor.download(usingJWT: token())
        return try await wait(in: events) { event -> InstantError?? in
            switch event {
            case .didFinishDownload: .some(nil)
            case .didFailDownload(let error): .some(error)
            default: nil
            }
        }
    }

    @Test func aResetAtEachMegabyteOnlyTakesLonger() async throws {
        let pdf = FakePDF(count: 6 << 20)
        let server = try plainServer(pdf) { request in
            guard request.path.hasSuffix("/document") else { return nil }
            var answer = document(pdf, request)
            answer.cutAfter = 1 << 20
            return answer
        }
        let (client, descriptor) = try open(server)
        #expect(try await download(descriptor) == nil)
        #expect(FileManager.default.contents(atPath: try #require(descriptor.pdfPath)) == Data(pdf.bytes))
        // Each attempt resumes near the point where the last one was cut; bytes lost to a reset are fetched again.
        #expect(server.requests.count { $0.path.hasSuffix("/document") } <= 12)
        withExtendedLifetime(client) {}
    }

    /// The response is shorter than it declares; each attempt resumes, and the download finally reports the error.
    @Test func anAnswerShorterThanDeclaredIsNotTheFile() async throws {
        let pdf = FakePDF(count: 10_000)
        let server = try plainServer(pdf) { request in
            guard request.path.hasSuffix("/document") else { return nil }
            guard request.headers["range"] == nil else {
                return FakeServer.Answer(
                    status: 206, headers: ["content-range": "bytes 9000-9999/10000", "etag": "\"\(pdf.sha256)\""])
            }
            return FakeServer.Answer(headers: ["etag": "\"\(pdf.sha256)\""], body: Array(pdf.bytes[..<9000]))
        }
        let (client, descriptor) = try open(server)
        let error = try #require(try await download(descriptor))
        #expect(error.message.contains("interrupted at 9000 of 10000"))
        #expect(descriptor.pdfPath == nil)
        withExtendedLifetime(client) {}
    }

    /// The file on the server changes between two responses.
    @Test func anETagThatChangesOnTheWayStartsWithTheNewFile() async throws {
        let (old, new) = (FakePDF(count: 40_000), FakePDF(count: 50_000))
        let isReplaced = Mutex(false)
        let server = try plainServer(old) { request in
            let isNew = isReplaced.withLock { $0 }
            switch request.path {
            case "/instant/v1/session": return session(isNew ? new : old, request)
            case "/instant/v1/document":
                isReplaced.withLock { $0 = true }
                var answer = document(isNew ? new : old, request)
                if !isNew { answer.cutAfter = 20_000 }
                return answer
            default: return nil
            }
        }
        let (client, descriptor) = try open(server)
        #expect(try await download(descriptor) == nil)
        #expect(FileManager.default.contents(atPath: try #require(descriptor.pdfPath)) == Data(new.bytes))
        withExtendedLifetime(client) {}
    }

    @Test func twoClientsOfOneFolderEndUpWithOneFile() async throws {
        let pdf = FakePDF(count: 3 << 20)
        let server = try plainServer(pdf)
        let (one, first) = try open(server)
        let other = try InstantClient(
            serverURL: server.url, dataDirectory: folder.url,
            environment: Environment(now: Environment.system.now, downloadPause: { _ in 1 }))
        let second = try other.documentDescriptor(forJWT: token(layer: "review"))
        async let here = download(first)
        let events = second.events
        try second.download(usingJWT: token(layer: "review"))
        try await wait(in: events) { $0 == .didFinishDownload ? () : nil }
        #expect(try await here == nil)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path + "/pdfs") == [pdf.sha256 + ".pdf"])
        #expect(FileManager.default.contents(atPath: try #require(second.pdfPath)) == Data(pdf.bytes))
        withExtendedLifetime((one, other)) {}
    }

    /// Sizes and hashes that a session response may claim.
    @Test(arguments: [
        (#""pdfBytes":3000000000"#, InstantError.Kind.payloadLimitExceeded),
        (#""pdfSha256":"../../../etc/passwd""#, .invalidServerData),
        (#""pdfSha256":"\#(String(repeating: "A", count: 64))""#, .invalidServerData),
    ])
    func aFileThatCannotBeIsNotFetched(_ claim: String, _ kind: InstantError.Kind) async throws {
        let pdf = FakePDF(count: 100)
        let server = try plainServer(pdf) { request in
            guard request.path.hasSuffix("/session") else { return nil }
            var answer = session(pdf, request)
            let name = claim.prefix { $0 != ":" }
            let text = String(decoding: answer.body, as: UTF8.self)
            guard let start = text.range(of: name), let end = text[start.upperBound...].firstIndex(of: ",") else {
                return nil
            }
            answer.body = Array(text.replacingCharacters(in: start.lowerBound..<end, with: claim).utf8)
            return answer
        }
        let (client, descriptor) = try open(server)
        #expect(try await download(descriptor)?.kind == kind)
        #expect(!server.requests.contains { $0.path.hasSuffix("/document") })
        withExtendedLifetime(client) {}
    }

    @Test func aFileOfZeroBytesIsAFile() async throws {
        let pdf = FakePDF(count: 0)
        let server = try plainServer(pdf)
        let (client, descriptor) = try open(server)
        #expect(try await download(descriptor) == nil)
        #expect(FileManager.default.contents(atPath: try #require(descriptor.pdfPath)) == Data())
        withExtendedLifetime((client, server)) {}
    }
}
