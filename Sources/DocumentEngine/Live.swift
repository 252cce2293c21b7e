import EngineCore
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
        fileprivate var woken: [(AsyncStream<Engine.Signal>.Continuation, Engine.Signal)] = []

        init(presence: Presence) { self.presence = presence }

        mutating func join(_ id: Fanout.ListenerID, by wake: AsyncStream<Engine.Signal>.Continuation) {
            self.wake[id] = wake
            if isClosing { signal(.mail, to: id) }
        }

        mutating func leave(_ id: Fanout.ListenerID) { wake.removeValue(forKey: id)?.finish() }

        mutating func signal(_ signal: Engine.Signal, to id: Fanout.ListenerID) {
            if let wake = wake[id] { woken.append((wake, signal)) }
        }

        mutating func signalAll(_ signal: Engine.Signal) { for wake in wake.values { woken.append((wake, signal)) } }

        mutating func tell(_ what: (inout Fanout) -> Set<Fanout.ListenerID>) {
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
        var woken: [(AsyncStream<Engine.Signal>.Continuation, Engine.Signal)] = []
        defer { for (wake, signal) in woken { wake.yield(signal) } }
        return try state.withLock { state in
            defer { swap(&woken, &state.woken) }
            return try body(&state)
        }
    }
}
