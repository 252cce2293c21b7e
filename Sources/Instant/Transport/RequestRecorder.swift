import Annotations
package import InstantCore
import Synchronization

/// Remembers the last requests of one layer. Called from any task.
final class RequestRecorder: Sendable {
    static let maxCount = 200

    private struct State {
        /// Oldest first.
        var requests: [SentRequest] = []
        /// How many were forgotten: a request's number is its place counted from the first ever.
        var dropped = 0
    }

    private let state = Mutex(State())
    private let now: @Sendable () -> Timestamp

    init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

    /// The newest first.
    var requests: [SentRequest] { state.withLock { $0.requests.reversed() } }

    /// - Parameter url: whole; what stands behind the question mark is not kept.
    func began(_ method: String, url: String) -> Int {
        let whole = url.prefix { $0 != "?" }
        let path = whole.firstRange(of: "/instant/v1/").map { whole[$0.upperBound...] } ?? whole
        return began(method, path: String(path))
    }

    /// - Parameter path: behind `/instant/v1/`, without a query.
    /// - Returns: its number, for ``ended(_:_:)``.
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

    func ended(_ number: Int, _ outcome: String) {
        let end = now()
        state.withLock { state in
            let index = number - state.dropped
            guard state.requests.indices.contains(index) else { return }
            state.requests[index].outcome = outcome
            state.requests[index].milliseconds = max(0, end - state.requests[index].at)
        }
    }
}

extension InstantDocumentDescriptor {
    /// The last requests to the server since this layer was opened, the newest first; a stream of events is one.
    package var recentRequests: [SentRequest] { recorder.requests }
}
