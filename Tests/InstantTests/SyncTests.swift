import Annotations
import Foundation
import InstantCore
import SyncProtocol
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import Instant

/// The sync of one layer against faulty servers and networks.
@Suite(.timeLimit(.minutes(15))) struct SyncTests {
    /// A proxy withholds everything on the stream.
    @Test func whatCannotBeStreamedIsPolled() async throws {
        let polls = Mutex(0)
        let server = try plainServer { request in
            guard request.path == "/instant/v1/events" else { return nil }
            if request.headers["accept"] == "text/event-stream" {
                return FakeServer.Answer(
                    headers: ["content-type": "text/event-stream", "content-length": "1000"], holds: true)
            }
            let poll = polls.withLock { polls in
                polls += 1
                return polls
            }
            let changes =
                poll == 2
                ? #"[{"id":"n","content":{"v":1,"type":"pspdfkit/note","pageIndex":0,"bbox":[1,2,3,4],"text":"polled"},"createdBy":"bo","updatedBy":"bo","group":null,"revision":1}]"#
                : "[]"
            return FakeServer.Answer(
                headers: ["content-type": "application/json"],
                body: Array(#"{"epoch":"e","changes":\#(changes),"upTo":\#(poll > 1 ? 1 : 0),"more":false}"#.utf8),
                holds: poll > 2)
        }
        defer { server.release() }
        let clock = ManualClock()
        let it = try await Reader(server, Environment(now: { clock.now }))
        try await waitUntil("the stream is requested") {
            server.requests.contains { $0.headers["accept"] == "text/event-stream" }
        }
        let events = it.descriptor.events
        clock.advance(by: 10_000)
        it.descriptor.retryNow()
        try it.descriptor.performer().post(.woke)
        try await wait(in: events) { if case .didChangeRecords(["n"], _) = $0 { () } else { nil } }
        #expect(it.descriptor.status.connection == .live)
    }

    @Test func stoppingEndsWhatIsUnderWay() async throws {
        let isHeld = Mutex(false)
        let server = try plainServer { request in
            guard request.path == "/instant/v1/records", isHeld.withLock({ $0 }) else { return nil }
            return FakeServer.Answer(
                headers: ["content-type": "application/json", "content-length": "1000"], holds: true)
        }
        defer { server.release() }
        let it = try await Reader(server)
        isHeld.withLock { $0 = true }
        let events = it.descriptor.events
        let before = server.requests.count
        it.descriptor.sync()
        try await waitUntil("another request arrives") { server.requests.count != before }
        it.descriptor.stopSyncing()
        try await wait(in: events) { if case .didFailSync = $0 { () } else { nil } }
        #expect(it.descriptor.documentState == .clean)
        // It resumes on request.
        isHeld.withLock { $0 = false }
        it.descriptor.sync()
        try await wait(in: events) { $0 == .didFinishSync ? () : nil }
    }

    @Test func theNetworkComingBackEndsThePause() async throws {
        let isDown = Mutex(false)
        let server = try plainServer { _ in
            // The connection ends in the middle of the answer.
            isDown.withLock { $0 } ? FakeServer.Answer(headers: ["content-length": "1000"]) : nil
        }
        let network = ManualNetwork()
        // The clock is stopped, so no wait ends on its own.
        let it = try await Reader(server, network.environment)
        let events = it.descriptor.events
        isDown.withLock { $0 = true }
        it.descriptor.sync()
        try await wait(in: events) { if case .didFailSync = $0 { () } else { nil } }
        guard case .offline = it.descriptor.status.connection else {
            Issue.record("\(it.descriptor.status.connection)")
            return
        }
        isDown.withLock { $0 = false }
        network.returns()
        // This server has no event stream, so another pause follows soon.
        try await wait(in: events) { $0 == .didFinishSync ? () : nil }
    }

    @Test func aTokenWaitsForTheOneThatIsBeingTried() async throws {
        let server = try plainServer { request in
            request.path == "/instant/v1/session"
                ? FakeServer.Answer(
                    headers: ["content-type": "application/json", "content-length": "1000"], holds: true) : nil
        }
        defer { server.release() }
        let client = try InstantClient(serverURL: server.url, dataDirectory: try TemporaryFolder().url)
        let descriptor = try client.documentDescriptor(forJWT: token())
        let events = descriptor.events
        descriptor.reauthenticate(withJWT: token(more: #","jti":"one""#))
        descriptor.reauthenticate(withJWT: token(more: #","jti":"two""#))
        let error = try await wait(in: events) {
            if case .didFailReauthentication(let error) = $0 { error } else { nil }
        }
        #expect(error.kind == .alreadyAuthenticating)
        // The same token again joins the pending request.
        descriptor.reauthenticate(withJWT: token(more: #","jti":"one""#))
        try descriptor.performer().settle()
        try await waitUntil("a request arrives") { !server.requests.isEmpty }
        // All requests are for one token.
        #expect(Set(server.requests.map { $0.headers["authorization"] }).count == 1)
    }

    /// Whatever the server answers, the edit is kept, the layer stays readable, and an error message gives the cause.
    @Test(arguments: Nonsense.all) func nonsenseLosesNothing(_ nonsense: Nonsense) async throws {
        let isOn = Mutex(false)
        let server = try plainServer { _ in isOn.withLock { $0 } ? nonsense.answer : nil }
        let it = try await Reader(server)
        it.descriptor.delayForSyncingLocalChanges = nil
        _ = try it.descriptor.create(note("mine"))
        isOn.withLock { $0 = true }
        let events = it.descriptor.events
        it.descriptor.sync()
        let error = try await wait(in: events) { if case .didFailSync(let error) = $0 { error } else { nil } }
        #expect(error.kind == nonsense.kind)
        #expect(error.message.contains(nonsense.message), "\(error.message)")
        #expect(it.descriptor.status.unsent == 1)
        isOn.withLock { $0 = false }
        it.descriptor.retryNow()
        it.descriptor.sync()
        try await wait(in: events) { $0 == .didFinishSync ? () : nil }
        #expect(it.descriptor.status.unsent == 0)
    }

    struct Nonsense: CustomTestStringConvertible {
        var testDescription: String
        var answer: FakeServer.Answer
        var kind: InstantError.Kind
        var message: String

        private static let type = ["content-type": "application/json"]
        private static let gzip = type.merging(["content-encoding": "gzip"]) { $1 }
        private static let long = type.merging(["content-length": "\(17 << 20)"]) { $1 }
        private static let moved = ["location": "http://elsewhere.example/"]

        static let all: [Nonsense] = [
            Nonsense(
                testDescription: "JSON that was cut", answer: .json(Array(#"{"results":["#.utf8)),
                kind: .invalidServerData, message: "invalid response"),
            Nonsense(
                testDescription: "fewer bytes than promised",
                answer: .init(headers: ["content-length": "50"], body: Array("{}".utf8)), kind: .requestFailed,
                message: "did not answer"),
            Nonsense(
                testDescription: "a redirect to another host", answer: .init(status: 302, headers: moved),
                kind: .invalidServerData, message: "a redirect to http://elsewhere.example/, which is not followed"),
            Nonsense(
                testDescription: "a bomb of zeros, compressed", answer: .init(headers: gzip, body: [31, 139, 8]),
                kind: .invalidServerData, message: "unrequested encoding"),
            Nonsense(
                testDescription: "more than fits",
                answer: .init(headers: long, body: .init(repeating: 32, count: 17 << 20)),
                kind: .invalidServerData, message: "larger than 16 MB"),
            Nonsense(
                testDescription: "a page of a proxy", answer: .init(status: 502, body: Array("<html>".utf8)),
                kind: .requestFailed, message: "returned 502"),
        ]
    }

    /// A proxy has a smaller size limit than the server, and reports it in its own format or in the server's.
    @Test(arguments: [
        FakeServer.Answer(status: 413, headers: ["content-type": "text/html"], body: Array("<html>".utf8)),
        .error(413, "payload_too_large"),
    ])
    func whatIsTooMuchAtOnceGoesInPieces(_ refusal: FakeServer.Answer) async throws {
        let taken = Mutex<[[Record.ID]]>([])
        let server = try plainServer { request in
            guard let push = try? PushRequest(bytes: request.body) else { return nil }
            guard push.changes.count <= 3 else { return refusal }
            taken.withLock { $0.append(push.changes.map(\.id)) }
            return nil
        }
        let it = try await Reader(server)
        it.descriptor.delayForSyncingLocalChanges = nil
        let made = try (1...10).map { try it.descriptor.create(note("\($0)")).id }
        let events = it.descriptor.events
        it.descriptor.sync()
        try await wait(in: events) { $0 == .didFinishSync ? () : nil }
        #expect(it.descriptor.status.unsent == 0)
        #expect(taken.withLock { $0.flatMap(\.self) } == made, "each once, in order")
    }

    @Test func aServerThatIsBusyIsLeftAlone() async throws {
        let isBusy = Mutex(false)
        let server = try plainServer { _ in
            guard isBusy.withLock({ $0 }) else { return nil }
            var answer = FakeServer.Answer.error(429, "too_many_requests")
            answer.headers["retry-after"] = "60"
            return answer
        }
        let clock = ManualClock()
        let it = try await Reader(server, Environment(now: { clock.now }))
        isBusy.withLock { $0 = true }
        let events = it.descriptor.events
        it.descriptor.sync()
        try await wait(in: events) { if case .didFailSync = $0 { () } else { nil } }
        #expect(it.descriptor.status.connection == .offline(retryAt: clock.now + 60_000))
        let asked = server.requests.count
        it.descriptor.retryNow()
        it.descriptor.sync()
        try it.descriptor.performer().settle()
        #expect(server.requests.count == asked)
    }

    /// The edit waits, the user is told why, and the edit is sent at the time that the server named.
    @Test func aServerWhoseDiskIsFullGetsTheEditLater() async throws {
        let isFull = Mutex(true)
        let server = try plainServer { request in
            if request.path == "/instant/v1/events" {
                return FakeServer.Answer(
                    headers: ["content-type": "text/event-stream", "content-length": "1000"], holds: true)
            }
            guard request.path.hasSuffix("/changes"), isFull.withLock({ $0 }) else { return nil }
            var answer = FakeServer.Answer.json(ErrorAnswer(.storageFull, "the server's disk is full").bytes)
            (answer.status, answer.headers["retry-after"]) = (503, "30")
            return answer
        }
        defer { server.release() }
        let clock = ManualClock()
        let it = try await Reader(server, Environment(now: { clock.now }))
        let events = it.descriptor.events
        let mine = try it.descriptor.create(note("mine"))
        it.descriptor.sync()
        let error = try await wait(in: events) { if case .didFailSync(let error) = $0 { error } else { nil } }
        #expect(error.kind == .editsNotSent)
        #expect(error.message == "127.0.0.1 cannot store edits: the server's disk is full")
        #expect(it.descriptor.status.unsent == 1)
        #expect(it.descriptor.status.connection == .live)
        isFull.withLock { $0 = false }
        clock.advance(by: 30_000)
        let later = it.descriptor.events
        it.descriptor.retryNow()
        try await wait(in: later) { $0 == .didFinishSync ? () : nil }
        #expect(it.descriptor.status.unsent == 0)
        #expect(
            server.requests.contains { request in
                (try? PushRequest(bytes: request.body))?.changes.map(\.id) == [mine.id]
            })
    }
}

/// A downloaded layer, live if its server supports it.
private struct Reader {
    let folder = try! TemporaryFolder()
    let client: InstantClient
    let descriptor: InstantDocumentDescriptor

    init(_ server: FakeServer, _ environment: Environment = .system) async throws {
        client = try InstantClient(serverURL: server.url, dataDirectory: folder.url, environment: environment)
        descriptor = try client.documentDescriptor(forJWT: token())
        let events = descriptor.events
        try descriptor.download(usingJWT: token())
        // The PDF and the records may arrive in either order.
        try await wait(in: events) { [descriptor] _ in
            descriptor.isDownloaded && descriptor.documentState == .clean ? () : nil
        }
        descriptor.startListeningForServerChanges()
        try descriptor.performer().settle()
    }
}

private final class ManualClock: Sendable {
    private let time = Mutex(Timestamp(seconds: 1_000_000))

    var now: Timestamp { time.withLock { $0 } }
    func advance(by milliseconds: Int64) { time.withLock { $0 = $0 + milliseconds } }
}

/// A network that comes back on request, with a stopped clock.
private final class ManualNetwork: Sendable {
    private let listeners = Mutex<[@Sendable () -> Void]>([])

    var environment: Environment {
        var environment = Environment(now: { Timestamp(seconds: 1_000_000) })
        environment.watchNetwork = { [self] returned in
            listeners.withLock { $0.append(returned) }
            return true
        }
        return environment
    }

    func returns() { for listener in listeners.withLock({ $0 }) { listener() } }
}
