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

    /// Notes that bytes of a request were sent or received.
    ///
    /// - Parameter time: For how long nothing need follow.
    func moved(_ number: Int, allowing time: TimeAmount) {
        let moment = ContinuousClock.now + Duration(time)
        state.withLock { $0.moves[number] = max(moment, $0.moves[number] ?? moment) }
    }

    /// When bytes of a request that has not ended were last sent or received; later, if none need follow yet. Live channels do
    /// not count.
    var lastMove: ContinuousClock.Instant? { state.withLock { $0.moves.values.max() } }

    func ended(_ number: Int, _ outcome: String) {
        let end = now()
        let request = state.withLock { state -> SentRequest? in
            state.moves[number] = nil
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

    /// When bytes of a request that has not ended were last sent or received; later, if none need follow yet. Live channels do
    /// not count.
    package var lastMove: ContinuousClock.Instant? { recorder.lastMove }
}
