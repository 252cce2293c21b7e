import Synchronization

/// Gives every listener its own bounded stream of one layer's events. What a slow listener misses becomes one
/// ``InstantEvent/refresh``.
final class EventHub: Sendable {
    private struct Listener {
        var continuation: AsyncStream<InstantEvent>.Continuation
        var overflowed = false
    }

    private struct State {
        var listeners: [Int: Listener] = [:]
        var next = 0
        var isFinished = false
    }

    private let state = Mutex(State())
    private let capacity: Int

    init(capacity: Int = 256) { self.capacity = capacity }

    func stream() -> AsyncStream<InstantEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: InstantEvent.self, bufferingPolicy: .bufferingNewest(capacity))
        let number: Int? = state.withLock { state in
            guard !state.isFinished else { return nil }
            state.next += 1
            state.listeners[state.next] = Listener(continuation: continuation)
            return state.next
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }

    func send(_ event: InstantEvent) {
        state.withLock { state in
            for (number, var listener) in state.listeners {
                switch listener.continuation.yield(event) {
                case .dropped where !listener.overflowed:
                    listener.overflowed = true
                    listener.continuation.yield(.refresh)
                case .enqueued(let remaining) where remaining > capacity / 2: listener.overflowed = false
                default: break
                }
                state.listeners[number] = listener
            }
        }
    }

    func finish() {
        let listeners = state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [:] }
            return state.listeners.values.map(\.continuation)
        }
        for continuation in listeners { continuation.finish() }
    }
}
