import Annotations
import EngineCore
import SyncProtocol
import Synchronization

/// Everything about whoever listens, under one lock.
///
/// Listeners are woken when the lock is free again: the first thing each does is to take it, and one that has to wait for
/// it sleeps until whoever holds it has done all the rest of its own work as well.
final class Live: Sendable {
    struct State {
        var fanout = Fanout()
        var feed = Feed()
        var presence: Presence
        var pulse = Pulse()
        var isClosing = false
        private var wake: [Fanout.ListenerID: AsyncStream<Engine.Signal>.Continuation] = [:]
        private var outlets: [Fanout.ListenerID: Outlet] = [:]
        fileprivate var due = Due()

        init(presence: Presence) { self.presence = presence }

        mutating func join(_ id: Fanout.ListenerID, by wake: AsyncStream<Engine.Signal>.Continuation) {
            self.wake[id] = wake
            if isClosing { signal(.mail, to: id) }
        }

        mutating func leave(_ id: Fanout.ListenerID) {
            wake.removeValue(forKey: id)?.finish()
            outlets[id] = nil
        }

        var outletCount: Int { outlets.count }

        /// The listener can be written to by whoever tells of a commit.
        mutating func open(_ outlet: Outlet, to id: Fanout.ListenerID) { if wake[id] != nil { outlets[id] = outlet } }

        mutating func signal(_ signal: Engine.Signal, to id: Fanout.ListenerID) {
            if let wake = wake[id] { due.calls.append((wake, signal)) }
        }

        mutating func signalAll(_ signal: Engine.Signal) {
            for wake in wake.values { due.calls.append((wake, signal)) }
        }

        mutating func tell(_ what: (inout Fanout) -> Set<Fanout.ListenerID>) {
            for id in what(&fanout) { signal(.mail, to: id) }
        }

        mutating func publish(_ commit: Commit, at now: Timestamp) {
            let told = fanout.publish(commit)
            tell(presence.committed(commit))
            for id in told {
                if told.count <= Outlet.most, !isClosing, let wake = wake[id], let outlet = outlets[id],
                    outlet.take(at: now)
                {
                    due.events.append((outlet, fanout.take(id), wake))
                } else {
                    signal(.mail, to: id)
                }
            }
        }
    }

    /// What is to be done when the lock is free.
    fileprivate struct Due {
        var events: [(Outlet, Delivery, AsyncStream<Engine.Signal>.Continuation)] = []
        var calls: [(AsyncStream<Engine.Signal>.Continuation, Engine.Signal)] = []
    }

    private let state: Mutex<State>

    init(presence: Presence) { state = Mutex(State(presence: presence)) }

    func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        var due = Due()
        defer {
            for (outlet, delivery, wake) in due.events where outlet.write(delivery) { wake.yield(.mail) }
            for (wake, signal) in due.calls { wake.yield(signal) }
        }
        return try state.withLock { state in
            defer { swap(&due, &state.due) }
            return try body(&state)
        }
    }
}
