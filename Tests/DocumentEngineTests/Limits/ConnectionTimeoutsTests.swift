import Testing

@testable import DocumentEngine

struct ConnectionTimeoutsTests {
    enum Step: Sendable {
        case head, body(Int), end, answered
        case full, free
        /// Time passes, in seconds.
        case wait(Int)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var steps: [Step]
        var problem: ConnectionTimeouts.Problem?
    }

    /// 20 s for a head, 512 bytes a second after ten seconds, 60 s for a stalled response.
    static let rows: [Row] = [
        Row(testDescription: "nothing yet", steps: [.wait(19)]),
        Row(testDescription: "no head", steps: [.wait(20)], problem: .lateHead),
        Row(testDescription: "a head, and then nothing", steps: [.wait(19), .head, .wait(12)], problem: .slowBody),
        Row(testDescription: "a request without a body", steps: [.head, .end, .wait(1000)]),
        Row(testDescription: "a body may begin slowly", steps: [.head, .body(1), .wait(10)]),
        Row(testDescription: "a byte now and then", steps: [.head, .body(600), .wait(12)], problem: .slowBody),
        Row(testDescription: "exactly as fast as required", steps: [.head, .body(1024), .wait(12)]),
        Row(testDescription: "a large body at once", steps: [.head, .body(1 << 20), .wait(2000)]),
        Row(testDescription: "then nothing more", steps: [.head, .body(1 << 20), .wait(2100)], problem: .slowBody),
        Row(testDescription: "an answer that takes long", steps: [.head, .end, .wait(3600)]),
        Row(testDescription: "idle between two requests", steps: [.head, .end, .answered, .wait(119)]),
        Row(testDescription: "a client that stalls", steps: [.head, .end, .full, .wait(60)], problem: .stalledAnswer),
        Row(testDescription: "a slow reader", steps: [.head, .end, .full, .wait(59), .free, .full, .wait(59)]),
        Row(
            testDescription: "an answer that came before the body ended", steps: [.head, .answered, .wait(12)],
            problem: .slowBody),
    ]

    private static func take(_ step: Step, _ pace: inout ConnectionTimeouts, _ now: inout Duration) {
        switch step {
        case .head: pace.headCame(at: now)
        case .body(let bytes): pace.bodyCame(bytes: bytes, at: now)
        case .end: pace.requestEnded(at: now)
        case .answered: pace.answerEnded(at: now)
        case .full: pace.writabilityChanged(false, at: now)
        case .free: pace.writabilityChanged(true, at: now)
        case .wait(let seconds): now += .seconds(seconds)
        }
    }

    @Test(arguments: rows) func row(_ row: Row) {
        var now = Duration.zero
        var pace = ConnectionTimeouts(ServiceLimits(), at: now)
        for step in row.steps { Self.take(step, &pace, &now) }
        #expect(pace.problem(at: now) == row.problem)
        // A state that can time out is watched.
        if row.problem != nil { #expect(pace.isWatched) }
    }

    struct Rest: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var steps: [Step]
        /// Seconds from the start until the connection is closed; nil while it is the server's turn.
        var end: Int?
    }

    /// The limit is two minutes of idle time.
    static let rests: [Rest] = [
        Rest(testDescription: "nothing yet", steps: [], end: 120),
        Rest(testDescription: "a head", steps: [.wait(10), .head], end: 130),
        Rest(testDescription: "a piece of a body", steps: [.head, .wait(5), .body(1), .wait(7)], end: 125),
        Rest(testDescription: "the server's turn", steps: [.head, .end, .wait(3600)]),
        Rest(testDescription: "answered", steps: [.head, .end, .wait(300), .answered], end: 420),
        Rest(testDescription: "the second of two is not answered", steps: [.head, .end, .head, .end, .answered]),
        Rest(
            testDescription: "both are answered",
            steps: [.head, .end, .head, .end, .answered, .wait(9), .answered], end: 129),
        Rest(
            testDescription: "the second is being read", steps: [.head, .end, .wait(9), .head, .answered], end: 129),
        Rest(
            testDescription: "answered before the body ended", steps: [.head, .answered, .wait(9), .end], end: 129),
    ]

    @Test(arguments: rests) func rest(_ row: Rest) {
        var now = Duration.zero
        var pace = ConnectionTimeouts(ServiceLimits(), at: now)
        for step in row.steps { Self.take(step, &pace, &now) }
        #expect(pace.restEnds == row.end.map(Duration.seconds))
    }

    @Test(arguments: rows) func withoutLimitsNothingIsTooSlow(_ row: Row) {
        var limits = ServiceLimits()
        (limits.headSeconds, limits.bodyBytesPerSecond, limits.stallSeconds) = (0, 0, 0)
        var pace = ConnectionTimeouts(limits, at: .zero)
        if case .head? = row.steps.first { pace.headCame(at: .zero) }
        pace.writabilityChanged(false, at: .zero)
        #expect(pace.problem(at: .seconds(1_000_000)) == nil)
    }
}
