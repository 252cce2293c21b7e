import NIOHTTP1
import Testing

@testable import DocumentEngine

/// Which bodies are read, and what happens to unwanted ones.
struct RequestBodiesTests {
    private static let large = 10_000_000_000

    private static func head(
        _ fields: [(String, String)], version: HTTPVersion = .http1_1
    ) -> HTTPRequestHead {
        HTTPRequestHead(version: version, method: .POST, uri: "/", headers: HTTPHeaders(fields))
    }

    private static func sized(_ bytes: Int, expects: Bool = false, version: HTTPVersion = .http1_1) -> HTTPRequestHead {
        head(
            [("Content-Length", "\(bytes)")] + (expects ? [("Expect", "100-Continue")] : []), version: version)
    }

    private static let chunked = head([("Transfer-Encoding", "chunked")])

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var head: HTTPRequestHead
        /// Bytes that arrive before the request is refused; -1: all of them.
        var arrived = 0
        var isHeld: Bool
        var end: RequestBodies.End
    }

    static let rows: [Row] = [
        Row(testDescription: "no body", head: head([]), arrived: -1, isHeld: false, end: .nothing),
        Row(testDescription: "an empty one", head: sized(0), arrived: -1, isHeld: false, end: .nothing),
        Row(testDescription: "a small one", head: sized(65_536), isHeld: false, end: .drain),
        Row(testDescription: "a small one, read", head: sized(65_536), arrived: -1, isHeld: false, end: .nothing),
        Row(testDescription: "one byte more", head: sized(65_537), isHeld: true, end: .close),
        Row(testDescription: "that byte has come", head: sized(65_537), arrived: 1, isHeld: true, end: .drain),
        Row(testDescription: "10 GB", head: sized(large), arrived: 65_536, isHeld: true, end: .close),
        Row(
            testDescription: "more than can be counted", head: head([("Content-Length", "18446744073709551615")]),
            isHeld: true, end: .close),
        Row(testDescription: "chunks", head: chunked, isHeld: true, end: .close),
        Row(testDescription: "chunks, some read", head: chunked, arrived: 9, isHeld: true, end: .close),
        Row(testDescription: "chunks, all read", head: chunked, arrived: -1, isHeld: true, end: .nothing),
        Row(testDescription: "a small one on request", head: sized(9, expects: true), isHeld: true, end: .close),
        Row(
            testDescription: "which was sent at once", head: sized(9, expects: true), arrived: 1, isHeld: true,
            end: .drain),
        Row(
            testDescription: "none on request", head: sized(0, expects: true), arrived: -1, isHeld: false, end: .nothing
        ),
        Row(
            testDescription: "on request of a client that cannot wait",
            head: sized(9, expects: true, version: .http1_0),
            isHeld: false, end: .drain),
    ]

    @Test(arguments: rows) func eachBodyIsReadDrainedOrClosed(_ row: Row) {
        var bodies = RequestBodies()
        #expect(bodies.headCame(row.head) == row.isHeld)
        #expect(RequestBodies.holds(row.head) == row.isHeld)
        if row.arrived > 0 { bodies.bodyCame(bytes: row.arrived) }
        if row.arrived < 0 { bodies.requestEnded() }
        #expect(bodies.answered() == row.end)
    }

    @Test func aBodyIsAskedForOnce() {
        var bodies = RequestBodies()
        _ = bodies.headCame(Self.sized(9, expects: true))
        #expect(bodies.wanted() == .readContinued)
        #expect(bodies.wanted() == .read)
        bodies.bodyCame(bytes: 9)
        bodies.requestEnded()
        #expect(bodies.wanted() == .nothing)
        #expect(bodies.answered() == .nothing)
    }

    /// A route wants the body of the request that it answers, not that of a later one.
    @Test func theBodyOfAWaitingRequestIsNotAskedFor() {
        var bodies = RequestBodies()
        _ = bodies.headCame(Self.sized(9, expects: true))
        bodies.bodyCame(bytes: 9)
        bodies.requestEnded()
        _ = bodies.headCame(Self.sized(Self.large, expects: true))
        #expect(bodies.wanted() == .nothing)
        #expect(bodies.answered() == .nothing)
        #expect(bodies.wanted() == .readContinued)
        #expect(bodies.answered() == .close)
    }
}
