import Foundation
import SyncProtocol
import TestThreads
import Testing

@testable import DocumentEngine

/// What differs for clients of HTTP/1.0, and what HTTP/1.1 requires of a request.
@Suite("Versions of HTTP", .timeLimit(.minutes(15))) struct HTTPVersionTests {
    private static func head(_ answer: String) -> String {
        (answer.components(separatedBy: "\r\n\r\n").first ?? "").lowercased()
    }

    /// Chunks are unknown to HTTP/1.0 (RFC 9112, section 6.1): the events end with the connection.
    @Test(arguments: ["", "Connection: keep-alive\r\n"]) func anOldClientReceivesEvents(_ field: String) async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            try await RawConnection.open(server) { connection in
                try await connection.send(
                    "GET /instant/v1/events HTTP/1.0\r\n\(field)Authorization: Bearer \(token)\r\n\r\n")
                let begin = try await connection.read(until: #""open"}"#)
                let head = Self.head(begin)
                #expect(head.hasPrefix("http/1.0 200 ok\r\n"), "\(head)")
                #expect(!head.contains("transfer-encoding") && head.contains("connection: close"))
                #expect(try await server.push(token, [Samples.create(1, "n1")]).status == 200)
                let event = try await connection.read(until: #""n1""#)
                #expect(event.contains("event: change") && !event.contains("\r\n"), "\(event)")
                await server.server.stop()
                let rest = try await connection.rest()
                #expect(rest.contains("closing") && !rest.contains("\r\n"), "\(rest)")
            }
        }
    }

    struct HostRow: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var version = "1.1"
        var fields: String
        var status: String
    }

    static let hosts: [HostRow] = [
        HostRow(testDescription: "one", fields: "Host: example.org:5000\r\n", status: "200"),
        HostRow(testDescription: "IPv6", fields: "Host: [::1]:5000\r\n", status: "200"),
        HostRow(testDescription: "empty", fields: "Host: \r\n", status: "200"),
        HostRow(testDescription: "missing", fields: "", status: "400"),
        HostRow(testDescription: "twice", fields: "Host: a\r\nHost: b\r\n", status: "400"),
        HostRow(testDescription: "twice the same", fields: "Host: a\r\nhost: a\r\n", status: "400"),
        HostRow(testDescription: "a path", fields: "Host: a/b\r\n", status: "400"),
        HostRow(testDescription: "a space", fields: "Host: a b\r\n", status: "400"),
        HostRow(testDescription: "a user", fields: "Host: me@a\r\n", status: "400"),
        HostRow(testDescription: "none in HTTP/1.0", version: "1.0", fields: "", status: "200"),
        HostRow(testDescription: "two in HTTP/1.0", version: "1.0", fields: "Host: a\r\nHost: a\r\n", status: "400"),
    ]

    /// RFC 9112, section 3.2
    @Test(arguments: hosts) func aRequestHasOneHost(_ row: HostRow) async throws {
        try await RunningServer.run {
            $0.metrics = Server.ListenAddress(host: "127.0.0.1", port: 0)
        } _: { server in
            for port in [server.port, server.server.metricsPort] {
                let answer = try await RawConnection.open(server, port: port) { connection in
                    try await connection.send("GET /healthcheck HTTP/\(row.version)\r\n\(row.fields)\r\n")
                    connection.endInput()
                    return try await connection.rest()
                }
                #expect(answer.hasPrefix("HTTP/1.1 \(row.status) "), "\(answer)")
                if row.status == "400" { #expect(answer.contains(#""reason":"bad_request""#)) }
            }
        }
    }
}
