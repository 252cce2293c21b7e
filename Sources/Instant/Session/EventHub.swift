import Synchronization

/// Distributes one layer's events; each subscriber has its own stream. A released subscriber is removed.
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

    /// Returns the queue of a new subscriber, filled for as long as it is retained.
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
