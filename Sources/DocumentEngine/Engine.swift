import Annotations
import Authorization
import Dispatch
import EngineCore
import SyncProtocol
import Synchronization

/// Performs what EngineCore decides: reads on a few threads, writes through one queue with group commit, listeners
/// woken after each commit.
final class Engine: Sendable {
    let writes: WriteQueue
    let limits: SyncProtocol.Limits
    let now: @Sendable () -> Timestamp
    private let store: any LayerStore
    private let readers: [DispatchQueue]
    private let turn = Atomic<Int>(0)
    private let live = Mutex(Live())
    private let digests = Mutex(DigestCache())

    private struct Live {
        var fanout = Fanout()
        var wake: [Fanout.ListenerID: AsyncStream<Signal>.Continuation] = [:]
        var isClosing = false
    }

    /// What a stream of events waits for.
    enum Signal: Hashable, Sendable {
        case mail
        case heartbeat
        case expiring
        /// Look at the clock: the token's time may be over.
        case time
    }

    init(store: any LayerStore, limits: SyncProtocol.Limits, now: @escaping @Sendable () -> Timestamp) {
        self.store = store
        self.limits = limits
        self.now = now
        writes = WriteQueue(store: store)
        readers = (0..<4).map { DispatchQueue(label: "postilla.reader.\($0)", qos: .userInitiated) }
    }

    /// One read transaction, off the threads of the event loops.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReading) throws -> Result
    ) async throws -> Result {
        let index = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        let queue = readers[Int(UInt(bitPattern: index) % UInt(readers.count))]
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try self.store.read(body) }) }
        }
    }

    /// One write to one layer: durable when it returns, its listeners told before.
    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreWriting) throws -> (Result, Commit)
    ) async throws -> Result {
        try await writes.perform(body) { [self] in publish($0.1) }.0
    }

    // MARK: Layers

    /// The layer a token names, seen as the token lets it be seen; made if this is the first time.
    func view<Result: Sendable>(
        _ claims: Claims, _ body: @escaping @Sendable (LayerView) throws -> Result
    ) async throws -> Result {
        let scope = claims.grant.viewScope
        let found = try await read { store -> Result? in
            try Self.admit(claims, in: store)
            guard let layer = try Layers.find(claims.grant, issuedAt: claims.issuedAt, in: store) else { return nil }
            return try body(LayerView(layer, scope: scope, in: store))
        }
        if let found { return found }
        return try await writes.perform { store in
            try body(LayerView(try Self.open(claims, in: store), scope: scope, in: store))
        }
    }

    /// The sum of all that a token may see.
    func digest(_ claims: Claims, epoch: String) async throws -> DigestAnswer {
        try await view(claims) { [self] view in
            if let known = digests.withLock({ $0.answer(view.layer, scope: view.scope) }), known.epoch == epoch {
                return known
            }
            let answer = try view.digest(epoch: epoch)
            digests.withLock { $0.keep(answer, view.layer, scope: view.scope) }
            return answer
        }
    }

    func push(_ request: PushRequest, _ claims: Claims) async throws -> PushAnswer {
        let push = Push(grant: claims.grant, limits: limits)
        let now = now()
        return try await write { store in
            let layer = try Self.open(claims, in: store)
            return try push.perform(request, on: layer, in: store, now: now)
        }
    }

    private static func open(_ claims: Claims, in store: any StoreWriting) throws -> StoredLayer {
        try admit(claims, in: store)
        var random = SystemRandomNumberGenerator()
        return try Layers.open(claims.grant, issuedAt: claims.issuedAt, in: store, using: &random)
    }

    /// - Throws: ``Refusal`` when the token was revoked.
    static func admit(_ claims: Claims, in store: any StoreReading) throws {
        if let id = claims.tokenID, try store.isRevoked(tokenID: id) {
            throw Refusal(.tokenRevoked, "the token was revoked")
        }
    }

    // MARK: Listeners

    /// Begins to listen. What was committed before has to be pulled after this call.
    func listen(_ layer: StoredLayer, scope: ViewScope, tokenID: String?) -> Listener {
        // Who is slow gets no longer row of calls: one more says nothing new, and mail waits in its box.
        let (signals, wake) = AsyncStream<Signal>.makeStream(bufferingPolicy: .bufferingNewest(8))
        let id = live.withLock { live in
            let id = live.fanout.add(layer, scope: scope, tokenID: tokenID)
            live.wake[id] = wake
            if live.isClosing { wake.yield(.mail) }
            return id
        }
        return Listener(engine: self, id: id, signals: signals, wake: wake)
    }

    func take(_ id: Fanout.ListenerID) -> Delivery {
        live.withLock { $0.isClosing ? Delivery(frames: [], end: SessionEvent(.closing)) : $0.fanout.take(id) }
    }

    func leave(_ id: Fanout.ListenerID) {
        live.withLock { live in
            live.fanout.remove(id)
            live.wake.removeValue(forKey: id)?.finish()
        }
    }

    func publish(_ commit: Commit) { tell { $0.publish(commit) } }

    /// Ends streams and wakes whoever reads them.
    func tell(_ what: (inout Fanout) -> Set<Fanout.ListenerID>) {
        live.withLock { live in
            for id in what(&live.fanout) { live.wake[id]?.yield(.mail) }
        }
    }

    /// The server stops: streams end, so that nothing holds it.
    func close() {
        live.withLock { live in
            live.isClosing = true
            for wake in live.wake.values { wake.yield(.mail) }
        }
    }

    var listenerCount: Int { live.withLock { $0.fanout.listenerCount } }
}

/// One reader of a layer's changes. It leaves when it is let go.
final class Listener: Sendable {
    private let engine: Engine
    private let id: Fanout.ListenerID
    let signals: AsyncStream<Engine.Signal>
    let wake: AsyncStream<Engine.Signal>.Continuation

    init(
        engine: Engine, id: Fanout.ListenerID, signals: AsyncStream<Engine.Signal>,
        wake: AsyncStream<Engine.Signal>.Continuation
    ) {
        self.engine = engine
        self.id = id
        self.signals = signals
        self.wake = wake
    }

    deinit { engine.leave(id) }

    func take() -> Delivery { engine.take(id) }
}
