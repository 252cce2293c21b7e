import Synchronization

/// One who loads a layer page after page: what is to be read next for him, and how much of it.
final class PageWalk: Sendable {
    private struct State {
        var next: PagesAhead.Question?
        /// Pages that may be read before he has taken another.
        var allowance = PagesAhead.depth
        /// One thread at a time reads on.
        var isRead = false
    }

    private let state: Mutex<State>

    init(from question: PagesAhead.Question) { state = Mutex(State(next: question)) }

    /// - Returns: whether there is something to read, and nobody else who does.
    func begin(taken: Bool) -> Bool {
        state.withLock { state in
            if taken { state.allowance += 1 }
            guard !state.isRead, state.next != nil, state.allowance > 0 else { return false }
            state.isRead = true
            return true
        }
    }

    /// - Returns: what to read now; nil: it is over, for now or for good.
    func proceed() -> PagesAhead.Question? {
        state.withLock { state in
            guard let next = state.next, state.allowance > 0 else {
                state.isRead = false
                return nil
            }
            state.allowance -= 1
            state.next = nil
            return next
        }
    }

    /// - Parameter next: nil: there is no more, or nobody will ask for it.
    func go(on next: PagesAhead.Question?) { state.withLock { $0.next = next } }
}
