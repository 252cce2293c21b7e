import Annotations
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import DocumentEngine

/// `docs/openapi.json` matches what the server does.
@Suite("The API's description", .timeLimit(.minutes(30))) struct APIDescriptionTests {
    private func description() throws -> JSON { try JSON(parsing: Repository.text("docs/openapi.json")) }

    @Test func itIsServedToWhoeverAsks() async throws {
        try await RunningServer.run { server in
            let answer = try await server.send("GET", "/openapi.json")
            #expect((answer.status, answer.headers["content-type"]) == (200, "application/json"))
            #expect(answer.text == (try Repository.text("docs/openapi.json")))
        }
    }

    /// The description and the route table agree on methods, paths, parameters and credentials.
    @Test func itDescribesTheTableOfRoutes() async throws {
        let paths = try #require(try description()["paths"]?.object)
        var described: Set<String> = []
        for path in paths.members {
            for operation in path.value.object?.members ?? [] where operation.key != "parameters" {
                let schemes = operation.value["security"]?.array?.flatMap { $0.object?.members.map(\.key) ?? [] }
                // Without an explicit scheme the description requires the secret.
                let access = schemes.map { $0.first ?? "open" } ?? "secret"
                described.insert("\(operation.key.uppercased()) \(Self.unnamed(path.key)) \(access)")
            }
        }
        try await RunningServer.run { server in
            let routes = server.server.routes.map { route in
                "\(route.method.rawValue) \(Self.unnamed(route.pattern)) \(route.access)"
            }
            #expect(Set(routes) == described)
            #expect(routes.count == described.count)
        }
    }

    /// Their requests need a task of their own, so that its memory is freed before the stream ends.
    @Test func onlyTheStreamOfEventsLasts() async throws {
        try await RunningServer.run { server in
            #expect(server.server.routes.filter(\.streams).map(\.pattern) == ["/instant/v1/events"])
        }
    }

    /// Parameters have shorter names in metrics and logs.
    private static func unnamed(_ pattern: String) -> String { pattern.replacing(/\{[^}]*\}/, with: "{}") }

    @Test func anAddressTellsWhatItTakes() async throws {
        try await RunningServer.run { server in
            let answers = [
                ("PATCH", "/api/documents", "GET, HEAD, POST"), ("POST", "/healthcheck", "GET, HEAD"),
                ("GET", "/api/documents/doc", "DELETE"), ("PUT", "/instant/v1/changes", "POST"),
            ]
            for (method, path, allow) in answers {
                let answer = try await server.backend(method, path)
                #expect((answer.status, answer.reason) == (405, "method_not_allowed"))
                #expect(answer.headers["allow"] == allow)
            }
        }
    }

    /// Requests from the description's own examples never cause a server error or an undocumented response.
    /// `make api-test` generates many more (`API_EXAMPLES`).
    @Test(
        .enabled(if: Program.python != nil, "make test installs schemathesis"),
        arguments: ["^/(api|healthcheck|readiness|openapi)", "^/instant"])
    func whatIsMadeUpFromItIsAnsweredAsItSays(_ addresses: String) async throws {
        let python = try #require(Program.python)
        let count = ProcessInfo.processInfo.environment["API_EXAMPLES"]
        try await RunningServer.run {
            $0.now = { Server.systemClock() }
            // schemathesis also sends many requests without the secret.
            $0.service.failedLoginsPerMinute = 0
            $0.service.unauthenticatedRequestsPerSecond = 0
        } _: { server in
            try await server.upload()
            let path = "/api/documents/doc/layers/review/annotations/6/comments"
            _ = try await server.backend("POST", path, json: #"{"comments":[{"content":{"text":"why?"}}]}"#)
            var claims = TokenClaims()
            claims.expires = Server.systemClock() + 3_600_000
            let secret =
                addresses.contains("instant")
                ? "Bearer \(try server.mint.token(claims))" : #"Token token="\#(RunningServer.secret)""#
            let outcome = try await Program.run(
                python,
                [
                    "-m", "schemathesis.cli", "run", server.url + "/openapi.json", "--header",
                    "Authorization: \(secret)",
                    "--include-path-regex", addresses, "--seed", "1", "--generation-database", "none", "--no-color",
                    "--phases", count == nil ? "examples" : "examples,coverage,fuzzing,stateful",
                    "--max-examples", count ?? "1", "--request-timeout", "30",
                    // The server decides what it refuses or accepts.
                    "--exclude-checks", "negative_data_rejection,positive_data_acceptance",
                ])
            #expect(outcome.status == 0, "\(outcome.output)")
        }
    }
}
