import Annotations
import Foundation
import InstantCore
import Synchronization
import Testing

@testable import Instant

@Suite(.timeLimit(.minutes(15))) struct DownloadTests {
    private let folder: TemporaryFolder
    private let pdf = FakePDF.standard

    init() throws { folder = try TemporaryFolder() }

    private func pdfs() -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/pdfs")) ?? []).sorted()
    }

    private func open(_ server: FakeServer) throws -> (InstantClient, InstantDocumentDescriptor) {
        let client = try InstantClient(
            serverURL: server.url, dataDirectory: folder.url,
            environment: Environment(now: Environment.system.now, downloadPause: { _ in 1 }))
        return (client, try client.documentDescriptor(forJWT: token()))
    }

    @Test func fetchesPDFAndRecordsAndTellsHowFarItIs() async throws {
        let server = try plainServer(pdf)
        let (client, descriptor) = try open(server)
        #expect(!descriptor.isDownloaded)
        let events = descriptor.events
        try descriptor.download(usingJWT: token())
        var received: [Int64] = []
        for await event in events {
            if case .didMakeProgress(let progress) = event { received.append(progress.received) }
            if event == .didFinishDownload { break }
        }
        #expect(received.last == Int64(pdf.bytes.count))
        #expect(received == received.sorted())
        #expect(descriptor.isDownloaded)
        #expect(pdfs() == [pdf.sha256 + ".pdf"])
        #expect(FileManager.default.contents(atPath: try #require(descriptor.pdfPath)) == Data(pdf.bytes))
        #expect(throws: InstantError(.alreadyDownloaded, "this layer is already on this machine")) {
            try descriptor.download(usingJWT: token())
        }
        withExtendedLifetime(client) {}
    }

    @Test func goesOnWhereItWasCut() async throws {
        let pdf = pdf
        let server = try plainServer(pdf) { request in
            guard request.path.hasSuffix("/document"), request.headers["range"] == nil else { return nil }
            var answer = document(pdf, request)
            answer.cutAfter = 120_000
            return answer
        }
        let (client, descriptor) = try open(server)
        let events = descriptor.events
        try descriptor.download(usingJWT: token())
        try await wait(in: events) { $0 == .didFinishDownload ? () : nil }
        let ranges = server.requests.filter { $0.path.hasSuffix("/document") }.map { $0.headers["range"] }
        #expect(ranges.count == 2)
        #expect(ranges.last??.hasPrefix("bytes=") == true)
        #expect(pdfs() == [pdf.sha256 + ".pdf"])
        withExtendedLifetime(client) {}
    }

    /// A resumed download yields the right file, whatever the server does.
    @Test(arguments: ["a whole answer", "a wrong range", "not satisfiable", "a longer part than the whole"])
    func startsOver(_ trouble: String) async throws {
        let pdf = pdf
        let server = try plainServer(pdf) { request in
            guard request.path.hasSuffix("/document"), request.headers["range"] != nil else { return nil }
            switch trouble {
            case "a whole answer": return FakeServer.Answer(body: pdf.bytes)
            case "a wrong range":
                return FakeServer.Answer(
                    status: 206, headers: ["content-range": "bytes 0-9/10"], body: Array(pdf.bytes[..<10]))
            case "not satisfiable": return .error(416, "range_not_satisfiable")
            default: return nil
            }
        }
        let (client, descriptor) = try open(server)
        try FileManager.default.createDirectory(atPath: folder.path + "/pdfs", withIntermediateDirectories: true)
        let left = trouble == "a longer part than the whole" ? pdf.bytes + [1] : Array(pdf.bytes[..<5000])
        try Data(left).write(to: URL(fileURLWithPath: folder.path + "/pdfs/\(pdf.sha256).part"))
        let events = descriptor.events
        try descriptor.download(usingJWT: token())
        try await wait(in: events) { $0 == .didFinishDownload ? () : nil }
        #expect(FileManager.default.contents(atPath: try #require(descriptor.pdfPath)) == Data(pdf.bytes))
        withExtendedLifetime(client) {}
    }

    @Test(arguments: ["damaged", "longer", "compressed", "forbidden"])
    func doesNotTake(_ trouble: String) async throws {
        let pdf = pdf
        let server = try plainServer(pdf) { request in
            guard request.path.hasSuffix("/document") else { return nil }
            switch trouble {
            case "damaged": return FakeServer.Answer(body: pdf.bytes.reversed())
            case "longer": return FakeServer.Answer(body: pdf.bytes + [0])
            case "compressed": return FakeServer.Answer(headers: ["content-encoding": "gzip"], body: pdf.bytes)
            default: return .error(403, "insufficient_scope", "no download")
            }
        }
        let (client, descriptor) = try open(server)
        let events = descriptor.events
        try descriptor.download(usingJWT: token())
        let error = try await wait(in: events) { event -> InstantError? in
            if case .didFailDownload(let error) = event { error } else { nil }
        }
        #expect(!error.message.isEmpty)
        #expect(descriptor.pdfPath == nil)
        #expect(!pdfs().contains(pdf.sha256 + ".pdf"))
        withExtendedLifetime(client) {}
    }

    @Test func aPDFThatIsReplacedMeanwhileIsAskedForAnew() async throws {
        let (old, new) = (FakePDF(count: 50_000), FakePDF(count: 60_000))
        let sessions = Mutex(0)
        let server = try plainServer(new) { request in
            guard request.path.hasSuffix("/session") else { return nil }
            let isFirst = sessions.withLock { sessions in
                sessions += 1
                return sessions == 1
            }
            return isFirst ? session(old, request) : nil
        }
        let (client, descriptor) = try open(server)
        let events = descriptor.events
        try descriptor.download(usingJWT: token())
        try await wait(in: events) { $0 == .didFinishDownload ? () : nil }
        #expect(FileManager.default.contents(atPath: try #require(descriptor.pdfPath)) == Data(new.bytes))
        withExtendedLifetime(client) {}
    }

    @Test func aServerThatNeverSendsWhatItAnnouncedIsGivenUp() async throws {
        let other = FakePDF(count: 10)
        let server = try plainServer(pdf) { request in
            request.path.hasSuffix("/document") ? document(other, request) : nil
        }
        let (client, descriptor) = try open(server)
        let events = descriptor.events
        try descriptor.download(usingJWT: token())
        let error = try await wait(in: events) { event -> InstantError? in
            if case .didFailDownload(let error) = event { error } else { nil }
        }
        #expect(error.kind == .invalidServerData)
        withExtendedLifetime(client) {}
    }

    @Test func cancellingKeepsWhatHasArrived() async throws {
        let pdf = pdf
        let server = try plainServer(pdf) { request in
            guard request.path.hasSuffix("/document"), request.headers["range"] == nil else { return nil }
            var answer = document(pdf, request)
            answer.cutAfter = 100_000
            answer.holds = true
            return answer
        }
        let (client, descriptor) = try open(server)
        let events = descriptor.events
        try descriptor.download(usingJWT: token())
        try await wait(in: events) { event in
            if case .didMakeProgress(let progress) = event, progress.received == 0 { () } else { nil }
        }
        try #require(descriptor.downloadProgress).cancel()
        try await wait(in: events) { $0 == .didCancelDownload ? () : nil }
        server.release()
        descriptor.sync()
        try await wait(in: events) { $0 == .didFinishSync ? () : nil }
        #expect(descriptor.pdfPath == nil)
        try descriptor.download(usingJWT: token())
        try await wait(in: events) { $0 == .didFinishDownload ? () : nil }
        withExtendedLifetime(client) {}
    }

    /// While the cancelled attempt still reads.
    @Test(arguments: ["progress", "awaiting"])
    func aDownloadAskedForRightAfterACancellationStarts(_ way: String) async throws {
        let pdf = pdf
        let isFirst = Mutex(true)
        let server = try plainServer(pdf) { request in
            guard request.path.hasSuffix("/document"),
                isFirst.withLock({ first in
                    defer { first = false }
                    return first
                })
            else { return nil }
            var answer = document(pdf, request)
            answer.cutAfter = 100_000
            answer.holds = true
            return answer
        }
        let (client, descriptor) = try open(server)
        let events = descriptor.events
        let awaiting = Task {
            if way == "awaiting" {
                try await descriptor.downloadAndWait(usingJWT: token())
            } else {
                try descriptor.download(usingJWT: token())
            }
        }
        try await wait(in: events) { event in
            if case .didMakeProgress(let progress) = event, progress.received == 0 { () } else { nil }
        }
        if way == "awaiting" { awaiting.cancel() } else { try #require(descriptor.downloadProgress).cancel() }
        try descriptor.download(usingJWT: token())
        try await wait(in: events) { $0 == .didFinishDownload ? () : nil }
        #expect(FileManager.default.contents(atPath: try #require(descriptor.pdfPath)) == Data(pdf.bytes))
        #expect(server.requests.count { $0.path.hasSuffix("/document") } == 2)
        server.release()
        withExtendedLifetime(client) {}
    }

    /// After a power failure, for example: the server has done nothing wrong.
    @Test func aDamagedBeginningIsFetchedAnew() async throws {
        let server = try plainServer(pdf)
        let (client, descriptor) = try open(server)
        try FileManager.default.createDirectory(atPath: folder.path + "/pdfs", withIntermediateDirectories: true)
        try Data(count: 5000).write(to: URL(fileURLWithPath: folder.path + "/pdfs/\(pdf.sha256).part"))
        let events = descriptor.events
        try descriptor.download(usingJWT: token())
        let failure = try await wait(in: events) { event -> InstantError?? in
            switch event {
            case .didFinishDownload: .some(nil)
            case .didFailDownload(let error): .some(error)
            default: nil
            }
        }
        #expect(failure == nil)
        let ranges = server.requests.filter { $0.path.hasSuffix("/document") }.map { $0.headers["range"] }
        #expect(ranges == ["bytes=5000-", nil])
        withExtendedLifetime(client) {}
    }

    /// The pause after a failure does not last as long as the jump.
    @Test func aClockThatIsSetBackDelaysNoDownload() async throws {
        let pdf = pdf
        let back = Mutex<Int64>(0)
        let server = try plainServer(pdf) { request in
            guard request.path.hasSuffix("/document"), request.headers["range"] == nil else { return nil }
            var answer = document(pdf, request)
            answer.cutAfter = 120_000
            return answer
        }
        let client = try InstantClient(
            serverURL: server.url, dataDirectory: folder.url,
            environment: Environment(
                now: { Environment.system.now() + -back.withLock { $0 } },
                downloadPause: { _ in
                    back.withLock { $0 = 86_400_000 }
                    return 1
                }))
        let descriptor = try client.documentDescriptor(forJWT: token())
        let events = descriptor.events
        try descriptor.download(usingJWT: token())
        try await wait(in: events) { $0 == .didFinishDownload ? () : nil }
        withExtendedLifetime(client) {}
    }

    @Test func neverWritesThroughALink() async throws {
        let server = try plainServer(pdf)
        let (client, descriptor) = try open(server)
        let target = folder.path + "/precious"
        try Data("precious".utf8).write(to: URL(fileURLWithPath: target))
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/pdfs/\(pdf.sha256).part", withDestinationPath: target)
        let events = descriptor.events
        try descriptor.download(usingJWT: token())
        let error = try await wait(in: events) { event -> InstantError? in
            if case .didFailDownload(let error) = event { error } else { nil }
        }
        #expect(error.kind == .couldNotWriteToDisk)
        #expect(FileManager.default.contents(atPath: target) == Data("precious".utf8))
        withExtendedLifetime(client) {}
    }

    @Test func aPDFThatAnotherLayerFetchedIsNotFetchedAgain() async throws {
        let server = try plainServer(pdf)
        let client = try InstantClient(serverURL: server.url, dataDirectory: folder.url)
        for layer in ["", "review"] {
            let jwt = token(layer: layer, user: layer.isEmpty ? nil : "bo")
            let descriptor = try client.documentDescriptor(forJWT: jwt)
            let events = descriptor.events
            try descriptor.download(usingJWT: jwt)
            try await wait(in: events) { $0 == .didFinishDownload ? () : nil }
        }
        #expect(server.requests.count { $0.path.hasSuffix("/document") } == 1)
    }

    @Test func aTokenWithoutDownloadIsRefusedBeforeAnyRequest() throws {
        let server = try plainServer(pdf)
        let (client, descriptor) = try open(server)
        do throws(InstantError) {
            try descriptor.download(usingJWT: token(permissions: #"["read-document"]"#))
            Issue.record("it was accepted")
        } catch { #expect(error.kind == .accessDenied) }
        #expect(server.requests.isEmpty)
        withExtendedLifetime(client) {}
    }
}
