import Annotations
import SyncProtocol

/// Why edits are not sent, although the server answers everything else, and when they are tried again.
///
/// A server without space for them, or a firewall that refuses one of them, says nothing about reading: receiving never
/// waits for sending.
struct SendingPause: Hashable, Sendable {
    var failure: SyncFailure
    var since: Timestamp
    var until: Timestamp
    /// Whether the server has asked for the pause, so that a key press does not end it.
    var isRequested = false
    /// Whether a retry is due or under way, and the server has not answered it yet.
    var isOver = false
    /// The failures in a row.
    var count: Int

    mutating func clockWentBack(by milliseconds: Int64) {
        (since, until) = (since + -milliseconds, until + -milliseconds)
    }
}

extension Synchronizer {
    /// Whether edits wait although the token allows sending them.
    var isPaused: Bool { isLeading && pause.map { !$0.isOver } ?? false }

    /// Handles a push or an upload that has failed: the cycle goes on with receiving. If that fails, too, the connection is
    /// the reason.
    mutating func pauseSending(
        _ failure: SyncFailure, now: Timestamp, random: inout some RandomNumberGenerator
    ) {
        let count = (pause?.count ?? 0) + 1
        var pause = SendingPause(
            failure: failure, since: now, until: now + Backoff.delay(failures: count, using: &random), count: count)
        if case .notSent(_, let retryAfter?) = failure {
            pause.until = max(pause.until, now + min(retryAfter, Self.maxWait))
            pause.isRequested = true
        }
        begin(pause)
    }

    mutating func pauseSending(_ failure: SyncFailure, for milliseconds: Int64, now: Timestamp) {
        begin(SendingPause(failure: failure, since: now, until: now + milliseconds, count: pause?.count ?? 1))
    }

    private mutating func begin(_ pause: SendingPause) {
        self.pause = pause
        hasToldOfUpload = false
        (pushAt, unsentSince) = (nil, nil)
        isCaughtUp = false
        // If this cannot be noted, other processes wait for as long as they do for a leader without a connection.
        try? layer.note(unsentBecause: pause.failure.description)
    }

    /// Notes that an edit was answered, or that the connection is the reason for the failure.
    mutating func dropPause() {
        guard pause != nil else { return }
        pause = nil
        try? layer.note(unsentBecause: nil)
    }

    /// Ends the pause once it is over, or when the user wants it.
    ///
    /// - Returns: Whether it has just ended.
    @discardableResult mutating func endPause(at now: Timestamp, onRequest: Bool = false) -> Bool {
        guard let pause, !pause.isOver, pause.until <= now || (onRequest && !pause.isRequested) else { return false }
        self.pause?.isOver = true
        return true
    }

    /// Lets a new edit wait for seconds, not for the minute of the one that is refused.
    mutating func shortenPause() {
        guard let pause, !pause.isRequested else { return }
        self.pause?.until = min(pause.until, pause.since + Self.pauseForNewEdits)
    }

    /// Milliseconds.
    private static let pauseForNewEdits: Int64 = 5000

    mutating func sendAfterPause() throws {
        guard let pause, pause.isOver else { return }
        try sendWaiting()
        // What failed was put aside or taken back.
        if !cycle.isSyncing, session.dataTicket != nil, try backlog() != .sendable { dropPause() }
    }

    mutating func sendWaiting() throws {
        guard isLeading, session.dataTicket != nil, !cycle.isSyncing, try backlog() == .sendable else { return }
        try beginCycle()
    }
}
