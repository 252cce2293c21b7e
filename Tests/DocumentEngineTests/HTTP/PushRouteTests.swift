import Annotations
import Foundation
import SyncProtocol
import TestThreads
import Testing

@testable import DocumentEngine

/// `POST /instant/v1/changes` as bytes on a connection.
@Suite("Pushes", .timeLimit(.minutes(15))) struct PushRouteTests {
    /// - Parameter lines: Lines of the head in addition to the length.
    private static func push(_ lines: [String], _ body: String) -> String {
        let head = ["POST /instant/v1/changes HTTP/1.1", "Host: x", "Content-Length: \(body.utf8.count)"] + lines
        return head.map { $0 + "\r\n" }.joined() + "\r\n" + body
    }

    private static func body(_ n: Int64, acked: Int64 = 0) -> String {
        let push = PushRequest(
            clientID: "c", acked: acked, cursor: nil, changes: [Samples.create(n, "a\(n)")])
        return String(decoding: push.bytes, as: UTF8.self)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var status: Int
        var lines: @Sendable (RunningServer) throws -> [String]
        var body = PushRouteTests.body(1)
    }

    static let cases = [
        Case(testDescription: "valid", status: 200) { ["Authorization: Bearer \(try $0.mint.token(TokenClaims()))"] },
        Case(testDescription: "valid, with its own request id", status: 200) {
            [
                "Authorization: Bearer \(try $0.mint.token(TokenClaims()))", "X-Request-Id: mine",
                "Connection: keep-alive",
            ]
        },
        Case(testDescription: "no credentials", status: 401) { _ in [] },
        Case(testDescription: "no bearer", status: 401) { _ in ["Authorization: Basic abc"] },
        Case(testDescription: "not a valid token", status: 401) { _ in ["Authorization: Bearer a.b.c"] },
        Case(testDescription: "no right to write", status: 403) {
            ["Authorization: Bearer \(try $0.mint.token(TokenClaims(permissions: #"["read-document"]"#)))"]
        },
        Case(testDescription: "a newer protocol version", status: 426) {
            ["Authorization: Bearer \(try $0.mint.token(TokenClaims()))", "\(ProtocolVersion.header): 99"]
        },
        Case(
            testDescription: "an invalid message", status: 400,
            lines: { ["Authorization: Bearer \(try $0.mint.token(TokenClaims()))"] }, body: #"{"clientID":1}"#),
        Case(
            testDescription: "too large", status: 413,
            lines: { ["Authorization: Bearer \(try $0.mint.token(TokenClaims()))"] },
            body: String(repeating: " ", count: 30_000)),
    ]

    @Test(arguments: cases, [[], ["Connection: close"]]) func isAnswered(_ one: Case, _ more: [String]) async throws {
        try await RunningServer.run {
            $0.limits = ServerLimits(batchBytes: 20_000)
        } _: { server in
            try await server.upload()
            let lines = try one.lines(server) + more
            let answer = try await RawConnection.request(Self.push(lines, one.body), with: server)
            #expect(answer.hasPrefix("HTTP/1.1 \(one.status)"), "\(answer.prefix(200))")
            #expect(answer.lowercased().contains("\r\ndate: "))
            #expect(answer.contains("mine") == lines.contains("X-Request-Id: mine"))
        }
    }

    @Test func whatComesAtOnceIsAnsweredInItsOrder() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let who = ["Authorization: Bearer \(try server.mint.token(TokenClaims()))"]
            let health = "GET /healthcheck HTTP/1.1\r\nHost: x\r\n\r\n"
            let session = "GET /instant/v1/session HTTP/1.1\r\nHost: x\r\n\(who[0])\r\n\r\n"
            for round in Int64(0)..<3 {
                let n = round * 4
                let pushes = (1...4).map { Self.push(who, Self.body(n + $0, acked: n)) }
                let text = pushes[0] + health + pushes[1] + pushes[2] + session + pushes[3]
                let answers = try await RawConnection.request(text, with: server)
                    .components(separatedBy: "HTTP/1.1 200 OK").dropFirst().map { $0 }
                #expect(answers.count == 6)
                for (place, word) in [
                    "\"n\":\(n + 1)", "\"ok\"", "\"n\":\(n + 2)", "\"n\":\(n + 3)", "\"head\":\(n + 3)",
                    "\"n\":\(n + 4)",
                ].enumerated() {
                    #expect(answers.indices.contains(place) && answers[place].contains(word), "\(place) \(word)")
                }
            }
        }
    }

    /// After garbage behind a push, the server still answers the push, then closes the connection.
    @Test func whatIsNoRequestBehindAPushEndsTheConnectionAfterIt() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let text = Self.push(["Authorization: Bearer \(token)"], Self.body(1)) + "GARBAGE\r\n\r\n"
            let answer = try await RawConnection.request(text, with: server)
            #expect(answer.hasPrefix("HTTP/1.1 200"))
            #expect(answer.contains(#""applied""#) && answer.contains("HTTP/1.1 400"))
            #expect(try await server.session(token).head == 1)
        }
    }

    /// A push applies even if the client disconnects before the response.
    @Test func whoLeavesHasPushed() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            for n in Int64(1)...20 {
                try await RawConnection.open(server) {
                    try await $0.send(Self.push(["Authorization: Bearer \(token)"], Self.body(n)))
                }
                try await waitUntil("push \(n) is applied") { try await server.session(token).head >= n }
            }
            // An unread response is sent again.
            let again = (Int64(1)...20).map { Samples.create($0, "a\($0)") }
            let all: PushAnswer = try await server.push(token, client: "c", again).message()
            #expect(all.results.map(\.n) == Array(1...20))
            #expect(all.results.allSatisfy { $0.status == .applied })
        }
    }
}
