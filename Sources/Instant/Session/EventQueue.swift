import Synchronization

/// The bounded queue of events for one subscriber. If it overflows, a single ``InstantEvent/didMissEvents`` replaces
/// everything that was lost.
final class EventQueue: Sendable {
    private struct State {
        var pending: [InstantEvent] = []
        var waiting: CheckedContinuation<InstantEvent?, Never>?
        var isFinished = false
    }

    private let state = Mutex(State())
    private let capacity: Int
    private let isWanted: @Sendable (InstantEvent) -> Bool

    init(capacity: Int, isWanted: @escaping @Sendable (InstantEvent) -> Bool = { _ in true }) {
        self.capacity = capacity
        self.isWanted = isWanted
    }

    func push(_ event: InstantEvent) {
        guard isWanted(event) else { return }
        let waiting = state.withLock { state -> CheckedContinuation<InstantEvent?, Never>? in
            guard !state.isFinished else { return nil }
            if let waiting = state.waiting {
                state.waiting = nil
                return waiting
            }
            if state.pending.count < capacity {
                state.pending.append(event)
            } else {
                // The end and its reason are always delivered.
                state.pending = if case .didClose = event { [.didMissEvents, event] } else { [.didMissEvents] }
            }
            return nil
        }
        waiting?.resume(returning: event)
    }

    /// Ends the queue; pending events can still be read.
    func finish() {
        let waiting = state.withLock { state in
            state.isFinished = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume(returning: nil)
    }

    /// Returns the next event; nil at the end. One caller at a time: a stream has one reader.
    func next() async -> InstantEvent? {
        await withCheckedContinuation { continuation in
            let event = state.withLock { state -> InstantEvent?? in
                if !state.pending.isEmpty { return .some(state.pending.removeFirst()) }
                if state.isFinished { return .some(nil) }
                // A second reader replaces the first.
                state.waiting?.resume(returning: nil)
                state.waiting = continuation
                return nil
            }
            if let event { continuation.resume(returning: event) }
        }
    }
}
