import Annotations
import EngineCore
import SyncProtocol
import Testing

@testable import DocumentEngine

/// What a server may require of tokens besides a signature (RFC 7519 sections 4.1.1, 4.1.3 and 4.1.6; RFC 8725
/// sections 3.8 and 3.9).
@Suite("Token policies", .timeLimit(.minutes(15))) struct TokenPolicyTests {
    private func reason(_ policy: TokenPolicy, _ claims: String, exp: Int64 = 3600) async throws -> String? {
        let mint = try await Mint.es256()
        let verifier = TokenVerifier(keys: [try await VerificationKey(pem: mint.publicPEM)], policy: policy)
        let start = TestClock.start.milliseconds / 1000
        let others = claims.isEmpty ? "" : "," + claims.replacing("NOW", with: "\(start)")
        let payload = #"{"document_id":"doc","permissions":"all","exp":\#(start + exp)\#(others)}"#
        do throws(APIError) {
            _ = try verifier.verify(try! mint.token(payload), now: TestClock.start)
            return nil
        } catch {
            #expect(error.reason.status == .unauthorized)
            return error.reason.rawValue
        }
    }

    @Test(
        arguments: [
            (#""aud":"annotations""#, nil), (#""aud":["mail","annotations"]"#, nil), (#""aud":["b"]"#, nil),
            ("", "audience_refused"), (#""aud":"mail""#, "audience_refused"), (#""aud":[]"#, "audience_refused"),
            (#""aud":"Annotations""#, "audience_refused"), (#""aud":"annotations ""#, "audience_refused"),
            (#""aud":7"#, "token_malformed"),
        ] as [(String, String?)])
    func audiences(_ claims: String, _ expected: String?) async throws {
        var policy = TokenPolicy()
        policy.audiences = ["annotations", "b"]
        #expect(try await reason(policy, claims) == expected)
    }

    @Test(
        arguments: [
            (#""iss":"https://login.example""#, nil), ("", "issuer_refused"), (#""iss":"x""#, "issuer_refused"),
            (#""iss":null"#, "issuer_refused"), (#""iss":["https://login.example"]"#, "token_malformed"),
        ] as [(String, String?)])
    func issuers(_ claims: String, _ expected: String?) async throws {
        var policy = TokenPolicy()
        policy.issuers = ["https://login.example"]
        #expect(try await reason(policy, claims) == expected)
    }

    @Test(
        arguments: [
            (#""iat":NOW"#, 0, nil), (#""iat":NOW"#, 1, "token_revoked"), (#""iat":NOW"#, -1, nil),
            (#""iat":NOW.5"#, 400, nil), (#""iat":NOW.5"#, 600, "token_revoked"), ("", 0, "token_revoked"),
            (#""iat":null"#, 0, "token_revoked"),
        ] as [(String, Int64, String?)])
    func tokensBeforeATimeAreRefused(_ claims: String, _ milliseconds: Int64, _ expected: String?) async throws {
        var policy = TokenPolicy()
        policy.oldestIssue = TestClock.start + milliseconds
        #expect(try await reason(policy, claims) == expected)
    }

    @Test(
        arguments: [
            (#""iat":NOW"#, 3600, nil), (#""iat":NOW"#, 3601, "lifetime_refused"), ("", 60, "lifetime_refused"),
            (#""iat":NOW.5"#, 3600, nil), (#""iat":1"#, 60, "lifetime_refused"),
        ] as [(String, Int64, String?)])
    func lifetimes(_ claims: String, _ seconds: Int64, _ expected: String?) async throws {
        var policy = TokenPolicy()
        policy.maxLifetime = .seconds(3600)
        #expect(try await reason(policy, claims, exp: seconds) == expected)
    }

    /// Always checked, because a token from the future comes from a wrong clock, or is meant to outlive a deletion.
    @Test(
        arguments: [(0, nil), (60, nil), (61, "token_not_yet_valid"), (31_536_000, "token_not_yet_valid")]
            as [(Int64, String?)])
    func issuedInTheFuture(_ seconds: Int64, _ expected: String?) async throws {
        let issued = TestClock.start.milliseconds / 1000 + seconds
        #expect(try await reason(TokenPolicy(), #""iat":\#(issued)"#) == expected)
    }

    @Test func withoutAPolicyNothingElseIsRequired() async throws {
        #expect(try await reason(TokenPolicy(), #""aud":"mail","iss":"x","iat":1"#, exp: 10_000_000) == nil)
    }

    @Test func clientsAreToldWhichRequirementIsNotMet() async throws {
        try await RunningServer.run {
            $0.tokens.audiences = ["annotations"]
        } _: { server in
            try await server.upload()
            let answer = try await server.client(server.mint.token(TokenClaims()), "GET", "session")
            #expect((answer.status, answer.reason) == (401, "audience_refused"))
            #expect(answer.headers["www-authenticate"] == #"Bearer error="invalid_token""#)
            #expect(answer.text.contains(#"lacks the claim \"aud\""#), "\(answer.text)")
        }
    }

    /// Such a token is not a forgery: the issuer is at fault, and honest clients send it.
    @Test func itDoesNotCountAsAFailedLogin() async throws {
        try await RunningServer.run {
            $0.tokens.issuers = ["other"]
            $0.service.failedLoginsPerMinute = 1
        } _: { server in
            let token = try server.mint.token(TokenClaims())
            for _ in 0..<5 { #expect(try await server.client(token, "GET", "session").status == 401) }
        }
    }
}
