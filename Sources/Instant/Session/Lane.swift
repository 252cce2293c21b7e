import Dispatch
import Synchronization

/// What happens to a layer, one step after the other, in the order in which it came.
///
/// A step is done on a thread of the lane's own. One that is short may be done at once by whoever brings it, if nothing is
/// under way and the last such step was quick: to wake a thread takes about as long as to take one change in.
final class Lane: Sendable {
    typealias Step = @Sendable () -> Void

    private struct State {
        var waiting: [Step] = []
        var isBusy = false
        /// The last step took no longer than ``quick``.
        var isQuick = true
    }

    private let queue: DispatchQueue
    private let state = Mutex(State())
    private let quick: Duration

    /// - Parameter quick: so long may a step keep a thread that has other things to do.
    init(label: String, quick: Duration = .milliseconds(2)) {
        queue = DispatchQueue(label: label)
        self.quick = quick
    }

    func add(_ step: @escaping Step) {
        let begins = state.withLock { state in
            state.waiting.append(step)
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if begins { queue.async { self.drain() } }
    }

    func add(afterMilliseconds delay: Int, _ step: @escaping Step) {
        queue.asyncAfter(deadline: .now() + .milliseconds(delay)) { self.add(step) }
    }

    /// Done when this returns, if nothing stood in the way; else as by ``add(_:)``.
    func doOrAdd(_ step: @escaping Step) {
        let mayBegin = state.withLock { state in
            guard !state.isBusy, state.isQuick else { return false }
            state.isBusy = true
            return true
        }
        guard mayBegin else { return add(step) }
        perform(step)
        // What came meanwhile is not the caller's to do.
        if !isOver() { queue.async { self.drain() } }
    }

    /// Waits until everything that came before was done. Not from a step.
    func wait() {
        let isDone = DispatchSemaphore(value: 0)
        add { isDone.signal() }
        isDone.wait()
    }

    private func drain() {
        while !isOver() {
            let steps = state.withLock { state in
                defer { state.waiting = [] }
                return state.waiting
            }
            for step in steps { perform(step) }
        }
    }

    private func perform(_ step: Step) {
        let start = ContinuousClock.now
        step()
        let isQuick = start.duration(to: .now) <= quick
        state.withLock { $0.isQuick = isQuick }
    }

    private func isOver() -> Bool {
        state.withLock { state in
            if state.waiting.isEmpty { state.isBusy = false }
            return !state.isBusy
        }
    }
}
