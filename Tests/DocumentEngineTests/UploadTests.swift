import Annotations
import Authorization
import Crypto
import PostgresSupport
import SyncProtocol
import TestThreads
import Testing

@testable import DocumentEngine

/// Uploads in parts: what a connection brought before it was cut stays, for its user, in its layer, for a day.
@Suite("Uploads in parts", .timeLimit(.minutes(15))) struct UploadTests {
    private static let file = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 9) }
    private static let name = SHA256.hash(data: file).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()

    enum Kind: CaseIterable { case file, database }

    private func run(
        on kind: Kind = .file, folder: TemporaryFolder? = nil, clock: TestClock = TestClock(),
        _ body: (RunningServer) async throws -> Void
    ) async throws {
        try await RunningServer.run(
            folder: folder, clock: clock,
            {
                if kind == .database { $0.postgres = try TestDatabase().address }
            }
        ) { server in
            try await server.upload()
            try await body(server)
        }
    }

    private func put(
        _ server: RunningServer, _ token: String, _ range: Range<Int>, of file: [UInt8] = Self.file,
        named name: String = Self.name
    ) async throws -> RunningServer.Answer {
        try await server.client(
            token, "PUT", "attachments/" + name,
            headers: [("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.count)")],
            body: Array(file[range]))
    }

    private func offset(
        _ server: RunningServer, _ token: String, named name: String = Self.name
    ) async throws -> String? {
        try await server.client(token, "HEAD", "attachments/" + name).headers["upload-offset"]
    }

    private func isComplete(
        _ server: RunningServer, _ token: String, named name: String = Self.name
    ) async throws -> Bool {
        try await server.client(token, "HEAD", "attachments/" + name).headers["upload-complete"] == "?1"
    }

    private func image(_ id: String, naming name: String = Self.name, n: Int64 = 1) -> Change {
        let content = Samples.note("").changing {
            $0["type"] = "pspdfkit/image"
            $0["imageAttachmentId"] = .string(name)
        }
        return Change(n: n, kind: .create, id: id, baseRevision: 0, content: content)
    }

    /// Another file for each number, and its name.
    private static func other(_ number: Int) -> (file: [UInt8], name: String) {
        let file = file.map { $0 ^ UInt8(truncatingIfNeeded: number + 1) }
        return (file, SHA256.hash(data: file).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
    }

    // MARK: Parts

    @Test(arguments: Kind.allCases) func aFileArrivesInParts(_ kind: Kind) async throws {
        try await run(on: kind) { server in
            let ana = try server.mint.token(TokenClaims())
            #expect(try await offset(server, ana) == "0")
            for (range, stored) in [(0..<40_000, "40000"), (40_000..<40_001, "40001"), (40_001..<90_000, "90000")] {
                let answer = try await put(server, ana, range)
                #expect((answer.status, answer.json["bytes"]?.text) == (200, stored))
                #expect(try await offset(server, ana) == stored)
                let early: PushAnswer = try await server.push(ana, client: stored, [image("i")]).message()
                #expect(early.results.first?.status == .invalid, "a part is not a file")
            }
            #expect(try await !isComplete(server, ana))
            #expect(try await put(server, ana, 90_000..<100_000).status == 200)
            #expect(try await offset(server, ana) == "100000")
            #expect(try await isComplete(server, ana))
            let named: PushAnswer = try await server.push(ana, [image("i")]).message()
            #expect(named.results.first?.status == .applied)
            let bo = try server.mint.token(TokenClaims(user: "bo"))
            let whole = try await server.client(bo, "GET", "attachments/" + Self.name)
            #expect(whole.body == Self.file)
            let seen = try await server.client(bo, "HEAD", "attachments/" + Self.name)
            #expect((seen.status, seen.headers["upload-offset"]) == (200, "100000"), "who sees it may name it")
            #expect(seen.headers["upload-complete"] == "?1")
        }
    }

    /// Its bytes have not been checked against the file's name.
    @Test(arguments: Kind.allCases) func aPartAsLongAsTheFileIsNotTheFile(_ kind: Kind) async throws {
        try await run(on: kind) { server in
            let ana = try server.mint.token(TokenClaims())
            _ = try await put(server, ana, 0..<100_000, of: Self.file + [0])
            #expect(try await offset(server, ana) == "100000")
            #expect(try await !isComplete(server, ana))
            let early: PushAnswer = try await server.push(ana, [image("i")]).message()
            #expect(early.results.first?.status == .invalid)
            #expect(try await put(server, ana, 0..<100_000).status == 200)
            #expect(try await isComplete(server, ana))
        }
    }

    /// The answer to an upload was lost; the next day its client asks, and sends the record.
    @Test(arguments: Kind.allCases) func aFileThatIsAskedForCanBeNamedForAnotherDay(_ kind: Kind) async throws {
        try await run(on: kind) { server in
            let ana = try server.mint.token(TokenClaims(expires: TestClock.start + 10 * 86_400_000))
            _ = try await put(server, ana, 0..<100_000)
            server.clock.advance(seconds: 80_000)
            #expect(try await isComplete(server, ana))
            server.clock.advance(seconds: 80_000)
            try await server.server.tidy()
            let named: PushAnswer = try await server.push(ana, [image("i")]).message()
            #expect(named.results.first?.status == .applied)
        }
    }

    @Test(arguments: Kind.allCases) func aPartThatDoesNotFollowIsRefused(_ kind: Kind) async throws {
        try await run(on: kind) { server in
            let ana = try server.mint.token(TokenClaims())
            #expect(try await put(server, ana, 10_000..<20_000).reason == "range_not_satisfiable")
            _ = try await put(server, ana, 0..<40_000)
            for range in [30_000..<50_000, 50_000..<100_000] {
                let answer = try await put(server, ana, range)
                #expect((answer.status, answer.reason) == (416, "range_not_satisfiable"))
            }
            #expect(try await offset(server, ana) == "40000")
            // From the beginning is always possible.
            #expect(try await put(server, ana, 0..<20_000).status == 200)
            #expect(try await offset(server, ana) == "20000")
        }
    }

    @Test(arguments: Kind.allCases) func partsThatAreAnotherFileAreDropped(_ kind: Kind) async throws {
        try await run(on: kind) { server in
            let ana = try server.mint.token(TokenClaims())
            let other = Self.other(1).file
            _ = try await put(server, ana, 0..<40_000, of: other)
            let answer = try await put(server, ana, 40_000..<100_000)
            #expect((answer.status, answer.reason) == (422, "invalid"))
            #expect(try await offset(server, ana) == "0")
            #expect(try await put(server, ana, 0..<100_000).status == 200)
        }
    }

    @Test(arguments: [
        "bytes 0-9", "bytes 0-9/*", "bytes */100", "bytes 9-0/100", "bytes 0-100/100", "bytes -1-9/100", "0-9/100",
        "bytes 0-9/99999999999999999999", "bytes +0-9/100", "bytes 0-9/100/1", "bytes ", "bytes 0-9-9/100",
        "items 0-9/100",
    ])
    func aRangeThatMakesNoSenseIsRefused(_ range: String) async throws {
        try await run { server in
            let ana = try server.mint.token(TokenClaims())
            let answer = try await server.client(
                ana, "PUT", "attachments/" + Self.name, headers: [("Content-Range", range)],
                body: Array(Self.file.prefix(10)))
            #expect((answer.status, answer.reason) == (400, "bad_request"))
        }
    }

    @Test func aBodyOfAnotherLengthThanItsRangeIsRefused() async throws {
        try await run { server in
            let ana = try server.mint.token(TokenClaims())
            for (count, reason) in [(0, "bad_request"), (9, "bad_request"), (11, "payload_too_large")] {
                let answer = try await server.client(
                    ana, "PUT", "attachments/" + Self.name, headers: [("Content-Range", "bytes 0-9/100000")],
                    body: Array(Self.file.prefix(count)))
                #expect(answer.reason == reason)
            }
            #expect(try await offset(server, ana) == "0")
        }
    }

    @Test func aFileThatIsTooLargeIsRefusedWithItsFirstPart() async throws {
        try await RunningServer.run {
            $0.service.attachmentBytes = 99_999
        } _: { server in
            try await server.upload()
            let ana = try server.mint.token(TokenClaims())
            #expect(try await put(server, ana, 0..<10).reason == "payload_too_large")
            #expect(try await offset(server, ana) == "0")
        }
    }

    // MARK: Whose parts they are

    @Test(arguments: Kind.allCases) func aPartIsItsUsersInItsLayer(_ kind: Kind) async throws {
        try await run(on: kind) { server in
            let ana = try server.mint.token(TokenClaims())
            _ = try await put(server, ana, 0..<40_000)
            for claims in [TokenClaims(user: "bo"), TokenClaims(user: nil), TokenClaims(layer: "other")] {
                let other = try server.mint.token(claims)
                #expect(try await offset(server, other) == "0")
                #expect(try await put(server, other, 40_000..<100_000).status == 416)
            }
            let reader = try server.mint.token(TokenClaims(permissions: #"["read-document"]"#))
            #expect(try await offset(server, reader) == nil)
            #expect(try await put(server, reader, 40_000..<100_000).reason == "insufficient_scope")
            let again = try server.mint.token(TokenClaims(id: "another"))
            #expect(try await put(server, again, 40_000..<100_000).status == 200)
        }
    }

    @Test(arguments: Kind.allCases) func eachUserHasFourPartsForADay(_ kind: Kind) async throws {
        try await run(on: kind) { server in
            let ana = try server.mint.token(TokenClaims(expires: TestClock.start + 10 * 86_400_000))
            let bo = try server.mint.token(
                TokenClaims(user: "bo", expires: TestClock.start + 10 * 86_400_000))
            _ = try await put(server, bo, 0..<40_000)
            for number in 0..<5 {
                let other = Self.other(number)
                _ = try await put(server, ana, 0..<20_000, of: other.file, named: other.name)
                server.clock.advance(seconds: 1)
            }
            var offsets: [String?] = []
            for number in 0..<5 { offsets.append(try await offset(server, ana, named: Self.other(number).name)) }
            #expect(offsets == ["0", "20000", "20000", "20000", "20000"])
            let elsewhere = try server.mint.token(
                TokenClaims(layer: "other", expires: TestClock.start + 10 * 86_400_000))
            _ = try await put(server, elsewhere, 0..<10_000)
            #expect(try await offset(server, ana, named: Self.other(1).name) == "20000")
            #expect(try await offset(server, bo) == "40000")
            server.clock.advance(seconds: 2 * 86_400)
            try await server.server.tidy()
            #expect(try await offset(server, bo) == "0")
        }
    }

    // MARK: Connections that end

    /// The head of a request for a part or all of the file, and the first bytes of its body.
    private func beginning(_ token: String, _ range: Range<Int>?, bytes: Int) -> String {
        let start = range?.lowerBound ?? 0
        let field = range.map { "Content-Range: bytes \($0.lowerBound)-\($0.upperBound - 1)/\(Self.text.count)\r\n" }
        return """
            PUT /instant/v1/attachments/\(Self.textName) HTTP/1.1\r
            Host: here\r
            Authorization: Bearer \(token)\r
            Content-Length: \(range?.count ?? Self.text.count)\r
            \(field ?? "")\r
            \(String(decoding: Self.text[start..<start + bytes], as: UTF8.self))
            """
    }

    private static let text = (0..<100_000).map { UInt8(ascii: "a") + UInt8($0 % 23) }
    private static let textName = SHA256.hash(data: text).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()

    @Test(arguments: Kind.allCases) func whatArrivedBeforeAConnectionWasCutStays(_ kind: Kind) async throws {
        try await run(on: kind) { server in
            let ana = try server.mint.token(TokenClaims())
            try await RawConnection.open(server) { connection in
                try await connection.send(beginning(ana, nil, bytes: 50_000))
                connection.endInput()
                _ = try await connection.rest()
            }
            try await waitUntil("the beginning is kept") {
                try await offset(server, ana, named: Self.textName) == "50000"
            }
            try await RawConnection.open(server) { connection in
                try await connection.send(beginning(ana, 50_000..<100_000, bytes: 30_000))
                connection.endInput()
                _ = try await connection.rest()
            }
            try await waitUntil("more is kept") { try await offset(server, ana, named: Self.textName) == "80000" }
            #expect(try await put(server, ana, 80_000..<100_000, of: Self.text, named: Self.textName).status == 200)
            let named: PushAnswer = try await server.push(ana, [image("i", naming: Self.textName)]).message()
            #expect(named.results.first?.status == .applied)
        }
    }

    /// Its client has another address by now, and nothing tells the server.
    @Test func aConnectionThatDiedWithoutAWordGivesUpWhatItBrought() async throws {
        try await run { server in
            let ana = try server.mint.token(TokenClaims())
            // What is on its way to the server may arrive after the question.
            try await waitUntil("the beginning is known") {
                try await RawConnection.open(server) { connection in
                    try await connection.send(beginning(ana, nil, bytes: 50_000))
                    // The request may begin after the question.
                    for _ in 0..<50 where try await offset(server, ana, named: Self.textName) != "0" { return true }
                    return false
                }
            }
            let known = try await offset(server, ana, named: Self.textName).flatMap { Int($0) } ?? 0
            #expect(known > 0)
            let rest = try await put(server, ana, known..<100_000, of: Self.text, named: Self.textName)
            #expect(rest.status == 200)
        }
    }

    @Test func partsOutliveTheServer() async throws {
        let (folder, clock) = (try TemporaryFolder(), TestClock())
        var token = ""
        try await run(folder: folder, clock: clock) { server in
            token = try server.mint.token(TokenClaims())
            _ = try await put(server, token, 0..<40_000)
        }
        try await RunningServer.run(folder: folder, clock: clock) { server in
            let ana = try server.mint.token(TokenClaims())
            #expect(try await offset(server, ana) == "40000")
            #expect(try await put(server, ana, 40_000..<100_000).status == 200)
        }
    }
}
