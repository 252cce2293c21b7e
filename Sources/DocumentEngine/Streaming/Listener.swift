import EngineCore
import SyncProtocol

/// One reader of a layer's changes. It leaves when it is let go.
final class Listener: Sendable {
    enum Way: Sendable {
        /// The presence session of its reader; nil when the reader announces none.
        case stream(Presence.Session?)
        case poll
    }

    /// Why a listener was woken. They add up until they are taken.
    struct Signals: OptionSet, Hashable, Sendable {
        let rawValue: UInt8

        /// Something is in its mailbox.
        static let mail = Signals(rawValue: 1)
        static let heartbeat = Signals(rawValue: 2)
        /// The token ends soon.
        static let expiring = Signals(rawValue: 4)
        /// Look at the clock: the token's time, or that of a long poll, may be over.
        static let time = Signals(rawValue: 8)
    }

    private let engine: Engine
    private let id: EventBroadcaster.ListenerID
    private let layer: Int64
    private let way: Way
    /// At most one waits: what it is about is taken by ``take()``.
    let wakeUps: AsyncStream<Void>
    let wake: AsyncStream<Void>.Continuation

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

    deinit { engine.leave(id, layer, way) }

    func signal(_ signals: Signals) { engine.signal(signals, to: id) }

    /// What came since the last call.
    func take() -> (delivery: QueuedEvents, signals: Signals) { engine.take(id) }
}
