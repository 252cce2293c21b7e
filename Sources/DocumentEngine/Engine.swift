import Annotations
import Authorization
import Dispatch
import EngineCore
import SyncProtocol
import Synchronization

/// Performs what EngineCore decides: reads on a few threads, writes through one queue with group commit, listeners
/// woken after each commit, other servers on the same store told of it.
final class Engine: Sendable {
    let writes: WriteQueue
    let limits: SyncProtocol.Limits
    let now: @Sendable () -> Timestamp
    private let store: any LayerStore
    private let readers: [DispatchQueue]
    private let turn = Atomic<Int>(0)
    let live: Mutex<Live>
    private let digests = Mutex(DigestCache())

    /// What other servers have to know; nil: there are none.
    private let notices: Gathering<Notice>?
    /// What others may have done that has to be told here.
    let lookups = Gathering<Lookup>()
    /// People of this server whom other servers have to hear of; nil: there are none.
    let peopleForPeers: Gathering<Presence.Whom>?

    /// Everything about whoever listens, under one lock.
    struct Live {
        var fanout = Fanout()
        var feed = Feed()
        var presence: Presence
        var pulse = Pulse()
        var wake: [Fanout.ListenerID: AsyncStream<Signal>.Continuation] = [:]
        var isClosing = false

        mutating func tell(_ what: (inout Fanout) -> Set<Fanout.ListenerID>) {
            for id in what(&fanout) { wake[id]?.yield(.mail) }
        }

        mutating func publish(_ commit: Commit) {
            tell { $0.publish(commit) }
            tell(presence.committed(commit))
        }
    }

    /// What a stream of events waits for.
    enum Signal: Hashable, Sendable {
        case mail
        case heartbeat
        case expiring
        /// Look at the clock: the token's time may be over.
        case time
    }

    /// - Parameters:
    ///   - notices: where what others have to know is put; nil: this server has its store alone.
    ///   - ended: told of each transaction.
    init(
        store: any LayerStore, limits: SyncProtocol.Limits, now: @escaping @Sendable () -> Timestamp,
        notices: Gathering<Notice>? = nil, ended: @escaping @Sendable (WriteQueue.Transaction) -> Void = { _ in }
    ) {
        self.store = store
        self.notices = notices
        self.limits = limits
        self.now = now
        peopleForPeers = notices == nil ? nil : Gathering()
        live = Mutex(Live(presence: Presence(node: String(Fingerprint.hex(.random(in: 0 ... .max)).prefix(8)))))
        writes = WriteQueue(
            store: store, grouping: notices == nil ? .everything : .layers(threads: 4), ended: ended)
        readers = (0..<4).map { DispatchQueue(label: "postilla.reader.\($0)", qos: .userInitiated) }
    }

    /// One read transaction, off the threads of the event loops.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReading) throws -> Result
    ) async throws -> Result {
        try await apart { [store] in try store.read(body) }
    }

    /// What blocks, on one of the readers' threads.
    func apart<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        let index = turn.wrappingAdd(1, ordering: .relaxed).oldValue
        let queue = readers[Int(UInt(bitPattern: index) % UInt(readers.count))]
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Swift.Result { try body() }) }
        }
    }

    /// One write to one layer: durable when it returns, its listeners told before.
    func write<Result: Sendable>(
        to layer: LayerKey, _ body: @escaping @Sendable (any StoreWriting) throws -> (Result, Commit)
    ) async throws -> Result {
        try await writes.perform(on: layer, body) { [self] in publish($0.1) }.0
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
        return try await writes.perform(on: claims.layerKey) { store in
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
        return try await write(to: claims.layerKey) { store in
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
    ///
    /// - Parameter way: of a stream time is kept here, and it is told of everybody who is there.
    func listen(_ layer: StoredLayer, _ claims: Claims, by way: Listener.Way) -> Listener {
        // Who is slow gets no longer row of calls: one more says nothing new, and mail waits in its box.
        let (signals, wake) = AsyncStream<Signal>.makeStream(bufferingPolicy: .bufferingNewest(8))
        let (scope, now) = (claims.grant.viewScope, now())
        let id = live.withLock { live in
            let id = live.fanout.add(layer, scope: scope, tokenID: claims.tokenID)
            // Nobody followed its commits here until now.
            if !live.feed.isHeard(layer.id) { live.presence.forgetRecords(at: layer.id) }
            live.feed.join(layer)
            live.wake[id] = wake
            if case .stream(let session) = way {
                if let session { live.presence.streamOpened(session) }
                live.pulse.add(id, until: claims.grant.expiresAt, now: now)
                live.tellEverybody(at: layer.id, to: id, seenBy: scope)
            }
            if live.isClosing { wake.yield(.mail) }
            return id
        }
        return Listener(engine: self, id: id, layer: layer.id, way: way, signals: signals, wake: wake)
    }

    func take(_ id: Fanout.ListenerID) -> Delivery {
        live.withLock { $0.isClosing ? Delivery(frames: [], end: SessionEvent(.closing)) : $0.fanout.take(id) }
    }

    fileprivate func leave(_ id: Fanout.ListenerID, _ layer: Int64, _ way: Listener.Way) {
        live.withLock { live in
            live.fanout.remove(id)
            live.pulse.remove(id)
            live.feed.leave(layer)
            live.wake.removeValue(forKey: id)?.finish()
        }
        if case .stream(let session?) = way { changePeople { $0.streamEnded(session) } }
    }

    /// Ends the streams of a layer, here and elsewhere.
    func end(_ layer: Int64, with event: SessionEvent) {
        close(layer, with: event)
        notices?.add(.ended(layer: layer))
    }

    private func close(_ layer: Int64, with event: SessionEvent) {
        live.withLock { live in
            live.tell { $0.close(layer: layer, with: event) }
            live.tell(live.presence.layerEnded(layer, isLost: event.kind == .lost))
        }
    }

    /// Ends the streams of tokens, here and elsewhere.
    func revoke(_ tokenIDs: some Sequence<String>) {
        tell { $0.revoke(tokenIDs) }
        notices?.add(.revoked)
    }

    /// Ends every stream of this server: it cannot hear any more what happens.
    func endAll(with event: SessionEvent) { tell { $0.closeAll(with: event) } }

    private func publish(_ commit: Commit) {
        guard !commit.isEmpty else { return }
        guard let notices else { return live.withLock { $0.publish(commit) } }
        notices.add(.changed(layer: commit.layer.id, head: commit.layer.head))
        if take(commit) == .look { lookups.add(.layer(commit.layer.id)) }
    }

    /// Tells listeners of a commit if it is the next thing they have to be told.
    private func take(_ commit: Commit) -> Feed.Step {
        live.withLock { live in
            let step = live.feed.take(commit)
            if step == .publish { live.publish(commit) }
            return step
        }
    }

    // MARK: What other servers do

    /// The layers that somebody listens to here.
    var heard: [StoredLayer] { live.withLock { $0.feed.layers } }

    /// A layer that others have changed; nil: everybody here knows of it already, or nobody asks.
    func layer(_ id: Int64, ifBehind head: Revision) -> StoredLayer? {
        live.withLock { $0.feed.layer(id, ifBehind: head) }
    }

    /// Reads what others did to a layer and tells its listeners.
    func look(at layers: [StoredLayer]) async throws {
        guard !layers.isEmpty else { return }
        let findings = try await read { store in try layers.map { try Finding($0, in: store) } }
        for (layer, finding) in zip(layers, findings) {
            switch finding {
            case .same: break
            case .ended(let event): close(layer.id, with: event)
            // Something was told meanwhile that this does not know of: once more.
            case .changed(let commit): if take(commit) == .look { lookups.add(.layer(layer.id)) }
            }
        }
    }

    /// Ends the streams whose tokens were revoked elsewhere.
    func lookAtTokens() async throws {
        let tokens = live.withLock { $0.fanout.tokenIDs }
        guard !tokens.isEmpty else { return }
        let revoked = try await read { try $0.revoked(among: tokens) }
        if !revoked.isEmpty { tell { $0.revoke(revoked) } }
    }

    /// Ends streams and wakes whoever reads them.
    private func tell(_ what: (inout Fanout) -> Set<Fanout.ListenerID>) { live.withLock { $0.tell(what) } }

    /// The server stops: streams end, so that nothing holds it.
    func close() {
        live.withLock { live in
            live.isClosing = true
            for wake in live.wake.values { wake.yield(.mail) }
        }
    }

    var listenerCount: Int { live.withLock { $0.fanout.listenerCount } }
}

extension Claims {
    var layerKey: LayerKey { LayerKey(document: grant.documentID, name: grant.layer) }
}

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

    func take() -> Delivery { engine.take(id) }
}
