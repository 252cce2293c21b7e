import Testing

/// A client that sends `Expect: 100-continue` gets the interim response if its body is wanted, and the error if not.
@Suite("Expect: 100-continue", .timeLimit(.minutes(15))) struct ContinueTests {
    private static let go = "HTTP/1.1 100 Continue\r\n\r\n"
    private static let push = #"{"clientID":"c","acked":0,"cursor":null,"changes":[]}"#

    private func head(
        _ authorization: String, _ lines: [String] = [], version: String = "1.1", length: Int
    ) -> String {
        let first = ["POST /instant/v1/changes HTTP/\(version)", "Host: here", "Authorization: \(authorization)"]
        return (first + lines + ["Content-Length: \(length)"]).map { $0 + "\r\n" }.joined() + "\r\n"
    }

    @Test(arguments: ["100-continue", "100-Continue"])
    func aBodyThatIsWantedIsAskedFor(_ expectation: String) async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let body = Self.push
            try await RawConnection.open(server) { connection in
                for _ in 0..<3 {
                    try await connection.send(
                        head("Bearer \(token)", ["Expect: \(expectation)"], length: body.utf8.count))
                    #expect(try await connection.read(until: "\r\n\r\n") == Self.go)
                    try await connection.send(body)
                    #expect(try await connection.read(until: #""results":[]"#).hasPrefix("HTTP/1.1 200 OK\r\n"))
                }
            }
        }
    }

    /// The server requests no body before it knows the sender and the length.
    @Test func aBodyThatIsNotWantedIsNotAskedFor() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let tooMuch = 5 << 20
            for (authorization, length, status) in [
                ("Bearer none", 5, "401"), ("Bearer \(token)", tooMuch, "413"),
            ] {
                try await RawConnection.open(server) { connection in
                    try await connection.send(head(authorization, ["Expect: 100-continue"], length: length))
                    #expect(try await connection.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 \(status) "))
                }
            }
        }
    }

    @Test func whoDoesNotWaitIsNotTold() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let body = Self.push
            for (version, lines) in [("1.0", ["Expect: 100-continue"]), ("1.1", []), ("1.1", ["Expect: a miracle"])] {
                try await RawConnection.open(server) { connection in
                    let head = head("Bearer \(token)", lines, version: version, length: body.utf8.count)
                    try await connection.send(head)
                    try await connection.send(body)
                    let answer = try await connection.read(until: #""results":[]"#)
                    #expect(answer.prefix(15).hasSuffix(" 200 OK"), "\(answer)")
                }
            }
        }
    }
}
