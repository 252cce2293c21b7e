import Annotations
import EngineCore
import SyncProtocol
import TestThreads
import Testing

@testable import DocumentEngine

/// Keys and secrets replaced while the server runs.
@Suite(.timeLimit(.minutes(15))) struct ReloadTests {
    private static func key(_ mint: Mint) async throws -> VerificationKey {
        try await VerificationKey(pem: mint.publicPEM)
    }

    @Test func newAndRemovedKeysTakeEffectAtOnce() async throws {
        let (old, new) = (try await Mint.es256(), try await Mint.edDSA())
        try await RunningServer.run { server in
            try await server.upload()
            let (before, after) = (try old.token(TokenClaims()), try new.token(TokenClaims()))
            func statuses() async throws -> [Int] {
                [
                    try await server.client(before, "GET", "session").status,
                    try await server.client(after, "GET", "session").status,
                ]
            }
            // Asked twice: the second answer comes from the cache of verified tokens.
            #expect(try await statuses() == [200, 401])
            #expect(try await statuses() == [200, 401])
            server.server.reload(keys: [try await Self.key(old), try await Self.key(new)], secrets: [])
            #expect(try await statuses() == [200, 200])
            server.server.reload(keys: [try await Self.key(new)], secrets: [])
            #expect(try await statuses() == [401, 200])
            let refused = try await server.client(before, "GET", "session")
            #expect(refused.reason == "algorithm_refused")
        }
    }

    /// A request may be past the verification when the key is removed: the transaction that uses the token checks again.
    @Test func aTokenThatWasVerifiedBeforeIsRefusedAfterwards() async throws {
        let (old, new) = (try await Mint.es256(), try await Mint.edDSA())
        try await RunningServer.run { server in
            try await server.upload()
            let engine = server.server.engine
            let token = try engine.verifier.verify(old.token(TokenClaims()), now: TestClock.start)
            let layer = try await engine.view(token) { $0.layer }
            server.server.reload(keys: [try await Self.key(new)], secrets: [])
            let push = PushRequest(clientID: "c", acked: 0, cursor: nil, changes: [Samples.create(1, "n1")])
            let sign = PresenceSign(session: "s")
            for use: @Sendable () async throws -> Void in [
                { try await engine.view(token) { _ in } }, { _ = try await engine.push(push, token) },
                { _ = try await engine.announce(sign, token) },
                { _ = try await engine.digest(token, epoch: layer.epoch(for: token.grant.viewScope)) },
            ] {
                let refusal = await #expect(throws: APIError.self) { try await use() }
                #expect(refusal?.reason == .signatureInvalid)
            }
        }
    }

    @Test func streamsOfARemovedKeyEnd() async throws {
        let (old, new) = (try await Mint.es256(), try await Mint.edDSA())
        try await RunningServer.run { server in
            try await server.upload()
            let keys = [try await Self.key(old), try await Self.key(new)]
            server.server.reload(keys: keys, secrets: [RunningServer.secret])
            let staying = try new.token(TokenClaims(user: "ben"))
            var (ending, going) = (
                try await EventReader(server, old.token(TokenClaims())), try await EventReader(server, staying)
            )
            #expect(try await ending.session()?.kind == .open)
            #expect(try await going.session()?.kind == .open)
            server.server.reload(keys: [keys[1]], secrets: [RunningServer.secret])
            #expect(try await ending.session()?.kind == .revoked)
            #expect(try await ending.next() == nil)
            #expect(try await server.push(staying, [Samples.create(1, "n1")]).status == 200)
            #expect(try await going.change()?.changes.count == 1)
        }
    }

    @Test func aLongPollOfARemovedKeyEnds() async throws {
        let (old, new) = (try await Mint.es256(), try await Mint.edDSA())
        try await RunningServer.run { server in
            try await server.upload()
            let token = try old.token(TokenClaims())
            let epoch = try await server.session(token).epoch
            async let poll = server.client(token, "GET", "events?wait=60&since=0&epoch=\(epoch)")
            try await waitUntil("the poll waits") { server.server.listenerCount == 1 }
            server.server.reload(keys: [try await Self.key(new)], secrets: [])
            let answer = try await poll
            #expect((answer.status, answer.reason) == (401, "signature_invalid"))
        }
    }

    /// The same key for another algorithm is another key: tokens that name the first are refused.
    @Test func aKeyBoundToAnotherAlgorithmIsAnother() async throws {
        let (rs256, rs512) = (try await Mint.rs256(), try await Mint.rs512())
        try await RunningServer.run { options in
            options.keys = [try await VerificationKey(pem: rs256.publicPEM)]
        } _: { server in
            try await server.upload()
            let token = try rs256.token(TokenClaims())
            #expect(try await server.client(token, "GET", "session").status == 200)
            let other = try await VerificationKey(pem: rs512.publicPEM, algorithm: .rs512)
            server.server.reload(keys: [other], secrets: [])
            #expect(try await server.client(token, "GET", "session").reason == "algorithm_refused")
            #expect(try await server.client(rs512.token(TokenClaims()), "GET", "session").status == 200)
        }
    }

    /// A verification that began with the earlier keys must not be remembered for the next ones.
    @Test func aVerificationThatOverlapsIsForgotten() async throws {
        let (old, new) = (try await Mint.es256(), try await Mint.edDSA())
        let verifier = TokenVerifier(keys: [try await Self.key(old)])
        let token = try old.token(TokenClaims())
        let verified = try verifier.verify(token, now: TestClock.start)
        #expect(verifier.trusts(verified.key))
        verifier.replaceKeys([try await Self.key(new)])
        #expect(!verifier.trusts(verified.key))
        #expect(throws: (any Error).self) { try verifier.verify(token, now: TestClock.start) }
    }

    // MARK: Secrets

    private static func status(_ server: RunningServer, _ secret: String) async throws -> Int {
        try await server.send(
            "GET", "/api/documents", headers: [("Authorization", #"Token token="\#(secret)""#)]
        ).status
    }

    @Test func severalSecretsAreAccepted() async throws {
        let secrets = ["the first secret", "a second, longer secret", "a third one: x,y=z"]
        try await RunningServer.run {
            $0.secrets = secrets
        } _: { server in
            for secret in secrets {
                let status = try await Self.status(server, secret)
                #expect(status == 200, "\(secret)")
            }
            for secret in ["", "the first secre", "the first secret ", "The first secret", "x"] {
                let status = try await Self.status(server, secret)
                #expect(status == 401, "\(secret)")
            }
        }
    }

    @Test func aSecretIsReplacedWithoutDowntime() async throws {
        try await RunningServer.run { server in
            let keys = [try await Self.key(server.mint)]
            #expect(try await Self.status(server, "the next secret.") == 401)
            server.server.reload(keys: keys, secrets: ["the next secret.", RunningServer.secret])
            #expect(try await Self.status(server, "the next secret.") == 200)
            #expect(try await Self.status(server, RunningServer.secret) == 200)
            server.server.reload(keys: keys, secrets: ["the next secret."])
            #expect(try await Self.status(server, RunningServer.secret) == 401)
            server.server.reload(keys: keys, secrets: [])
            #expect(try await Self.status(server, "the next secret.") == 401)
            #expect(try await Self.status(server, "") == 401)
        }
    }

    @Test func itIsLogged() async throws {
        let log = RecordedLog()
        try await RunningServer.run {
            $0.logger = log.logger
        } _: { server in
            server.server.reload(keys: [try await Self.key(server.mint)], secrets: ["the next secret."])
            server.server.reloadFailed("/etc/key.pem: not a key")
        }
        #expect(
            log.text.contains("notice keys and secrets were reloaded added=0 keys=1 removed=0 secrets=1"),
            "\(log.text)"
        )
        #expect(log.text.contains("error keys and secrets were not reloaded error=/etc/key.pem: not a key"))
        #expect(!log.text.contains("next secret"))
    }
}
