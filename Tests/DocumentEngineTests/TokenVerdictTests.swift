import Annotations
import Authorization
import SyncProtocol
import Testing

@testable import DocumentEngine

/// `GET /instant/v1/token`: the server's verdict on a token.
@Suite("The verdict on a token", .timeLimit(.minutes(15))) struct TokenVerdictTests {
    private func answer(_ server: RunningServer, _ token: String) async throws -> RunningServer.Answer {
        try await server.client(token, "GET", "token")
    }

    private func verdict(_ server: RunningServer, _ token: String) async throws -> TokenVerdict {
        let answer = try await answer(server, token)
        #expect(answer.status == 200, "\(answer.text)")
        return try answer.message()
    }

    @Test func anAcceptedTokenIsDescribed() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let claims = TokenClaims(collaboration: ["annotations:view:all", "x:y:z"], creatorName: "Ana", id: "t-1")
            let verdict = try await verdict(server, server.mint.token(claims))
            #expect(verdict.isAccepted)
            #expect(verdict.now == TestClock.start)
            let key = try await VerificationKey(pem: server.mint.publicPEM)
            #expect(verdict.key == TokenVerdict.Key(algorithm: "ES256", sha256: key.id.fingerprint))
            #expect(verdict.key?.sha256.count == 64)
            #expect(verdict.grant?.userID == "ana" && verdict.grant?.layer == "review")
            #expect((verdict.issuedAt, verdict.notBefore, verdict.tokenID) == (TestClock.start, nil, "t-1"))
            #expect(verdict.warnings == [#"unknown collaboration permission "x:y:z"; it grants nothing"#])
            // A layer exists only once a client opens it.
            #expect(try await server.backend("GET", "/api/documents/doc/layers").json["data"] == [])
        }
    }

    @Test func oddTokensCauseWarnings() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let claims = TokenClaims(user: nil, permissions: #"["download"]"#, issued: nil)
            let warnings = try await verdict(server, server.mint.token(claims)).warnings
            for word in ["read-document", "user_id", "jti", "iat"] {
                #expect(warnings.contains { $0.contains(#""\#(word)""#) }, "\(word): \(warnings)")
            }
        }
    }

    /// Correctly signed tokens that are refused elsewhere, with the reason of that refusal.
    @Test(
        arguments: [
            (#""exp":1800000000"#, "token_expired"), (#""exp":1900000000,"nbf":1800000001"#, "token_not_yet_valid"),
            (#""exp":1900000000,"iat":1800000061"#, "token_not_yet_valid"), (#""x":1"#, "token_malformed"),
            (#""exp":1900000000,"aud":"mail""#, "audience_refused"),
            (#""exp":1900000000,"document_id":"none""#, "document_not_found"),
            (#""exp":1900000000,"jti":"revoked""#, "token_revoked"),
            (#""exp":1900000000,"layer":"gone""#, "layer_deleted"),
            (#""exp":1900000000,"layer":"a\u202Eb""#, "bad_request"),
        ])
    func refusedTokensAreExplained(_ claims: String, _ reason: String) async throws {
        try await RunningServer.run { options in
            if reason == "audience_refused" { options.tokens.audiences = ["annotations"] }
        } _: { server in
            try await server.upload()
            _ = try await server.backend("POST", "/api/revoke", json: #"{"jwts":["revoked"]}"#)
            _ = try await server.backend("POST", "/api/documents/doc/layers", json: #"{"name":"gone"}"#)
            _ = try await server.backend("DELETE", "/api/documents/doc/layers/gone")
            let document = claims.contains("document_id") ? "" : #","document_id":"doc""#
            let token = try server.mint.token(#"{"permissions":"all"\#(document),\#(claims)}"#)
            let verdict = try await verdict(server, token)
            #expect(verdict.refusal?.reason == reason)
            #expect(verdict.key?.algorithm == "ES256")
            #expect((verdict.grant == nil) == (reason == "token_malformed"))
            // The other routes give the same reason.
            let session = try await server.client(token, "GET", "session")
            #expect(session.reason == reason)
            #expect(session.json["error"]?["description"]?.string == verdict.refusal?.description)
        }
    }

    /// A stranger learns no more than from any other route.
    @Test func aTokenThatNoKeyVerifiesGetsTheErrorOfEveryRoute() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let good = try server.mint.token(TokenClaims(id: "t"))
            let other = try await Mint.edDSA().token(TokenClaims())
            for token in [String(good.dropLast(8)) + "AAAAAAAA", other, "a.b.c", "garbage", "e30.e30.e30"] {
                let (verdict, session) = (
                    try await answer(server, token), try await server.client(token, "GET", "session")
                )
                #expect(verdict.status == 401)
                #expect(verdict.text == session.text)
                #expect(verdict.headers["www-authenticate"] == session.headers["www-authenticate"])
            }
            let missing = try await server.send("GET", "/instant/v1/token")
            #expect((missing.status, missing.reason) == (401, "token_missing"))
        }
    }

    /// Forgeries count as on every route; tokens that are merely refused do not.
    @Test func itCannotBypassTheLimitOfFailedLogins() async throws {
        try await RunningServer.run {
            $0.service.failedLoginsPerMinute = 3
        } _: { server in
            try await server.upload()
            let expired = try server.mint.token(TokenClaims(expires: TestClock.start))
            for _ in 0..<10 { #expect(try await verdict(server, expired).refusal?.reason == "token_expired") }
            var statuses: [Int] = []
            for _ in 0..<5 { statuses.append(try await answer(server, "a.b.c").status) }
            #expect(statuses == [401, 401, 401, 429, 429])
            #expect(try await answer(server, server.mint.token(TokenClaims())).status == 200)
        }
    }

    @Test func requestsAreCountedToo() async throws {
        try await RunningServer.run {
            $0.service.requestsPerSecond = 1
        } _: { server in
            try await server.upload()
            let expired = try server.mint.token(TokenClaims(expires: TestClock.start))
            var statuses: [Int] = []
            for _ in 0..<3 { statuses.append(try await answer(server, expired).status) }
            #expect(statuses == [200, 200, 429])
        }
    }
}
