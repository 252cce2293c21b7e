import Annotations
import Foundation
import SyncProtocol
import Testing

@testable import DocumentEngine

/// Requests sent without waiting for earlier responses (RFC 9112, section 9.3.2) are each answered once, in order.
@Suite("Pipelined requests", .timeLimit(.minutes(15))) struct PipeliningTests {
    private static func request(_ method: String, _ path: String, _ lines: [String] = [], body: String = "") -> String {
        let head = ["\(method) \(path) HTTP/1.1", "Host: x", "Content-Length: \(body.utf8.count)"] + lines
        return head.map { $0 + "\r\n" }.joined() + "\r\n" + body
    }

    private static func push(_ token: String, _ changes: [Change]) -> String {
        let push = PushRequest(clientID: "c", acked: 0, cursor: nil, changes: changes)
        return request(
            "POST", "/instant/v1/changes", ["Authorization: Bearer \(token)"],
            body: String(decoding: push.bytes, as: UTF8.self))
    }

    /// The statuses of `count` responses, in order of arrival.
    private static func statuses(_ count: Int, _ connection: inout RawConnection) async throws -> [String] {
        var found: [String] = []
        var text = ""
        while found.count < count {
            let piece = try await connection.piece()
            guard !piece.isEmpty else { break }
            text += piece
            // The last line may be truncated.
            let lines = text.components(separatedBy: "HTTP/1.1 ")
            guard lines.count > 1 else { continue }
            found += lines.dropFirst().dropLast().map { String($0.prefix(3)) }
            text = "HTTP/1.1 " + (lines.last ?? "")
            if found.count == count - 1, text.utf8.count >= 12 { found.append(String(text.dropFirst(9).prefix(3))) }
        }
        return found
    }

    /// A queued request must not be answered from within the previous response: the stack would grow with each request.
    @Test(arguments: [0, 200]) func thousandsBehindAPushAreAnswered(_ changes: Int) async throws {
        try await RunningServer.run {
            $0.service.unauthenticatedRequestsPerSecond = 0
        } _: { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let first = Self.push(token, (0..<max(changes, 1)).map { Samples.create(Int64($0) + 1, "a\($0)") })
            let invalid = Self.request("POST", "/instant/v1/changes", body: "x")
            let count = 3_000
            let statuses = try await RawConnection.open(server) { connection in
                try await connection.send(first + String(repeating: invalid, count: count))
                return try await Self.statuses(count + 1, &connection)
            }
            #expect(statuses.count == count + 1)
            #expect(statuses.first == "200")
            #expect(statuses.dropFirst().allSatisfy { $0 == "401" })
            #expect(try await server.session(token).head == Int64(max(changes, 1)))
        }
    }

    /// Nothing more arrives on the connection that could wake the queued request.
    @Test func whatStandsBehindAPushIsAnswered() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            for n in 1...40 {
                let both = Self.push(token, [Samples.create(Int64(n), "a\(n)")]) + Self.request("GET", "/healthcheck")
                let answer = try await RawConnection.open(server) { connection in
                    try await connection.send(both)
                    return try await Self.statuses(2, &connection)
                }
                #expect(answer == ["200", "200"], "connection \(n)")
            }
        }
    }

    @Test func requestsOfEachKindAreAnsweredInOrder() async throws {
        try await RunningServer.run {
            $0.service.unauthenticatedRequestsPerSecond = 0
        } _: { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            var text = ""
            var expected: [String] = []
            for n in 1...200 {
                text += Self.push(token, [Samples.create(Int64(n), "a\(n)")])
                text += Self.request("GET", "/healthcheck")
                text += Self.request("GET", "/nothing")
                text += Self.request("POST", "/instant/v1/changes", body: "x")
                text += Self.request("GET", "/instant/v1/session", ["Authorization: Bearer \(token)"])
                expected += ["200", "200", "404", "401", "200"]
            }
            let (all, count) = (text, expected.count)
            let answers = try await RawConnection.open(server) { connection in
                try await connection.send(all)
                return try await Self.statuses(count, &connection)
            }
            #expect(answers == expected)
        }
    }
}
