/// The timeouts of a connection. Every phase has one, except a stream, which the token, the heartbeat and
/// `stall-seconds` end. All times are those of a monotonic clock.
struct ConnectionTimeouts: Hashable {
    /// What the connection waits for; a label of the metrics.
    enum Phase: String, Hashable, Sendable, CaseIterable {
        /// The first head, counted from the connection, so including the TLS handshake.
        case head
        /// The next head.
        case idle
        /// A body that the server reads.
        case body
        /// The server: a route, or a response that comes before this one.
        case answer
        /// The server, for as long as an event stream lasts.
        case stream
        /// The client, which has to take the rest of the last response.
        case ending
        /// The client, which has the whole response and has to close its side.
        case linger
    }

    /// Why a connection is closed.
    enum Problem: String, Hashable, Sendable, CaseIterable {
        case lateHead = "late_head"
        case slowBody = "slow_body"
        case stalledAnswer = "stalled_answer"
        /// The server took too long.
        case lateAnswer = "late_answer"
        /// No request came. Usual, like the next case.
        case idle
        case lingering
    }

    /// The time after which the speed of a body is checked.
    static let gracePeriod: Duration = .seconds(10)
    /// The time for the client to close its side after the last response.
    static let lingerPeriod: Duration = .seconds(5)

    private let limits: ServiceLimits
    private(set) var phase = Phase.head
    /// The start of the phase.
    private var since: Duration
    /// The bytes of the body so far, and when the last of them arrived.
    private var bytes = 0
    private var lastPiece: Duration
    /// The body of the newest request is held back until a route wants it.
    private var isBodyHeld = false
    /// Requests without a response: clients may pipeline.
    private var open = 0
    /// Since when the server owes a response or the next part of it.
    private var owedSince: Duration?
    /// Since when the connection accepts no more output.
    private var stuckSince: Duration?

    init(_ limits: ServiceLimits, at now: Duration) {
        self.limits = limits
        (since, lastPiece) = (now, now)
    }

    // MARK: Events

    /// - Parameter isBodyHeld: whether the body is read only once a route wants it; until then it is the server's turn.
    mutating func headCame(isBodyHeld: Bool = false, at now: Duration) {
        guard !isEnding else { return }
        open += 1
        self.isBodyHeld = isBodyHeld
        if isBodyHeld {
            phase = .answer
            owedSince = owedSince ?? now
        } else {
            bodyBegins(at: now)
        }
    }

    private mutating func bodyBegins(at now: Duration) {
        isBodyHeld = false
        (phase, since, bytes, lastPiece) = (.body, now, 0, now)
    }

    mutating func bodyWanted(at now: Duration) {
        guard phase == .answer, isBodyHeld else { return }
        bodyBegins(at: now)
        if open <= 1 { owedSince = nil }
    }

    mutating func bodyCame(bytes count: Int, at now: Duration) {
        guard phase == .body else { return }
        bytes += count
        lastPiece = now
    }

    mutating func requestEnded(at now: Duration) {
        guard !isEnding else { return }
        isBodyHeld = false
        if open > 0 {
            phase = .answer
            owedSince = owedSince ?? now
        } else {
            (phase, since) = (.idle, now)
        }
    }

    /// A part of a response is written.
    mutating func answerMoved(at now: Duration) { if owedSince != nil { owedSince = now } }

    mutating func answerEnded(at now: Duration) {
        open = max(0, open - 1)
        owedSince = open > 0 ? now : nil
        guard phase == .answer else { return }
        if isBodyHeld, open == 0 {
            // The rest of a small body is still read.
            bodyBegins(at: now)
        } else if open == 0 {
            (phase, since) = (.idle, now)
        }
    }

    mutating func streamBegan() {
        guard !isEnding else { return }
        (phase, owedSince) = (.stream, nil)
    }

    /// The server closes its side as soon as everything is sent.
    mutating func outputCloses(at now: Duration) {
        guard !isEnding else { return }
        (phase, since, owedSince) = (.ending, now, nil)
    }

    /// Everything is sent, and the server's side closed.
    mutating func outputClosed(at now: Duration) {
        guard phase != .linger else { return }
        (phase, since, owedSince, stuckSince) = (.linger, now, nil, nil)
    }

    /// Notes whether the connection accepts output.
    mutating func writabilityChanged(_ isWritable: Bool, at now: Duration) {
        stuckSince = isWritable ? nil : now
        if phase == .ending { since = now }
    }

    private var isEnding: Bool { phase == .ending || phase == .linger }

    // MARK: Time

    /// Whether ``problem(at:)`` must be checked every second. Otherwise ``restEnds`` suffices.
    var isWatched: Bool {
        if stuckSince != nil { return true }
        switch phase {
        case .head, .body, .ending, .linger: return true
        case .idle, .answer, .stream: return false
        }
    }

    /// When the connection closes if nothing happens; nil if it is checked every second or is a stream.
    var restEnds: Duration? {
        if stuckSince != nil { return nil }
        let owed = owedSince.map { $0 + .seconds(limits.answerSeconds) }
        return phase == .idle ? since + idleTime : owed
    }

    /// Returns why the connection must close now; nil: it continues.
    func problem(at now: Duration) -> Problem? {
        if let stuckSince {
            if limits.stallSeconds > 0, now - stuckSince >= .seconds(limits.stallSeconds) { return .stalledAnswer }
        } else if let owedSince, now - owedSince >= .seconds(limits.answerSeconds) {
            return .lateAnswer
        }
        switch phase {
        case .head: return now - since >= headTime ? .lateHead : nil
        case .idle: return now - since >= idleTime ? .idle : nil
        case .body: return now - lastPiece >= idleTime || isBodySlow(at: now) ? .slowBody : nil
        case .answer, .stream: return nil
        case .ending: return now - since >= endTime ? .stalledAnswer : nil
        case .linger: return now - since >= Self.lingerPeriod ? .lingering : nil
        }
    }

    private func isBodySlow(at now: Duration) -> Bool {
        guard limits.bodyBytesPerSecond > 0, now - since > Self.gracePeriod else { return false }
        return .seconds(bytes) < (now - since - Self.gracePeriod) * limits.bodyBytesPerSecond
    }

    private var idleTime: Duration { .seconds(max(1, limits.idleSeconds)) }
    /// A phase without its own limit has the idle timeout.
    private var headTime: Duration { limits.headSeconds > 0 ? .seconds(limits.headSeconds) : idleTime }
    private var endTime: Duration { limits.stallSeconds > 0 ? .seconds(limits.stallSeconds) : idleTime }
}
