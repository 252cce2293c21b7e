import Annotations
import EngineCore
import SyncProtocol
import Synchronization

/// The state of all listeners, under one lock.
///
/// Listeners are woken after the lock is released, because each one acquires the lock when it wakes.
final class ListenerHub: Sendable {
    struct State {
        private struct Waiter {
            var wake: AsyncStream<Void>.Continuation
            var signals: Listener.Signals = []
        }

        var fanout = EventBroadcaster()
        var feed = PublicationCursor()
        var presence: Presence
        var pulse = HeartbeatTimer()
        var isClosing = false
        private var waiters: [EventBroadcaster.ListenerID: Waiter] = [:]
        fileprivate var due: [AsyncStream<Void>.Continuation] = []

        init(presence: Presence) { self.presence = presence }

        mutating func join(_ id: EventBroadcaster.ListenerID, by wake: AsyncStream<Void>.Continuation) {
            waiters[id] = Waiter(wake: wake)
            if isClosing { signal(.mail, to: id) }
        }

        mutating func leave(_ id: EventBroadcaster.ListenerID) { waiters.removeValue(forKey: id)?.wake.finish() }

        /// Adds signals. A listener that was woken and has not taken its signals yet is not woken again.
        mutating func signal(_ signals: Listener.Signals, to id: EventBroadcaster.ListenerID) {
            guard let waiter = waiters[id] else { return }
            waiters[id]?.signals.formUnion(signals)
            if waiter.signals.isEmpty { due.append(waiter.wake) }
        }

        mutating func signalAll(_ signals: Listener.Signals) { for id in waiters.keys { signal(signals, to: id) } }

        mutating func takeSignals(of id: EventBroadcaster.ListenerID) -> Listener.Signals {
            defer { waiters[id]?.signals = [] }
            return waiters[id]?.signals ?? []
        }

        mutating func tell(_ what: (inout EventBroadcaster) -> Set<EventBroadcaster.ListenerID>) {
            for id in what(&fanout) { signal(.mail, to: id) }
        }

        mutating func publish(_ commit: Commit) {
            tell { $0.publish(commit) }
            tell(presence.committed(commit))
        }
    }

    private let state: Mutex<State>

    init(presence: Presence) { state = Mutex(State(presence: presence)) }

    func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        var due: [AsyncStream<Void>.Continuation] = []
        defer { for wake in due { wake.yield() } }
        return try state.withLock { state in
            defer { swap(&due, &state.due) }
            return try body(&state)
        }
    }
}
