import Annotations
import Authorization
import Crypto
import EngineCore
import Foundation
import Testing

@testable import DocumentEngine

/// Tokens issued for another service or forged (RFC 7519, RFC 8725).
@Suite("Hostile tokens", .timeLimit(.minutes(15))) struct HostileTokenTests {
    /// The response to a request with this header.
    private func answer(
        _ server: RunningServer, _ authorization: String?, _ path: String = "session"
    ) async throws -> RunningServer.Answer {
        try await server.send(
            "GET", "/instant/v1/" + path, headers: authorization.map { [("Authorization", $0)] } ?? [])
    }

    private static let honest = TokenClaims().payload

    @Test func everyAlgorithmWithItsKey() async throws {
        let mints = [
            try await Mint.es256(), try await Mint.es512(), try await Mint.edDSA(), try await Mint.rs256(),
        ]
        for mint in mints {
            let keys = [try await VerificationKey(pem: mint.publicPEM)]
            #expect(keys.first?.algorithm.rawValue == mint.algorithm)
            let verifier = TokenVerifier(keys: keys)
            #expect(try verifier.verify(mint.token(Self.honest), now: TestClock.start).grant.userID == "ana")
        }
        let rs512 = try await Mint.rs512()
        let bound = TokenVerifier(keys: [try await VerificationKey(pem: rs512.publicPEM, algorithm: .rs512)])
        #expect(try bound.verify(rs512.token(Self.honest), now: TestClock.start).grant.documentID == "doc")
        // The same key with another hash: a key is bound to one algorithm.
        let other = try await Mint.rs256().token(Self.honest)
        #expect(throws: (any Error).self) { try bound.verify(other, now: TestClock.start) }
    }

    /// The signature is verified once; everything else about a token is checked on each request.
    @Test func aKnownTokenStillExpires() async throws {
        let mint = try await Mint.es256()
        let verifier = TokenVerifier(keys: [try await VerificationKey(pem: mint.publicPEM)])
        let token = try mint.token(Self.honest)
        let claims = try verifier.verify(token, now: TestClock.start)
        #expect(try verifier.verify(token, now: TestClock.start) == claims)
        let refused = #expect(throws: APIError.self) { try verifier.verify(token, now: claims.grant.expiresAt) }
        #expect(refused?.reason == .tokenExpired)
        #expect(throws: APIError.self) { try verifier.verify(token + "A", now: TestClock.start) }
    }

    private static func verified(_ payload: String) throws -> VerifiedToken {
        VerifiedToken(
            claims: try Claims(payload: Array(payload.utf8)),
            key: VerificationKey.ID(algorithm: .es256, fingerprint: "f"))
    }

    @Test func aKnownTokenThatIsCheckedAgainHasTheSameClaims() throws {
        let known = KnownTokens(isChecked: true)
        func verified(_ payload: String) throws -> VerifiedToken {
            try known.verified("a") { _ in try Self.verified(payload) }
        }
        #expect(try verified(Self.honest) == verified(Self.honest))
        let other = Self.honest.replacing("ana", with: "bo")
        #expect(throws: CacheDifference.self) { try verified(other) }
    }

    @Test func manyTokensAreForgottenTogetherAndCheckedAgain() throws {
        let known = KnownTokens(maxCount: 2)
        var checked: [String] = []
        for token in ["a", "b", "a", "c", "a"] {
            _ = try known.verified(token) {
                checked.append($0)
                return try Self.verified(Self.honest)
            }
        }
        #expect(checked == ["a", "b", "c", "a"])
    }

    /// Tokens with hundreds of permissions take more memory.
    @Test func largeTokensAreForgottenSooner() throws {
        let known = KnownTokens(maxBytes: 10)
        var checked: [String] = []
        for token in ["aaaa", "bbbb", "aaaa", "cccc", "cccc", "aaaa"] {
            _ = try known.verified(token) {
                checked.append($0)
                return try Self.verified(Self.honest)
            }
        }
        #expect(checked == ["aaaa", "bbbb", "cccc", "aaaa"])
    }

    @Test func oneOfSeveralKeysIsEnough() async throws {
        let (first, second) = (try await Mint.es256(), try await Mint.edDSA())
        try await RunningServer.run { [pem = second.publicPEM] options in
            options.keys.append(try await VerificationKey(pem: pem))
        } _: { server in
            try await server.upload()
            for mint in [first, second] {
                #expect(try await server.client(mint.token(TokenClaims()), "GET", "session").status == 200)
            }
        }
    }

    @Test func keysThatCannotBeTrustedAreRefusedAtStart() async throws {
        await #expect(throws: TokenKeyError.unreadable) {
            try await VerificationKey(pem: RSATestKey.shortPublicPEM)
        }
        await #expect(throws: TokenKeyError.isPrivate) { try await VerificationKey(pem: RSATestKey.privatePEM) }
        await #expect(throws: TokenKeyError.unreadable) { try await VerificationKey(pem: "garbage") }
        let es256 = try await Mint.es256().publicPEM
        await #expect(throws: TokenKeyError.otherAlgorithm(wanted: .edDSA, isFor: .es256)) {
            try await VerificationKey(pem: es256, algorithm: .edDSA)
        }
    }

    /// Headers, each signed with the right key over valid claims.
    @Test(arguments: [
        (#"{"alg":"none"}"#, "algorithm_refused"), (#"{"alg":"None"}"#, "algorithm_refused"),
        (#"{"alg":"nOnE"}"#, "algorithm_refused"), (#"{"alg":""}"#, "algorithm_refused"),
        (#"{"alg":"HS256"}"#, "algorithm_refused"), (#"{"alg":"es256"}"#, "algorithm_refused"),
        (#"{"alg":"RS256"}"#, "algorithm_refused"), (#"{"alg":["ES256"]}"#, "algorithm_refused"),
        (#"{"typ":"JWT"}"#, "algorithm_refused"), (#"{"alg":"ES256","alg":"none"}"#, "token_malformed"),
        (#"{"alg":"ES256","crit":["exp"]}"#, "token_malformed"), (#"{"alg":"ES256","b64":false}"#, "token_malformed"),
        ("[]", "token_malformed"), ("{", "token_malformed"), ("null", "token_malformed"),
    ])
    func headersThatAskForSomethingElse(_ header: String, _ reason: String) async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(header: header, Self.honest)
            let answer = try await answer(server, "Bearer \(token)")
            #expect((answer.status, answer.reason) == (401, reason))
            #expect(answer.headers["www-authenticate"] == #"Bearer error="invalid_token""#)
        }
    }

    /// Only the header's algorithm is used; key location hints are never followed.
    @Test(arguments: [
        #","kid":"../../etc/passwd""#, #","kid":"' OR 1=1 --""#, #","jku":"http://127.0.0.1:1/keys""#,
        #","x5u":"http://127.0.0.1:1/c""#, #","jwk":{"kty":"oct","k":"AA"}"#, #","x5c":["AA"]"#,
    ])
    func hintsInTheHeaderChangeNothing(_ hint: String) async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let header = #"{"alg":"ES256"\#(hint)}"#
            let good = try server.mint.token(header: header, Self.honest)
            #expect(try await answer(server, "Bearer \(good)").status == 200)
            // Signed with another key, which the header names.
            let signed = [header, Self.honest].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
            let forged = try P256.Signing.PrivateKey().signature(for: Data(signed.utf8)).rawRepresentation
            let answer = try await answer(server, "Bearer \(signed).\(Base64URL.encode(Array(forged)))")
            #expect((answer.status, answer.reason) == (401, "signature_invalid"))
        }
    }

    @Test func signaturesThatAreNone() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(Self.honest)
            let parts = token.split(separator: ".").map(String.init)
            let signed = parts[0] + "." + parts[1]
            let der = try Mint.p256.signature(for: Data(signed.utf8)).derRepresentation
            let hmac = try await Mint.hs256(secret: server.mint.publicPEM)
            let cases: [(token: String, reason: String)] = [
                (signed + "." + Base64URL.encode([UInt8](repeating: 0, count: 64)), "signature_invalid"),
                (signed + "." + Base64URL.encode(Array(der)), "signature_invalid"),
                (signed + "." + Base64URL.encode([1]), "signature_invalid"),
                (signed + ".", "token_malformed"), (signed, "token_malformed"), (signed + ".a.b", "token_malformed"),
                (token + "=", "token_malformed"), (token + "\u{E9}", "token_malformed"),
                (
                    parts[0] + "." + Base64URL.encode(Array(TokenClaims(user: "boss").payload.utf8)) + "." + parts[2],
                    "signature_invalid"
                ),
                // The public key used as a shared secret, the classic attack.
                (try hmac.token(Self.honest), "algorithm_refused"),
                ("garbage", "token_malformed"), ("a.b.c", "token_malformed"), ("..", "token_malformed"),
                // Five parts, as in an encrypted token.
                ("e30.e30.e30.e30.e30", "token_malformed"),
                (String(repeating: "a", count: 25_000), "token_malformed"),
            ]
            for (token, reason) in cases {
                let answer = try await answer(server, "Bearer \(token)")
                #expect((answer.status, answer.reason) == (401, reason), "\(token.prefix(40))")
                if token.utf8.count > 8 { #expect(!answer.text.contains(token)) }
            }
            // Some bits of a signature's last character have no meaning; another spelling of them is refused.
            let last = try #require(token.last)
            let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
            let twin = digits[try #require(digits.firstIndex(of: last)) ^ 1]
            #expect(try await answer(server, "Bearer \(token.dropLast())\(twin)").status == 401)
        }
    }

    @Test(arguments: [nil, "", "Bearer", "Bearer ", "Basic YTpi", "Token token=\"x\""])
    func withoutATokenOneIsAskedFor(_ header: String?) async throws {
        try await RunningServer.run { server in
            let answer = try await answer(server, header)
            #expect((answer.status, answer.reason) == (401, "token_missing"))
            #expect(answer.headers["www-authenticate"] == "Bearer")
        }
    }

    /// Claims, each in a correctly signed token.
    @Test(arguments: [
        (#"{}"#, "token_malformed"), (#"[]"#, "token_malformed"), (#"{"document_id":1}"#, "token_malformed"),
        (payload(#""document_id":"""#), "token_malformed"), (payload(#""document_id":["doc"]"#), "token_malformed"),
        (payload(#""permissions":"ALL""#), "token_malformed"),
        (payload(#""permissions":[["write"]]"#), "token_malformed"),
        (payload(#""exp":"4000000000""#), "token_malformed"), (payload(#""exp":-1"#), "token_malformed"),
        (payload(#""exp":1e308"#), "token_malformed"), (payload(#""exp":9223372036854775808"#), "token_malformed"),
        (payload(#""exp":null"#), "token_malformed"), (payload(#""exp":1,"exp":4000000000"#), "token_malformed"),
        (payload(#""exp":1"#), "token_expired"), (payload(#""exp":1800000000"#), "token_expired"),
        (payload(#""exp":1799999999.999"#), "token_expired"),
        (payload(#""nbf":1800000001"#), "token_not_yet_valid"), (payload(#""nbf":"x""#), "token_malformed"),
        (payload(#""user_id":null,"collaboration_permissions":[]"#), "token_malformed"),
        (payload(#""user_id":7"#), "token_malformed"), (payload(#""layer":"a*b""#), "token_malformed"),
        (payload(#""default_group":"a","group":"b""#), "token_malformed"),
        (payload(#""user_id":"a\u0000b""#), "token_malformed"),
    ])
    func claimsThatAreNone(_ payload: String, _ reason: String) async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let answer = try await answer(server, "Bearer \(server.mint.token(payload))")
            #expect((answer.status, answer.reason) == (401, reason), "\(answer.text)")
        }
    }

    /// The valid claims with these bytes in the user's name.
    private static func named(_ bytes: [UInt8]) -> [UInt8] {
        let (front, back) = (#"{"user_id":""#, #"","document_id":"doc","permissions":"all","exp":4000000000}"#)
        return Array(front.utf8) + bytes + Array(back.utf8)
    }

    private static let unreadable: [[UInt8]] = [
        Array(#"{"document_id":"doc","permissions":"all"}"#.utf8), Array(honest.utf8.dropLast()),
        honest.utf8 + [0], [0xEF, 0xBB, 0xBF] + honest.utf8, named([0xFF, 0xFE]), named([0xC0, 0xAF]),
        named([0xED, 0xA0, 0x80]), named(Array(#"\ud800"#.utf8)), [UInt8](repeating: 0x5B, count: 2000), [],
    ]

    @Test(arguments: unreadable)
    func bytesThatAreNoClaims(_ bytes: [UInt8]) async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let answer = try await answer(server, "Bearer \(server.mint.token(payload: bytes))")
            #expect((answer.status, answer.reason) == (401, "token_malformed"), "\(answer.text)")
        }
    }

    /// An unsigned token inside a signed one does not count.
    @Test func aTokenInATokenIsNone() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let bare =
                [#"{"alg":"none"}"#, Self.honest].map { Base64URL.encode(Array($0.utf8)) }
                .joined(separator: ".") + "."
            let nested = try server.mint.token(header: #"{"alg":"ES256","cty":"JWT"}"#, bare)
            #expect(try await answer(server, "Bearer \(nested)").reason == "token_malformed")
            let wrapped = [#"{"alg":"dir","enc":"A256GCM","cty":"JWT"}"#, "", "iv", bare, "tag"]
                .map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
            #expect(try await answer(server, "Bearer \(wrapped)").status == 401)
        }
    }

    /// The server never fetches a key from an address in a header, even if the token is valid.
    @Test func nobodyIsAskedForAKey() async throws {
        let listener = try await Listener()
        try await RunningServer.run { server in
            try await server.upload()
            for name in ["jku", "x5u"] {
                let header = #"{"alg":"ES256","\#(name)":"\#(listener.url)/keys"}"#
                let good = try server.mint.token(header: header, Self.honest)
                #expect(try await answer(server, "Bearer \(good)").status == 200)
                #expect(try await answer(server, "Bearer \(good.dropLast(8))AAAAAAAA").status == 401)
            }
        }
        #expect(listener.visitors == 0)
        try await listener.close()
    }

    @Test func timeIsTheServersOwn() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            var claims = TokenClaims()
            claims.expires = TestClock.start + 1500
            let token = try server.mint.token(claims)
            #expect(try await answer(server, "Bearer \(token)").status == 200)
            server.clock.advance(seconds: 1)
            #expect(try await answer(server, "Bearer \(token)").status == 200)
            server.clock.advance(seconds: 1)
            #expect(try await answer(server, "Bearer \(token)").reason == "token_expired")
        }
    }

    @Test(arguments: [
        (#"["write","download"]"#, "session", 403), (#"["write","download"]"#, "records", 403),
        (#"["write","download"]"#, "events", 403), (#"["write"]"#, "document", 403),
        (#"["read-document"]"#, "document", 403), (#"["all"]"#, "session", 403), (#"[]"#, "session", 403),
        (#"["read-document"]"#, "session", 200), (#"["download"]"#, "document", 200),
        (#"["read-document","fly"]"#, "records", 200),
    ])
    func eachRouteNeedsItsPermission(_ permissions: String, _ path: String, _ status: Int) async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims(permissions: permissions))
            let answer = try await answer(server, "Bearer \(token)", path)
            #expect(answer.status == status)
            if status == 403 {
                #expect(answer.reason == "insufficient_scope")
                #expect(answer.headers["www-authenticate"] == #"Bearer error="insufficient_scope""#)
            }
        }
    }

    @Test func aHeadThatIsTooLargeIsTurnedAway() async throws {
        try await RunningServer.run { server in
            let token = String(repeating: "a", count: 10 << 20)
            let status = try? await answer(server, "Bearer \(token)").status
            #expect(status == nil || (400..<500).contains(status ?? 0))
            let health = try await server.send("GET", "/healthcheck")
            #expect(health.status == 200)
        }
    }
}

/// The valid claims with one replaced or one added.
private func payload(_ claims: String) -> String {
    let honest = [
        ("document_id", #""doc""#), ("permissions", #""all""#), ("exp", "4000000000"), ("user_id", #""ana""#),
    ]
    let kept = honest.filter { !claims.contains("\"\($0.0)\"") }.map { "\"\($0.0)\":\($0.1)" }
    return "{" + (kept + [claims]).joined(separator: ",") + "}"
}
