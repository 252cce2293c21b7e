/// Whether a connection goes on fast enough: a request's head in time, a body that keeps coming, an answer that is
/// taken; and how long it may rest. Moments are those of a clock that never goes back.
struct ConnectionTimeouts: Hashable {
    private enum State: Hashable {
        /// For the first head; later ones have the time of an idle connection.
        case awaitingHead(since: Duration)
        case idle(since: Duration)
        case readingBody(since: Duration, bytes: Int, last: Duration)
        /// It is the server's turn.
        case answering
    }

    /// How long a body may take before its speed is looked at.
    static let gracePeriod: Duration = .seconds(10)

    private let limits: ServiceLimits
    private var state: State
    /// Requests that are not answered yet: they may come one behind the other.
    private var open = 0
    /// Since when nothing more fits between server and client.
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

    /// Whether what is written still finds room on its way out.
    mutating func writabilityChanged(_ isWritable: Bool, at now: Duration) { stuckSince = isWritable ? nil : now }

    /// Whether time alone can make a problem of it.
    var isWatched: Bool {
        if stuckSince != nil { return true }
        switch state {
        case .awaitingHead, .readingBody: return true
        case .idle, .answering: return false
        }
    }

    /// Why the connection is closed now; nil: it goes on.
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

    /// When nothing has come for so long that the connection is given up; nil: it is not the client's turn.
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
