import EngineCore
import SyncProtocol
import Synchronization

/// One reader of a layer's changes. Releasing it removes the listener.
final class Listener: Sendable {
    enum Way: Sendable {
        /// The reader's presence session; nil if it announces none.
        case stream(Presence.Session?)
        case poll
    }

    /// Why a listener was woken. Signals accumulate until they are taken.
    struct Signals: OptionSet, Hashable, Sendable {
        let rawValue: UInt8

        /// Its queue is not empty.
        static let mail = Signals(rawValue: 1)
        static let heartbeat = Signals(rawValue: 2)
        /// The token expires soon.
        static let expiring = Signals(rawValue: 4)
        /// Check the clock: the token or a long poll may have expired.
        static let time = Signals(rawValue: 8)
    }

    private let engine: Engine
    private let id: EventBroadcaster.ListenerID
    private let layer: Int64
    private let way: Way
    /// Holds at most one wake-up; ``take()`` returns its cause.
    let wakeUps: AsyncStream<Void>
    let wake: AsyncStream<Void>.Continuation
    /// Whether the token was revoked or the layer deleted: the reader does not come back.
    private let wasEnded = Atomic(false)

    init(
        engine: Engine, id: EventBroadcaster.ListenerID, layer: Int64, way: Way, wakeUps: AsyncStream<Void>,
        wake: AsyncStream<Void>.Continuation
    ) {
        self.engine = engine
        self.id = id
        self.layer = layer
        self.way = way
        self.wakeUps = wakeUps
        self.wake = wake
    }

    deinit { engine.leave(id, layer, way, isFinal: wasEnded.load(ordering: .relaxed)) }

    func signal(_ signals: Signals) { engine.signal(signals, to: id) }

    /// Returns and removes what was queued since the last call.
    func take() -> (delivery: QueuedEvents, signals: Signals) {
        let taken = engine.take(id)
        switch taken.delivery.end?.kind {
        case .revoked, .lost: wasEnded.store(true, ordering: .relaxed)
        case .open, .expiring, .expired, .behind, .closing, nil: break
        }
        return taken
    }
}
