import Annotations
import Foundation
import InstantCore
import Synchronization
import TestThreads
import Testing

@testable import Instant

/// A provider is asked when a token is needed: one question at a time, and never in a loop.
@Suite(.timeLimit(.minutes(15))) struct TokenProviderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(
        _ server: FakeServer, _ provider: @escaping InstantClient.TokenProvider
    ) throws -> (InstantClient, InstantDocumentDescriptor) {
        let client = try InstantClient(serverURL: server.url, dataDirectory: folder.url)
        client.tokenProvider = provider
        return (client, try client.documentDescriptor(forJWT: token()))
    }

    private func kind(_ body: () async throws -> Void) async -> InstantError.Kind? {
        do {
            try await body()
            return nil
        } catch { return (error as? InstantError)?.kind }
    }

    @Test func severalCallsThatNeedATokenAskOnce() async throws {
        let server = try plainServer()
        let asked = Mutex<[String]>([])
        let gate = Gate()
        let (client, descriptor) = try open(server) { descriptor in
            asked.withLock { $0.append(descriptor.identifier) }
            await gate.opened()
            return token()
        }
        let heard = Mutex<[InstantEvent]>([])
        let events = descriptor.events
        let listening = Task { for await event in events { heard.withLock { $0.append(event) } } }
        let calls = (0..<3).map { _ in Task { try await descriptor.syncAndWait() } }
        descriptor.startListeningForServerChanges()
        try await waitUntil("the provider is asked") { asked.withLock { !$0.isEmpty } }
        await descriptor.settledForTests()
        gate.open()
        for call in calls { try await call.value }
        #expect(asked.withLock { $0 } == ["doc"])
        #expect(!heard.withLock { $0 }.contains { if case .didFailAuthentication = $0 { true } else { false } })
        listening.cancel()
        withExtendedLifetime(client) {}
    }

    /// Another call can report its need after the provider's answer and before the session has the token.
    @Test func anAnswerOnItsWayIsNoRefusedToken() async throws {
        let asker = TokenAsker()
        let answers = Mutex<[TokenAsker.Answer]>([])
        let ask = { asker.ask({ "new" }) { answer in answers.withLock { $0.append(answer) } } }
        #expect(ask())
        try await waitUntil("the provider answers") { answers.withLock { !$0.isEmpty } }
        #expect(ask())
        asker.delivered()
        // From here on, a need means that the server refused the token.
        #expect(!ask())
        #expect(answers.withLock { $0 } == [.token("new")])
        // The next one is a new question, whose answer is the token that was refused.
        #expect(ask())
        try await waitUntil("the provider answers again") { answers.withLock { $0.count == 2 } }
        #expect(answers.withLock { $0.last } == .nothing)
    }

    @Test func theSameRefusedTokenIsNotSentAgain() async throws {
        let server = try FakeServer { _ in .error(401, "token_revoked") }
        let count = Mutex(0)
        let (client, descriptor) = try open(server) { _ in
            count.withLock { $0 += 1 }
            return token()
        }
        let events = descriptor.events
        #expect(await kind { try await descriptor.syncAndWait() } == .authenticationFailed)
        try await wait(in: events) { $0 == .didFailAuthentication(.revoked) ? () : nil }
        #expect(count.withLock { $0 } == 1 && server.requests.count == 1)
        // The next need is a new question, with the same answer.
        #expect(await kind { try await descriptor.syncAndWait() } == .authenticationFailed)
        #expect(count.withLock { $0 } == 2 && server.requests.count == 1)
        withExtendedLifetime(client) {}
    }

    @Test func otherTokensThatAreRefusedAreNoLoop() async throws {
        let server = try FakeServer { _ in .error(401, "token_malformed") }
        let count = Mutex(0)
        let (client, descriptor) = try open(server) { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return token(more: #","jti":"\#(number)""#)
        }
        for number in 1...3 {
            #expect(await kind { try await descriptor.syncAndWait() } == .authenticationFailed)
            try await waitUntil("the refusal is told") { await descriptor.settledForTests() }
            #expect(count.withLock { $0 } == number && server.requests.count == number)
        }
        withExtendedLifetime(client) {}
    }

    @Test func anExpiredTokenIsReplacedWithoutTheApplication() async throws {
        let hasExpired = Mutex(false)
        let server = try plainServer { request in
            let isOld = request.headers["authorization"]?.hasSuffix(token()) == true
            return hasExpired.withLock { $0 } && isOld ? .error(401, "token_expired") : nil
        }
        let (client, descriptor) = try open(server) { _ in
            hasExpired.withLock { $0 } ? token(more: #","jti":"2""#) : token()
        }
        let events = descriptor.events
        try await descriptor.syncAndWait()
        hasExpired.withLock { $0 = true }
        try descriptor.editableDocument.add(note("x"), author: "Ana")
        try await descriptor.syncAndWait()
        #expect(try descriptor.unsentEdits().isEmpty)
        await client.close()
        for await event in events {
            if case .didFailAuthentication = event { Issue.record("the application was asked") }
        }
    }

    @Test func aProviderWithoutATokenLeavesItToTheApplication() async throws {
        struct NoNetwork: Error {}
        let server = try plainServer()
        let answers = Mutex<[Result<String?, NoNetwork>]>([.success(nil), .failure(NoNetwork())])
        let (client, descriptor) = try open(server) { _ in try answers.withLock { $0.removeFirst() }.get() }
        for _ in 0..<2 {
            #expect(await kind { try await descriptor.syncAndWait() } == .authenticationFailed)
        }
        try await descriptor.reauthenticateAndWait(withJWT: token())
        withExtendedLifetime(client) {}
    }

    @Test func aTokenOfAnotherLayerIsRefusedHere() async throws {
        let server = try plainServer()
        let (client, descriptor) = try open(server) { _ in token(layer: "other") }
        #expect(await kind { try await descriptor.syncAndWait() } == .invalidJWT)
        #expect(server.requests.isEmpty)
        withExtendedLifetime(client) {}
    }

    @Test func aForgottenTokenIsNotAskedFor() async throws {
        let server = try plainServer()
        let count = Mutex(0)
        let (client, descriptor) = try open(server) { _ in
            count.withLock { $0 += 1 }
            return token()
        }
        try await descriptor.syncAndWait()
        let events = descriptor.events
        descriptor.forgetToken()
        try await wait(in: events) { $0 == .didFailAuthentication(.forgotten) ? () : nil }
        #expect(await kind { try await descriptor.syncAndWait() } == .authenticationFailed)
        #expect(count.withLock { $0 } == 1)
        withExtendedLifetime(client) {}
    }

    @Test func closingEndsTheQuestion() async throws {
        let server = try plainServer()
        let gate = Gate()
        let (client, descriptor) = try open(server) { _ in
            await withTaskCancellationHandler {
                await gate.opened()
            } onCancel: {
                gate.open()
            }
            return token()
        }
        let call = Task { try await descriptor.syncAndWait() }
        descriptor.sync()
        await descriptor.settledForTests()
        await client.close()
        #expect(await kind { try await call.value } == .invalidDocument)
    }
}

extension InstantDocumentDescriptor {
    @discardableResult
    func settledForTests() async -> Bool {
        await (try? performer())?.settled()
        return true
    }
}

/// Holds callers until it is opened.
final class Gate: Sendable {
    private let state = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    func opened() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
