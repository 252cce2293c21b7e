import TestSupport
import Testing

/// A backend written from the vendor's description alone finds what it expects (`Tests/Backend`).
@Suite("A customer's backend", .timeLimit(.minutes(15))) struct CustomerBackendTests {
    @Test func everythingIsAsDescribed() async throws {
        try await RunningServer.run { server in
            let token = try server.mint.token(TokenClaims(document: "contract-1", id: "to be revoked"))
            let outcome = try await Program.run(
                "/usr/bin/env",
                ["python3", Repository.root + "/Tests/Backend/backend.py", server.url, RunningServer.secret, token])
            #expect(outcome.status == 0, "\(outcome.output)")
            let session = try await server.client(token, "GET", "session")
            #expect((session.status, session.reason) == (401, "token_revoked"))
        }
    }
}
