import Synchronization

/// Gives every listener its own stream of one layer's events. A listener that went away is forgotten.
final class EventHub: Sendable {
    private struct Subscriber {
        weak var queue: EventQueue?
    }

    private struct State {
        var listeners: [Subscriber] = []
        var isFinished = false
    }

    private let state = Mutex(State())
    private let capacity: Int

    init(capacity: Int = 256) { self.capacity = capacity }

    func stream(
        where isWanted: @escaping @Sendable (InstantEvent) -> Bool = { _ in true }
    ) -> AsyncStream<InstantEvent> {
        let queue = queue(where: isWanted, capacity: capacity)
        return AsyncStream(unfolding: { await queue.next() }, onCancel: { queue.finish() })
    }

    /// What waits for one more listener, for as long as somebody holds it.
    func queue(where isWanted: @escaping @Sendable (InstantEvent) -> Bool, capacity: Int) -> EventQueue {
        let queue = EventQueue(capacity: capacity, isWanted: isWanted)
        let isFinished = state.withLock { state in
            if !state.isFinished { state.listeners.append(Subscriber(queue: queue)) }
            return state.isFinished
        }
        if isFinished { queue.finish() }
        return queue
    }

    func send(_ event: InstantEvent) { for queue in queues() { queue.push(event) } }

    func finish() {
        state.withLock { $0.isFinished = true }
        for queue in queues() { queue.finish() }
    }

    private func queues() -> [EventQueue] {
        state.withLock { state in
            state.listeners.removeAll { $0.queue == nil }
            return state.listeners.compactMap(\.queue)
        }
    }
}
