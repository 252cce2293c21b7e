import EngineCore
import NIOCore

/// One reader of a layer's changes. It leaves when it is let go.
final class Listener: Sendable {
    enum Way: Sendable {
        /// Whoever reads it announces itself under this session; nil: by none.
        case stream(Presence.Session?)
        case poll
    }

    private let engine: Engine
    private let id: Fanout.ListenerID
    private let layer: Int64
    private let way: Way
    let signals: AsyncStream<Engine.Signal>
    let wake: AsyncStream<Engine.Signal>.Continuation

    init(
        engine: Engine, id: Fanout.ListenerID, layer: Int64, way: Way, signals: AsyncStream<Engine.Signal>,
        wake: AsyncStream<Engine.Signal>.Continuation
    ) {
        self.engine = engine
        self.id = id
        self.layer = layer
        self.way = way
        self.signals = signals
        self.wake = wake
    }

    deinit { engine.leave(id, layer, way) }

    /// - Returns: nil where there is no such way, or where there are enough of them.
    func open(_ channel: (any Channel)?, _ make: (any Channel) -> Outlet?) -> Outlet? {
        guard let channel, engine.mayOpenOutlet, let outlet = make(channel) else { return nil }
        engine.open(outlet, to: id)
        return outlet
    }

    func take() -> Delivery { engine.take(id) }
}
