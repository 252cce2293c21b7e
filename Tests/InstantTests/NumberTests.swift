import Annotations
import Authorization
import Foundation
import InstantCore
import SyncProtocol
import Synchronization
import TestSupport
import Testing

@testable import Instant

/// No number that a caller or a server can pass ends the process.
@Suite(.timeLimit(.minutes(15))) struct NumberTests {
    private static let numbers: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    private static let coordinates: [Double] = [
        0, -1, .nan, .infinity, -.infinity, 1e300, -1e300, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
    ]

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(
        _ server: FakeServer, isLive: Bool = true
    ) async throws -> (client: InstantClient, descriptor: InstantDocumentDescriptor) {
        let client = try InstantClient(serverURL: server.url, dataDirectory: folder.url)
        let descriptor = try client.documentDescriptor(forJWT: token())
        descriptor.delayForSyncingLocalChanges = nil
        if isLive { try await descriptor.reauthenticateAndWait(withJWT: token()) }
        return (client, descriptor)
    }

    @Test(
        arguments: [
            (Duration.zero, 0), (.milliseconds(1), 1), (.seconds(-5), 0), (.seconds(Int64.max / 4), .max),
            (.seconds(Int64.max), .max), (.seconds(Int64.min), 0), (.seconds(Int64.max) * 10, .max),
            (.nanoseconds(1), 0), (.milliseconds(Int64.max), .max), (.seconds(86_400), 86_400_000),
        ] as [(Duration, Int64)])
    func aDelayHasAnyLength(_ delay: Duration, milliseconds: Int64) async throws {
        #expect(delay.milliseconds == milliseconds)
        let server = try plainServer()
        let (client, descriptor) = try await open(server)
        descriptor.delayForSyncingLocalChanges = delay
        #expect(descriptor.delayForSyncingLocalChanges == delay)
        try descriptor.editableDocument.add(note("now or never"), author: "Ana")
        #expect(try descriptor.unsentEdits().count <= 1)
        await client.close()
    }

    @Test func aRangeMayReachBeyondTheAnnotations() async throws {
        let server = try plainServer()
        let (client, descriptor) = try await open(server)
        let document = descriptor.editableDocument
        for text in ["a", "b", "c"] { try document.add(note(text), author: "Ana") }
        for (range, count) in [
            (0..<2, 2), (1..<9, 2), (-5..<2, 2), (-5 ..< -2, 0), (9..<99, 0), (Int.min..<Int.max, 3), (0..<Int.max, 3),
            (Int.max..<Int.max, 0), (Int.min..<Int.min, 0), (2..<2, 0),
        ] {
            #expect(try document.annotations(in: range).count == count, "\(range)")
            #expect(try document.annotations(matching: ListQuery(), in: range).count == count, "\(range)")
        }
        for page in Self.numbers.map({ Int($0) }) {
            _ = try document.annotations(onPage: page)
            _ = descriptor.pageSize(ofPage: page)
            var query = ListQuery()
            query.filter.pageIndex = page
            _ = try document.count(of: query)
        }
        await client.close()
    }

    @Test func coordinatesAndPagesAreAnyNumbers() async throws {
        let server = try plainServer()
        let (client, descriptor) = try await open(server)
        let document = descriptor.editableDocument
        for x in Self.coordinates {
            for y in Self.coordinates {
                let (point, box) = (Point(x: x, y: y), Rect(left: x, top: y, width: y, height: x))
                for content in [
                    Content.note(onPage: 0, at: point, text: "a"), .commentMarker(onPage: 0, at: point),
                    .markup(.squiggly, onPage: 0, rects: [box, box]), .stamp(onPage: 0, in: box, title: "b"),
                ] {
                    // Stored or refused.
                    _ = try? document.add(content, author: "Ana")
                }
            }
        }
        for page in Self.numbers.map({ Int($0) }) {
            _ = try? document.add(.note(onPage: page, at: Point(x: 1, y: 1), text: "a"), author: "Ana")
        }
        #expect(try document.annotations(in: 0..<Int.max).allSatisfy { (0..<3).contains($0.pageIndex ?? -1) })
        await client.close()
    }

    @Test func datesAreAnyDates() {
        for seconds in Self.coordinates {
            let moment = Timestamp(Date(timeIntervalSince1970: seconds))
            #expect(!moment.iso8601.isEmpty)
            _ = moment.date
        }
        for number in Self.numbers { #expect(!Timestamp(seconds: number).iso8601.isEmpty) }
    }

    /// A port that does not fit ended the process.
    @Test(arguments: ["0", "65536", "99999", "9223372036854775808"]) func aPortFits(_ port: String) throws {
        for host in ["127.0.0.1", "[::1]", "example.com"] {
            guard let url = URL(string: "http://\(host):\(port)") else { continue }
            #expect(throws: InstantError.self) { try InstantClient(serverURL: url, dataDirectory: folder.url) }
        }
    }

    /// A server's clock, sizes and waits.
    @Test(arguments: numbers) func aServerSaysAnyNumber(_ number: Int64) async throws {
        let pdf = FakePDF.standard
        let wasAsked = Mutex(false)
        let server = try plainServer { request in
            switch request.path {
            case "/instant/v1/session":
                guard let text = request.headers["authorization"]?.dropFirst("Bearer ".count),
                    var grant = try? Claims(token: String(text)).grant
                else { return nil }
                grant.expiresAt = Timestamp(milliseconds: number == 0 ? 1 : .max)
                return .json(
                    SessionAnswer(
                        grant: grant, now: Timestamp(milliseconds: number), generation: "g", epoch: "e",
                        head: max(0, number), pdfSHA256: pdf.sha256, pdfBytes: number, title: "A title",
                        pageCount: 3
                    ).bytes)
            case "/instant/v1/document":
                guard
                    !wasAsked.withLock({ was in
                        defer { was = true }; return was
                    })
                else { return .error(404, "lost") }
                var answer = FakeServer.Answer(status: 206, body: Array(pdf.bytes.prefix(10)))
                answer.headers["content-range"] = "bytes 0-\(number)/\(number)"
                answer.headers["retry-after"] = "\(number)"
                return answer
            default: return nil
            }
        }
        let (client, descriptor) = try await open(server, isLive: false)
        _ = try? await descriptor.reauthenticateAndWait(withJWT: token())
        _ = descriptor.status.serverClockLead
        _ = try? await descriptor.downloadAndWait(usingJWT: token())
        await client.close()
    }
}
