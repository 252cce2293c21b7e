import Annotations
import DocumentEngine
import Testing

/// PDF downloads: ranges, entity tags, slow connections (RFC 9110 sections 13 and 14).
@Suite("PDF delivery", .timeLimit(.minutes(15))) struct DeliveryTests {
    @Test func aRangeGoesOnWhereADownloadStopped() async throws {
        try await RunningServer.run { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let whole = try await server.client(token, "GET", "document")
            let tag = try #require(whole.headers["etag"])
            #expect(whole.headers["accept-ranges"] == "bytes")
            #expect(whole.headers["content-length"] == "\(Samples.pdf.count)")
            #expect(whole.headers["cache-control"] == "no-store")
            let size = Samples.pdf.count
            func ask(_ range: String, _ more: [(String, String)] = []) async throws -> RunningServer.Answer {
                try await server.client(token, "GET", "document", headers: [("Range", range)] + more)
            }
            for (range, bytes) in [
                ("bytes=0-9", 0..<10), ("bytes=100-", 100..<size), ("bytes=-7", size - 7..<size),
                ("bytes=5-5", 5..<6), ("bytes=100-99999999", 100..<size), ("bytes=-99999999", 0..<size),
            ] {
                let part = try await ask(range, [("If-Range", tag)])
                #expect(part.status == 206, "\(range)")
                #expect(part.body == Array(Samples.pdf[bytes]), "\(range)")
                #expect(
                    part.headers["content-range"] == "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(size)")
                #expect(part.headers["etag"] == tag)
            }
            // A changed file or an invalid range returns the whole file.
            #expect(try await ask("bytes=5-", [("If-Range", "\"other\"")]).status == 200)
            for range in ["bytes=9-5", "bytes=a-b", "items=0-1", "bytes=0-1,5-6", "bytes="] {
                #expect(try await ask(range).body.count == size, "\(range)")
            }
            for range in ["bytes=\(size)-", "bytes=-0", "bytes=99999999-"] {
                let answer = try await ask(range)
                #expect((answer.status, answer.reason) == (416, "range_not_satisfiable"), "\(range)")
                #expect(answer.headers["content-range"] == "bytes */\(size)")
            }
            let known = try await server.client(token, "GET", "document", headers: [("If-None-Match", tag)])
            #expect((known.status, known.body.count) == (304, 0))
            let head = try await server.client(token, "HEAD", "document")
            #expect((head.status, head.body.count) == (200, 0))
            #expect(head.headers["content-length"] == "\(size)")
        }
    }

    @Test func aSlowLinkIsSlow() async throws {
        let clock = ContinuousClock()
        try await RunningServer.run {
            $0.rate = Samples.pdf.count * 2
        } _: { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let start = clock.now
            #expect(try await server.client(token, "GET", "document").body == Samples.pdf)
            #expect(clock.now - start >= .milliseconds(400))
        }
    }
}
