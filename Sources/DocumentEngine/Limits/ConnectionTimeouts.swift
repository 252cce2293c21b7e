/// The timeouts of a connection: for a request's head, for a slow body, for a response that the client does not accept,
/// and for idle time. All times are those of a monotonic clock.
struct ConnectionTimeouts: Hashable {
    private enum State: Hashable {
        /// Before the first head; later heads have the idle timeout.
        case awaitingHead(since: Duration)
        case idle(since: Duration)
        case readingBody(since: Duration, bytes: Int, last: Duration)
        /// The server has the whole request and is responding.
        case answering
    }

    /// The time after which the speed of a body is checked.
    static let gracePeriod: Duration = .seconds(10)

    private let limits: ServiceLimits
    private var state: State
    /// The number of requests without a response: clients can pipeline.
    private var open = 0
    /// Since when the connection has accepted no output.
    private var stuckSince: Duration?

    init(_ limits: ServiceLimits, at now: Duration) {
        self.limits = limits
        state = .awaitingHead(since: now)
    }

    mutating func headCame(at now: Duration) {
        open += 1
        state = .readingBody(since: now, bytes: 0, last: now)
    }

    mutating func bodyCame(bytes: Int, at now: Duration) {
        if case .readingBody(let since, let before, _) = state {
            state = .readingBody(since: since, bytes: before + bytes, last: now)
        }
    }

    mutating func requestEnded(at now: Duration) { state = open > 0 ? .answering : .idle(since: now) }

    mutating func answerEnded(at now: Duration) {
        open = max(0, open - 1)
        if state == .answering, open == 0 { state = .idle(since: now) }
    }

    /// Notes whether the connection accepts output.
    mutating func writabilityChanged(_ isWritable: Bool, at now: Duration) { stuckSince = isWritable ? nil : now }

    /// Whether ``problem(at:)`` can change by the passage of time alone.
    var isWatched: Bool {
        if stuckSince != nil { return true }
        switch state {
        case .awaitingHead, .readingBody: return true
        case .idle, .answering: return false
        }
    }

    /// Returns why the connection must close now; nil: it continues.
    func problem(at now: Duration) -> Problem? {
        if let stuckSince, limits.stallSeconds > 0, now - stuckSince >= .seconds(limits.stallSeconds) {
            return .stalledAnswer
        }
        switch state {
        case .awaitingHead(let since):
            return limits.headSeconds > 0 && now - since >= .seconds(limits.headSeconds) ? .lateHead : nil
        case .readingBody(let since, let bytes, _):
            guard limits.bodyBytesPerSecond > 0, now - since > Self.gracePeriod else { return nil }
            let due = (now - since - Self.gracePeriod) * limits.bodyBytesPerSecond
            return Duration.seconds(bytes) < due ? .slowBody : nil
        case .idle, .answering: return nil
        }
    }

    /// When the connection closes if nothing arrives; nil while the server responds.
    var restEnds: Duration? {
        switch state {
        case .awaitingHead(let since), .idle(let since), .readingBody(_, _, let since):
            since + .seconds(max(1, limits.idleSeconds))
        case .answering: nil
        }
    }

    enum Problem: String, Hashable, Sendable, CaseIterable {
        case lateHead = "late_head"
        case slowBody = "slow_body"
        case stalledAnswer = "stalled_answer"
    }
}
