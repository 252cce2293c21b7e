import Annotations
import DocumentEngine
import Foundation
import Postgres
import PostgresSupport
import SyncProtocol
import Synchronization
import TestSupport
import TestThreads
import Testing

/// A server whose disk is nearly full rejects writes with a reason. Reads and deletions continue, and the server
/// recovers once there is space.
@Suite("Disk space", .timeLimit(.minutes(15))) struct DiskSpaceTests {
    /// A disk whose free space the test sets.
    private final class Disk: Sendable {
        private let bytes = Mutex(Int64(1) << 40)
        var free: Int64 { bytes.withLock { $0 } }
        func set(_ free: Int64) { bytes.withLock { $0 = free } }
    }

    private static func run(_ disk: Disk, _ log: RecordedLog, _ body: (RunningServer) async throws -> Void) async throws
    {
        try await RunningServer.run {
            $0.postgres = nil
            $0.freeBytes = { _ in disk.free }
            $0.service.freeDiskBytes = 1_000_000
            $0.logger = log.logger
            $0.metrics = Server.ListenAddress(host: "127.0.0.1", port: 0)
        } _: { server in
            try await body(server)
        }
    }

    private static func ready(_ server: RunningServer, _ isReady: Bool) async throws {
        try await waitUntil("the server \(isReady ? "has" : "lacks") space") {
            try await server.send("GET", "/readiness").status == (isReady ? 200 : 503)
        }
    }

    @Test func belowTheLimitNothingIsStored() async throws {
        let (disk, log) = (Disk(), RecordedLog())
        try await Self.run(disk, log) { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            #expect(try await server.push(token, [Samples.create(1, "n1")]).status == 200)
            disk.set(999_999)
            try await Self.ready(server, false)
            let readiness = try await server.send("GET", "/readiness")
            #expect(readiness.reason == "storage_full" && readiness.headers["retry-after"] == "30")

            let picture = [UInt8]("picture".utf8)
            let name = String(repeating: "a", count: 64)
            let layer = "/api/documents/doc/layers/review"
            let note = #"{"content":{"v":2,"type":"pspdfkit/note","pageIndex":0,"bbox":[0,0,1,1]}}"#
            let refused = [
                try await server.push(token, [Samples.create(2, "n2")]),
                try await server.client(token, "PUT", "attachments/\(name)", body: picture),
                try await server.upload("other"),
                try await server.backend("POST", layer + "/annotations", json: note),
                try await server.backend("PUT", layer + "/annotations/n1", json: note),
                try await server.backend("POST", layer + "/annotations/6/comments", json: #"{"comments":[]}"#),
                try await server.backend("POST", layer + "/comments", json: #"{}"#),
                try await server.backend("POST", layer + "/apply_instant_json", json: #"{}"#),
                try await server.backend("POST", "/api/documents/doc/layers", json: #"{"name":"x"}"#),
                try await server.backend("POST", "/api/copy_document", json: #"{"document_id":"doc"}"#),
            ]
            for answer in refused {
                #expect((answer.status, answer.reason) == (503, "storage_full"), "\(answer.text)")
                #expect(answer.headers["retry-after"] == "30")
                #expect(answer.text.contains("disk is full"))
            }
            // A token without `write` gets only that answer.
            #expect(try await server.client("none", "POST", "changes", body: []).status == 401)

            for path in ["/api/documents", layer + "/annotations", layer + "/document.json", layer + "/pdf"] {
                #expect(try await server.backend("GET", path).status == 200, "\(path)")
            }
            #expect(try await server.session(token).head == 1)
            #expect(try await server.send("GET", "/healthcheck").status == 200)
            // Deletions and revocations are possible.
            #expect(try await server.backend("POST", "/api/revoke", json: #"{"jwts":["x"]}"#).status == 200)
            #expect(try await server.backend("DELETE", layer + "/annotations/n1").status == 200)

            #expect(try await server.figures().contains("postilla_disk_free_bytes 999999\n"))
            #expect(try await server.figures().contains(#"postilla_refusals_total{reason="storage_full"} 10"#))
            // Leave room for the following writes, too.
            disk.set(2_000_000)
            try await Self.ready(server, true)
            // The changes were not consumed.
            let again = try await server.push(token, [Samples.create(2, "n2")])
            #expect(again.status == 200, "\(again.text)")
            #expect(try again.message(PushAnswer.self).results.map(\.status) == [.applied], "\(again.text)")
            #expect(try await server.upload("other").status == 200)
        }
        let lines = log.text.split(separator: "\n").filter { $0.contains(" free=") }
        #expect(lines.count == 2)
        #expect(lines.first?.contains("error the disk is nearly full: writes are refused folder=/") == true, "\(lines)")
        #expect(lines.first?.hasSuffix("free=999999 least=1000000") == true)
        #expect(lines.last?.hasPrefix("notice the disk has enough space again") == true)
    }

    /// A file that would not fit is refused before it is received or, if its size is not stated, while it arrives.
    @Test func aFileThatWouldNotFitIsNotReceived() async throws {
        let (disk, log) = (Disk(), RecordedLog())
        try await Self.run(disk, log) { server in
            disk.set(1_000_000 + 10_000)
            try await waitUntil("it is measured") { try await server.figures().contains("free_bytes 1010000\n") }
            let large = Samples.pdf + Array(repeating: 0x20, count: 20_000)
            #expect(try await server.upload("large", large).reason == "storage_full")
            #expect(try await server.upload("small").status == 200)

            disk.set(1 << 40)
            try await waitUntil("it is measured") { try await server.figures().contains("free_bytes 1099511627776\n") }
            let answer = try await RawConnection.open(server) { connection in
                try await connection.send(
                    """
                    POST /api/documents?document_id=long HTTP/1.1\r
                    Host: here\r
                    Content-Type: application/pdf\r
                    Authorization: Token token="\(RunningServer.secret)"\r
                    Transfer-Encoding: chunked\r
                    \r
                    400000\r

                    """)
                try await connection.send(String(repeating: "x", count: 0x400000 - 1))
                disk.set(0)
                try? await connection.send("x\r\n400000\r\n" + String(repeating: "x", count: 0x400000))
                return try await connection.rest()
            }
            #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.contains("storage_full"), "\(answer)")
        }
    }

    @Test func withoutALimitNothingIsRefused() async throws {
        try await RunningServer.run {
            $0.freeBytes = { _ in 0 }
            $0.service.freeDiskBytes = 0
        } _: { server in
            let statuses = (try await server.upload().status, try await server.send("GET", "/readiness").status)
            #expect(statuses == (200, 200))
        }
    }

    /// A disk whose free space is unknown does not count as full.
    @Test func unknownFreeSpaceRefusesNothing() async throws {
        try await RunningServer.run {
            $0.freeBytes = { _ in nil }
        } _: { server in
            let statuses = (try await server.upload().status, try await server.send("GET", "/readiness").status)
            #expect(statuses == (200, 200))
        }
    }

    /// Records are in the database, files arrive in the data folder.
    @Test(.onDatabaseThreads) func withADatabaseElsewhereOnlyFilesNeedTheDisk() async throws {
        let disk = Disk()
        try await RunningServer.run {
            $0.postgres = try TestDatabase().address
            $0.freeBytes = { _ in disk.free }
        } _: { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            disk.set(0)
            try await Self.ready(server, false)
            #expect(try await server.upload("other").reason == "storage_full")
            let name = String(repeating: "a", count: 64)
            let attachment = try await server.client(token, "PUT", "attachments/\(name)", body: [1])
            #expect(attachment.reason == "storage_full")
            #expect(try await server.push(token, [Samples.create(1, "n1")]).status == 200)
        }
    }

    @Test(.onDatabaseThreads) func aFullDatabaseIsReported() async throws {
        let address = try TestDatabase().address
        try await RunningServer.run {
            $0.postgres = address
        } _: { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let connection = try PostgresConnection(address)
            try connection.execute(
                """
                CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$;
                CREATE TRIGGER full_disk BEFORE INSERT ON record EXECUTE FUNCTION full_disk();
                """)
            let refused = try await server.push(token, [Samples.create(1, "n1")])
            #expect((refused.status, refused.reason) == (503, "storage_full"), "\(refused.text)")
            #expect(refused.headers["retry-after"] == "30")
            #expect(try await server.session(token).head == 0)
            try connection.execute("DROP TRIGGER full_disk ON record")
            let answer: PushAnswer = try await server.push(token, [Samples.create(1, "n1")]).message()
            #expect(answer.results.map(\.status) == [.applied])
        }
    }

    /// The limit is off, so that the disk itself fails.
    @Test(.enabled(if: TinyDisk.isAllowed, "only root may mount a small file system"), arguments: [2_000, 3_000])
    func aDiskThatIsFullIsToldSo(_ kilobytes: Int) async throws {
        let disk = try TinyDisk(kilobytes: kilobytes)
        let log = RecordedLog()
        try await RunningServer.run {
            $0.dataFolder = disk.path + "/data"
            $0.postgres = nil
            $0.service.freeDiskBytes = 0
            $0.logger = log.logger
        } _: { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            var (n, taken) = (Int64(0), Set<String>())
            var answer: RunningServer.Answer
            let long = Samples.note(String(repeating: "words ", count: 2_000))
            func push() async throws -> RunningServer.Answer {
                n += 1
                let change = Change(n: n, kind: .create, id: "n\(n)", baseRevision: 0, content: long)
                return try await server.push(token, [change])
            }
            repeat {
                answer = try await push()
                if answer.status == 200 { taken.insert("n\(n)") }
            } while answer.status == 200
            for _ in 0..<5 {
                #expect((answer.status, answer.reason) == (503, "storage_full"), "\(answer.text)")
                #expect(answer.headers["retry-after"] == "30")
                n -= 1
                answer = try await push()
            }
            // Several writes share a transaction; each is told that it failed.
            let many = try await withThrowingTaskGroup(of: RunningServer.Answer.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let change = Change(n: 1, kind: .create, id: "m\(number)", baseRevision: 0, content: long)
                        return try await server.push(token, client: "c-\(number)", [change])
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for answer in many { #expect([200, 503].contains(answer.status), "\(answer.text)") }
            #expect(many.contains { $0.reason == "storage_full" })
            let large = try await server.upload("large", Samples.pdf + Array(repeating: 0x20, count: kilobytes << 10))
            #expect((large.status, large.reason) == (503, "storage_full"), "\(large.text)")

            // Reading continues.
            #expect(try await server.session(token).head >= Int64(taken.count))
            try disk.grow(toKilobytes: kilobytes * 8)
            n -= 1
            answer = try await push()
            let last: PushAnswer = try answer.message()
            #expect(last.results.map(\.status) == [.applied])
            taken.insert("n\(n)")
            var found: Set<String> = []
            var next: String? = ""
            while let after = next {
                let page: SnapshotPage = try await server.client(
                    token, "GET", "records" + (after.isEmpty ? "" : "?after=\(after)")
                ).message()
                found.formUnion(page.records.map(\.id))
                next = page.next
            }
            #expect(taken.isSubset(of: found))
        }
        #expect(!log.text.contains("request failed"), "\(log.text.suffix(1_000))")
    }

    /// The PDF fits, but its copy without annotations, which a tool writes, does not.
    @Test(.enabled(if: TinyDisk.isAllowed, "only root may mount a small file system"))
    func aToolThatFillsTheDiskDoesNotMakeThePDFUnreadable() async throws {
        let disk = try TinyDisk(kilobytes: 3_000)
        try await RunningServer.run {
            $0.dataFolder = disk.path + "/data"
            $0.postgres = nil
            $0.service.freeDiskBytes = 0
        } _: { server in
            var random = SeededRandom(seed: 1)
            // It compresses to three quarters at best.
            let text = (0..<140_000).map { _ in String(UInt64.random(in: 1 << 60..<1 << 61, using: &random), radix: 32)
            }
            var pdf = SmallPDF(annotations: [])
            pdf.pages[0].content += text.map { "\n% " + $0 }.joined()
            let bytes = pdf.bytes
            let answer = try await server.upload("large", bytes)
            #expect((answer.status, answer.reason) == (503, "storage_full"), "\(bytes.count): \(answer.text)")
            try disk.grow(toKilobytes: 64_000)
            #expect(try await server.upload("large", bytes).status == 200)
        }
    }

    /// With the limit, writes are refused while the disk still has room for those in progress.
    @Test(.enabled(if: TinyDisk.isAllowed, "only root may mount a small file system"))
    func aSmallDiskIsNotFilled() async throws {
        let disk = try TinyDisk(kilobytes: 16_000)
        try await RunningServer.run {
            $0.dataFolder = disk.path + "/data"
            $0.postgres = nil
            $0.service.freeDiskBytes = 8 << 20
        } _: { server in
            try await server.upload()
            let token = try server.mint.token(TokenClaims())
            let long = Samples.note(String(repeating: "words ", count: 10_000))
            var n = Int64(0)
            var answer: RunningServer.Answer
            repeat {
                n += 1
                let change = Change(n: n, kind: .create, id: "n\(n)", baseRevision: 0, content: long)
                answer = try await server.push(token, [change])
            } while answer.status == 200
            #expect(answer.reason == "storage_full")
            #expect(try await server.send("GET", "/readiness").status == 503)
            #expect(try await server.backend("DELETE", "/api/documents/doc").status == 200)
            try disk.grow(toKilobytes: 64_000)
            try await Self.ready(server, true)
            #expect(try await server.upload("next").status == 200)
        }
    }
}
