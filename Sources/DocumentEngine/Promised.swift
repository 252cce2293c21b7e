import Synchronization

/// A value that comes later, once, for everybody who waits for it.
final class Promised<Value: Sendable>: Sendable {
    private enum State {
        case open([CheckedContinuation<Value, any Error>])
        case kept(Result<Value, any Error>)
    }

    private let state = Mutex(State.open([]))

    /// Once.
    func keep(_ result: Result<Value, any Error>) {
        let waiting = state.withLock { state in
            defer { state = .kept(result) }
            if case .open(let waiting) = state { return waiting }
            return []
        }
        for continuation in waiting { continuation.resume(with: result) }
    }

    var value: Value {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Value, any Error>? in
                    switch state {
                    case .open(let waiting):
                        state = .open(waiting + [continuation])
                        return nil
                    case .kept(let result): return result
                    }
                }
                if let result { continuation.resume(with: result) }
            }
        }
    }
}
