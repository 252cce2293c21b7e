import Annotations
import Foundation
import InstantCore
import SyncProtocol
import Synchronization
import Testing

@testable import Instant

/// A malicious server or proxy causes a clear error, changes nothing and learns nothing.
@Suite(.timeLimit(.minutes(15))) struct HostileServerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ server: FakeServer) throws -> (InstantClient, InstantDocumentDescriptor) {
        let client = try InstantClient(serverURL: server.url, dataDirectory: folder.url)
        return (client, try client.documentDescriptor(forJWT: token()))
    }

    /// A live client with everything downloaded, then with responses from `answer`.
    private func live(
        _ answer: @escaping @Sendable (FakeServer.Request) -> FakeServer.Answer?
    ) async throws -> (FakeServer, InstantClient, InstantDocumentDescriptor) {
        let isHostile = Flag()
        let server = try plainServer { isHostile.isSet ? answer($0) : nil }
        let (client, descriptor) = try open(server)
        descriptor.delayForSyncingLocalChanges = nil
        let events = descriptor.events
        try descriptor.download(usingJWT: token())
        try await wait(in: events) { $0 == .didFinishDownload ? () : nil }
        try descriptor.performer().settle()
        isHostile.set()
        return (server, client, descriptor)
    }

    private func failure(_ descriptor: InstantDocumentDescriptor) async throws -> InstantError {
        let events = descriptor.events
        descriptor.sync()
        return try await wait(in: events) { if case .didFailSync(let error) = $0 { error } else { nil } }
    }

    /// The client contacts no redirect target, and the token does not leak.
    @Test(arguments: ["/session", "/records", "/changes", "/document"])
    func aRedirectIsNotFollowed(_ route: String) async throws {
        let thief = try FakeServer { _ in .error(404, "not_found") }
        let elsewhere = thief.url.absoluteString
        let server = try plainServer { request in
            guard request.path.hasSuffix(route) else { return nil }
            return FakeServer.Answer(status: 302, headers: ["location": elsewhere + request.path])
        }
        let (client, descriptor) = try open(server)
        let events = descriptor.events
        try descriptor.download(usingJWT: token())
        if route == "/changes" {
            try await wait(in: events) { $0 == .didFinishDownload ? () : nil }
            _ = try descriptor.create(note("mine"))
            descriptor.sync()
        }
        let error = try await wait(in: events) { event -> InstantError? in
            switch event {
            case .didFailReauthentication(let error), .didFailSync(let error), .didFailDownload(let error): error
            default: nil
            }
        }
        #expect(error.kind == (route == "/changes" ? .editsNotSent : .invalidServerData))
        #expect(error.message.contains("redirect"))
        #expect(thief.requests.isEmpty)
        withExtendedLifetime(client) {}
    }

    /// Whatever the response to a push, the edit stays unsent and visible.
    @Test(arguments: [
        ("cut", InstantError.Kind.editsNotSent), ("cut json", .editsNotSent), ("html", .editsNotSent),
        ("gzip", .editsNotSent), ("bomb", .editsNotSent), ("empty", .editsNotSent),
        ("no results", .invalidServerData), ("other results", .invalidServerData), ("429", .requestFailed),
        ("500", .requestFailed), ("400", .editsNotSent), ("deep", .editsNotSent), ("twice", .editsNotSent),
    ])
    func anAnswerThatIsNoneLeavesTheEditWaiting(_ kind: String, _ expected: InstantError.Kind) async throws {
        let (server, client, descriptor) = try await live { request in
            request.path.hasSuffix("/changes") ? Self.answer(kind) : nil
        }
        _ = try descriptor.create(note("mine"))
        let error = try await failure(descriptor)
        #expect(error.kind == expected, "\(error)")
        #expect(!error.message.contains(token()))
        #expect(descriptor.status.unsent == 1)
        #expect(try descriptor.layer.rows(ListQuery(), offset: 0, limit: 9).map(\.text) == ["mine"])
        withExtendedLifetime((client, server)) {}
    }

    private static func answer(_ kind: String) -> FakeServer.Answer {
        let applied = #"{"results":[{"n":1,"status":"applied","revision":1}]}"#
        switch kind {
        case "cut":
            var answer = FakeServer.Answer.json(Array(applied.utf8))
            answer.cutAfter = 20
            return answer
        case "cut json": return .json(Array(applied.utf8.dropLast(9)))
        case "html": return FakeServer.Answer(headers: ["content-type": "text/html"], body: Array("<html>".utf8))
        case "gzip": return FakeServer.Answer(headers: ["content-encoding": "gzip"], body: Array(applied.utf8))
        // The head of a gzip file of zeros; the client does not unpack it.
        case "bomb":
            let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3, 0xED, 0xC1, 1, 1]
            return FakeServer.Answer(
                headers: ["content-encoding": "gzip"], body: head + [UInt8](repeating: 0, count: 1 << 20))
        case "empty": return .json([])
        case "no results": return .json(Array(#"{"results":[]}"#.utf8))
        case "other results": return .json(Array(#"{"results":[{"n":99,"status":"applied","revision":1}]}"#.utf8))
        case "429": return .error(429, "too_many_requests")
        case "500": return .error(500, "internal_error")
        case "400": return .error(400, "bad_request")
        case "deep": return .json(Array((String(repeating: "[", count: 9999)).utf8))
        default: return .json(Array(#"{"results":[],"results":[]}"#.utf8))
        }
    }

    @Test func aFirewallIsNotTakenForTheServer() async throws {
        let (server, client, descriptor) = try await live { request in
            guard request.path.hasSuffix("/changes") else { return nil }
            var answer = FakeServer.Answer(headers: ["content-type": "text/html"], body: Array("<html>".utf8))
            answer.status = 403
            return answer
        }
        _ = try descriptor.create(note("mine"))
        let error = try await failure(descriptor)
        #expect(error == InstantError(.editsNotSent, "something between here and 127.0.0.1 answers 403"))
        try descriptor.performer().settle()
        #expect(descriptor.status.connection == .live)
        withExtendedLifetime((client, server)) {}
    }

    @Test func askingForPatienceIsGranted() async throws {
        let (server, client, descriptor) = try await live { request in
            guard request.path.hasSuffix("/changes") else { return nil }
            var answer = FakeServer.Answer.error(429, "too_many_requests")
            answer.headers["retry-after"] = "300"
            return answer
        }
        _ = try descriptor.create(note("mine"))
        _ = try await failure(descriptor)
        try descriptor.performer().settle()
        guard case .offline(let moment) = descriptor.status.connection else {
            Issue.record("\(descriptor.status.connection)")
            return
        }
        #expect(moment.milliseconds - Environment.system.now().milliseconds > 200_000)
        withExtendedLifetime((client, server)) {}
    }

    /// The server rejects the cursor every time.
    @Test func aServerThatKeepsStartingOverIsLeftAlone() async throws {
        let (server, client, descriptor) = try await live { request in
            request.path.hasSuffix("/records") ? .error(410, "epoch_changed") : nil
        }
        _ = try descriptor.create(note("mine"))
        let before = server.requests.count
        let error = try await failure(descriptor)
        #expect(error.kind == .invalidServerData)
        // A few retries, each after a pause, may have happened by now, but no endless loop.
        #expect(server.requests.count - before < 60)
        #expect(try descriptor.layer.rows(ListQuery(), offset: 0, limit: 9).map(\.text) == ["mine"])
        withExtendedLifetime(client) {}
    }

    /// The token is refused on one route only: the client requests a new one and drops nothing.
    @Test(arguments: ["token_expired", "token_revoked", "signature_invalid", "nonsense"])
    func aTokenThatIsRefusedInTheMiddleIsAskedFor(_ reason: String) async throws {
        let (server, client, descriptor) = try await live { request in
            request.path.hasSuffix("/changes") ? .error(401, reason) : nil
        }
        _ = try descriptor.create(note("mine"))
        let events = descriptor.events
        descriptor.sync()
        _ = try await wait(in: events) { if case .didFailAuthentication(let need) = $0 { need } else { nil } }
        #expect(descriptor.status.unsent == 1)
        let asked = server.requests.count
        descriptor.sync()
        descriptor.retryNow()
        try descriptor.performer().settle()
        #expect(server.requests.count == asked)
        withExtendedLifetime(client) {}
    }

    /// A clock that is a day off in either direction changes neither what is shown nor what is sent.
    @Test(arguments: [-86_400_000, 86_400_000] as [Int64]) func aClockADayOffIsTolerated(_ offset: Int64) async throws {
        let pdf = FakePDF(count: 100)
        let server = try plainServer(pdf)
        let client = try InstantClient(
            serverURL: server.url, dataDirectory: folder.url,
            environment: Environment(now: { Environment.system.now() + offset }))
        let descriptor = try client.documentDescriptor(forJWT: token())
        let events = descriptor.events
        descriptor.delayForSyncingLocalChanges = .zero
        try descriptor.download(usingJWT: token())
        try await wait(in: events) { $0 == .didFinishDownload ? () : nil }
        _ = try descriptor.create(note("mine"))
        try await wait(in: events) { _ in descriptor.status.unsent == 0 ? () : nil }
        #expect(descriptor.status.connection == .live)
    }
}

/// A flag that is set once and visible to every thread.
private final class Flag: Sendable {
    private let state = Mutex(false)
    var isSet: Bool { state.withLock { $0 } }
    func set() { state.withLock { $0 = true } }
}
