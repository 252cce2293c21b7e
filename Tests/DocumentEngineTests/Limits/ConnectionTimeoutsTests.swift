import Testing

@testable import DocumentEngine

struct ConnectionTimeoutsTests {
    enum Step: Sendable {
        case head, heldHead, wanted, body(Int), end
        /// A part of a response, its end, and a response that becomes a stream.
        case moved, answered, stream
        /// The server's side is to be closed, and is closed.
        case closes, closed
        case full, free
        /// Time passes, in seconds.
        case wait(Int)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var steps: [Step]
        var phase: ConnectionTimeouts.Phase
        /// Seconds from the last step until the connection closes; nil: never by time alone.
        var limit: Int?
        var problem: ConnectionTimeouts.Problem?

        init(
            _ description: String, _ steps: [Step], _ phase: ConnectionTimeouts.Phase, _ limit: Int?,
            _ problem: ConnectionTimeouts.Problem?
        ) {
            testDescription = description
            (self.steps, self.phase, self.limit, self.problem) = (steps, phase, limit, problem)
        }
    }

    /// 20 s for the first head, 120 s of idle time, 512 bytes of a body a second after ten seconds, 600 s for a response,
    /// 60 s for one that nobody takes, 5 s for the end.
    static let rows: [Row] = [
        Row("before the first byte, and in the TLS handshake", [], .head, 20, .lateHead),
        Row("connected a while ago", [.wait(19)], .head, 1, .lateHead),
        Row("a head, and then nothing", [.wait(19), .head], .body, 10, .slowBody),
        Row("a body may begin slowly", [.head, .wait(9), .body(1024)], .body, 3, .slowBody),
        Row("a byte now and then", [.head, .body(1024), .wait(11)], .body, 1, .slowBody),
        Row("a large body, and then no more", [.head, .body(1 << 20)], .body, 120, .slowBody),
        Row("a body that no route has asked for", [.heldHead], .answer, 600, .lateAnswer),
        Row("pieces of it change nothing", [.heldHead, .wait(500), .body(65_536)], .answer, 100, .lateAnswer),
        Row("a body that is asked for late", [.heldHead, .wait(500), .wanted], .body, 10, .slowBody),
        Row("and arrives", [.heldHead, .wanted, .body(8_192), .wait(9), .end], .answer, 600, .lateAnswer),
        Row("a refused body that is small", [.heldHead, .answered], .body, 10, .slowBody),
        Row("and was read", [.heldHead, .answered, .end], .idle, 120, .idle),
        Row("answered before the body ended", [.head, .answered], .body, 10, .slowBody),
        Row("and it ended", [.head, .answered, .wait(9), .end], .idle, 120, .idle),
        Row("the server has the request", [.head, .end], .answer, 600, .lateAnswer),
        Row("and has begun to answer", [.head, .end, .wait(599), .moved], .answer, 600, .lateAnswer),
        Row("and has answered", [.head, .end, .wait(300), .answered], .idle, 120, .idle),
        Row("a second one behind it", [.head, .end, .wait(500), .head, .end], .answer, 100, .lateAnswer),
        Row("that waited for the first", [.head, .end, .head, .end, .wait(9), .answered], .answer, 600, .lateAnswer),
        Row("both are answered", [.head, .end, .head, .end, .answered, .answered], .idle, 120, .idle),
        Row("the second one is read", [.head, .end, .wait(9), .head, .answered], .body, 10, .slowBody),
        Row("the second one is held back", [.head, .end, .wait(9), .heldHead, .answered], .answer, 600, .lateAnswer),
        Row("nobody takes the answer", [.head, .end, .full], .answer, 60, .stalledAnswer),
        Row("somebody takes it slowly", [.head, .end, .full, .wait(59), .free, .full], .answer, 60, .stalledAnswer),
        Row("the server waits for it", [.head, .end, .full, .wait(59), .free], .answer, 541, .lateAnswer),
        Row("a stream", [.head, .end, .moved, .stream], .stream, nil, nil),
        Row("that nobody reads", [.head, .end, .moved, .stream, .full], .stream, 60, .stalledAnswer),
        Row("that is handed over", [.head, .end, .moved], .answer, 600, .lateAnswer),
        Row("the last answer is not taken", [.head, .end, .full, .answered, .closes], .ending, 60, .stalledAnswer),
        Row(
            "it is taken slowly", [.head, .end, .answered, .closes, .full, .wait(59), .free], .ending, 60,
            .stalledAnswer),
        Row(
            "the client does not close", [.head, .end, .answered, .closes, .wait(50), .closed], .linger, 5, .lingering),
        Row("it sends on", [.heldHead, .answered, .closes, .closed, .body(9), .head, .end], .linger, 5, .lingering),
        Row("after an upgrade", [.head, .end, .answered, .closes, .closed], .linger, 5, .lingering),
        Row("after bytes that are no request", [.closes, .closed], .linger, 5, .lingering),
    ]

    private static func take(_ step: Step, _ pace: inout ConnectionTimeouts, _ now: inout Duration) {
        switch step {
        case .head: pace.headCame(at: now)
        case .heldHead: pace.headCame(isBodyHeld: true, at: now)
        case .wanted: pace.bodyWanted(at: now)
        case .body(let bytes): pace.bodyCame(bytes: bytes, at: now)
        case .end: pace.requestEnded(at: now)
        case .moved: pace.answerMoved(at: now)
        case .answered: pace.answerEnded(at: now)
        case .stream: pace.streamBegan()
        case .closes: pace.outputCloses(at: now)
        case .closed: pace.outputClosed(at: now)
        case .full: pace.writabilityChanged(false, at: now)
        case .free: pace.writabilityChanged(true, at: now)
        case .wait(let seconds): now += .seconds(seconds)
        }
    }

    @Test(arguments: rows) func everyPhaseEnds(_ row: Row) throws {
        var now = Duration.zero
        var pace = ConnectionTimeouts(ServiceLimits(), at: now)
        for step in row.steps { Self.take(step, &pace, &now) }
        #expect(pace.phase == row.phase)
        guard let limit = row.limit else {
            #expect(pace.problem(at: now + .seconds(1_000_000)) == nil)
            return
        }
        #expect(pace.problem(at: now + .seconds(limit) - .milliseconds(1)) == nil)
        // One more millisecond: the speed of a body is an average.
        #expect(pace.problem(at: now + .seconds(limit) + .milliseconds(1)) == row.problem)
        // A timer is set for it.
        if !pace.isWatched { #expect(pace.restEnds == now + .seconds(limit)) }
    }

    @Test func theTableHasEveryPhaseAndEveryProblem() {
        #expect(Set(Self.rows.map(\.phase)) == Set(ConnectionTimeouts.Phase.allCases))
        #expect(Set(Self.rows.compactMap(\.problem)) == Set(ConnectionTimeouts.Problem.allCases))
        // A stream ends with its token, and a reader that takes nothing with `stall-seconds`.
        #expect(Self.rows.filter { $0.limit == nil }.map(\.phase) == [.stream])
    }

    /// Where a limit is off, the idle timeout holds for the client's turn.
    @Test func withoutLimitsAConnectionStillEnds() {
        var limits = ServiceLimits()
        (limits.headSeconds, limits.bodyBytesPerSecond, limits.stallSeconds) = (0, 0, 0)
        for row in Self.rows where row.limit != nil {
            var now = Duration.zero
            var pace = ConnectionTimeouts(limits, at: now)
            for step in row.steps { Self.take(step, &pace, &now) }
            // Without `stall-seconds`, a client may take any time to read a response.
            guard row.problem != .stalledAnswer || row.phase == .ending else { continue }
            #expect(pace.problem(at: now + .seconds(601)) != nil, "\(row.testDescription)")
        }
    }
}
