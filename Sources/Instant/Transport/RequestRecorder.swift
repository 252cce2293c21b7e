import Annotations
package import InstantCore
import NIOCore
import Synchronization

/// The log of the last requests of one layer. May be called from any task.
final class RequestRecorder: Sendable {
    static let maxCount = 200

    private struct State {
        /// Oldest first.
        var requests: [SentRequest] = []
        /// The number of removed requests, because requests are numbered from the first one ever.
        var dropped = 0
        /// When each request that has not ended last moved, or may be silent until.
        var moves: [Int: ContinuousClock.Instant] = [:]
        /// When the last request ended to which the server gave an answer.
        var lastAnswer: ContinuousClock.Instant?
        /// When a request for records, or its answer, was last seen to move.
        var lastProgress: ContinuousClock.Instant?
    }

    private let state = Mutex(State())
    private let now: @Sendable () -> Timestamp

    private let tell: @Sendable (SentRequest) -> Void

    /// - Parameter tell: Receives each request once it has ended.
    init(now: @escaping @Sendable () -> Timestamp, tell: @escaping @Sendable (SentRequest) -> Void = { _ in }) {
        (self.now, self.tell) = (now, tell)
    }

    /// Newest first.
    var requests: [SentRequest] { state.withLock { $0.requests.reversed() } }

    /// - Parameter url: The whole URL; its query is not stored.
    func began(_ method: String, url: String) -> Int {
        let whole = url.prefix(whileScalar: { $0 != "?" })
        let path = whole.range(ofScalars: "/instant/v1/").map { whole[$0.upperBound...] } ?? whole
        return began(method, path: String(path))
    }

    /// - Parameter path: The path below `/instant/v1/`, without a query.
    /// - Returns: Its number, for ``ended(_:_:)``.
    func began(_ method: String, path: String) -> Int {
        let request = SentRequest(at: now(), method: method, path: path)
        return state.withLock { state in
            state.requests.append(request)
            if state.requests.count > Self.maxCount {
                state.requests.removeFirst()
                state.dropped += 1
            }
            return state.dropped + state.requests.count - 1
        }
    }

    /// Notes that bytes of a request were sent or received. One that has ended is ignored.
    ///
    /// - Parameters:
    ///   - time: For how long nothing need follow.
    ///   - isProgress: Whether this shows that the connection is alive. Its first bytes go into a buffer.
    func moved(_ number: Int, allowing time: TimeAmount, isProgress: Bool) {
        let present = ContinuousClock.now
        let moment = present + Duration(time)
        state.withLock { state in
            let index = number - state.dropped
            guard state.requests.indices.contains(index), state.requests[index].outcome == nil else { return }
            state.moves[number] = max(moment, state.moves[number] ?? moment)
            // An upload says nothing about the requests beside it.
            if isProgress, state.requests[index].method != "PUT" { state.lastProgress = present }
        }
    }

    /// When bytes of a request were last sent or received: of one that has not ended, or that was answered. Later, if none need
    /// follow yet. Streams do not count.
    var lastMove: ContinuousClock.Instant? {
        state.withLock { ($0.moves.values + [$0.lastAnswer].compactMap(\.self)).max() }
    }

    /// When a request for records, or its answer, was last seen to move.
    var lastProgress: ContinuousClock.Instant? { state.withLock(\.lastProgress) }

    /// - Parameter isAnswered: Whether the server did what was asked.
    func ended(_ number: Int, _ outcome: String, isAnswered: Bool = false) {
        let end = now()
        let request = state.withLock { state -> SentRequest? in
            state.moves[number] = nil
            if isAnswered { state.lastAnswer = .now }
            let index = number - state.dropped
            guard state.requests.indices.contains(index) else { return nil }
            state.requests[index].outcome = outcome
            state.requests[index].milliseconds = max(0, end - state.requests[index].at)
            return state.requests[index]
        }
        if let request { tell(request) }
    }
}

extension InstantDocumentDescriptor {
    /// The last requests to the server since this layer was opened, newest first; a stream of events counts as one.
    package var recentRequests: [SentRequest] { recorder.requests }

    /// When bytes of a request were last sent or received: of one that has not ended, or that was answered. Later, if none need
    /// follow yet. Streams do not count.
    package var lastMove: ContinuousClock.Instant? { recorder.lastMove }
}
