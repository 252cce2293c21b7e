import Annotations
import Authorization
import EngineCore
import SyncProtocol
import Synchronization

/// Performs what EngineCore decides: reads on a few threads, writes through one queue with group commit, events to
/// listeners and messages to other servers after each commit.
final class Engine: Sendable {
    let writes: WriteQueue
    /// Acquired by each transaction of a multi-transaction job (see ``writePiece(_:)``).
    let pieces = AsyncSemaphore(width: 1, line: .max)
    let limits: SyncProtocol.ServerLimits
    let now: @Sendable () -> Timestamp
    private let wait: @Sendable (Int64) async throws -> Void
    let store: any LayerStore
    /// The threads for read transactions; the store has a reader connection for each.
    private let readers = WorkerThreads(width: 4)
    /// The threads for other blocking or long work: files, hashing, large bodies.
    let workers = WorkerThreads(width: 4)
    let live: ListenerHub
    let digests = Mutex(DigestCache())
    let verifier: TokenVerifier
    /// The documents that have a store of their own.
    private let places = Mutex<[ByteOrdered: StorePlace]>([:])
    /// Performs the pushes to documents that have a store of their own; nil: there are none.
    let pushes = Mutex<(@Sendable (LayerKey, @escaping PushWork) async throws -> PushAnswer)?>(nil)
    /// Whether each cached digest is also computed and compared; for tests.
    let checksDigests: Bool

    /// Messages to other servers; nil without a cluster.
    let notices: CoalescingQueue<ClusterMessage>?
    /// What to read again because other servers may have changed it.
    let lookups = CoalescingQueue<Lookup>()
    /// This server's participants whose state must be sent to other servers; nil without a cluster.
    let peopleForPeers: CoalescingQueue<Presence.ParticipantKey>?

    /// - Parameters:
    ///   - verifier: decides whether the key of a token is still in use.
    ///   - wait: waits for a time, in milliseconds.
    ///   - notices: the queue of messages to other servers; nil: no other server uses the store.
    ///   - presenceGrace: the milliseconds a participant stays present after the last stream was cut.
    ///   - ended: called after each transaction.
    init(
        store: any LayerStore, verifier: TokenVerifier = TokenVerifier(keys: []), limits: SyncProtocol.ServerLimits,
        now: @escaping @Sendable () -> Timestamp,
        wait: @escaping @Sendable (Int64) async throws -> Void = { _ in },
        notices: CoalescingQueue<ClusterMessage>? = nil, checksDigests: Bool = false,
        presenceGrace: Int64 = Presence.grace,
        ended: @escaping @Sendable (WriteQueue.Transaction) -> Void = { _ in }
    ) {
        self.store = store
        self.verifier = verifier
        self.notices = notices
        self.checksDigests = checksDigests
        self.limits = limits
        self.now = now
        self.wait = wait
        peopleForPeers = notices == nil ? nil : CoalescingQueue()
        live = ListenerHub(
            presence: Presence(
                node: String(Fingerprint.hex(.random(in: 0 ... .max)).prefix(scalars: 8)), grace: presenceGrace))
        writes = WriteQueue(
            store: store, grouping: notices == nil ? .everything : .layers(threads: 4), ended: ended)
    }

    /// Runs one read transaction, off the event loops.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReading) throws -> Result
    ) async throws -> Result {
        try await readers.perform { [store] in try store.read(body) }
    }

    /// Runs one read transaction on the store of a document, off the event loops.
    func read<Result: Sendable>(
        of document: String, _ body: @escaping @Sendable (any StoreReading) throws -> Result
    ) async throws -> Result {
        let store = place(of: document)?.store ?? store
        return try await readers.perform { try store.read(body) }
    }

    /// The queue of writes to the store of a document.
    func writes(of document: String) -> WriteQueue { place(of: document)?.writes ?? writes }

    /// - Returns: nil if the document is in the engine's own store.
    func place(of document: String) -> StorePlace? { places.withLock { $0[ByteOrdered(document)] } }

    /// Keeps a document in a store of its own; nil: no longer.
    func keep(_ document: String, in place: StorePlace?) { places.withLock { $0[ByteOrdered(document)] = place } }

    /// Returns when a token that is issued from now on opens what was just created under this key, even if something of
    /// the same name was deleted in this second.
    func waitForTokens(for key: LayerKey) async throws {
        let now = now()
        let rest = try await read { try Layers.timeUntilTokens(for: key, in: $0, now: now) }
        if rest > 0 { try await wait(rest) }
    }

    /// Runs other blocking work.
    func apart<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await workers.perform(body)
    }

    /// Runs one write to one layer; durable and published to listeners when it returns.
    func write<Result: Sendable>(
        to layer: LayerKey, _ body: @escaping @Sendable (any StoreWriting) throws -> (Result, Commit)
    ) async throws -> Result {
        try await writes(of: layer.document).perform(on: layer, body) { [self] in publish($0.1) }.0
    }
}

/// A store of a few documents, and what belongs to it. Layers have numbers that no other store of the engine has.
struct StorePlace: Sendable {
    let store: any LayerStore
    let writes: WriteQueue
    let attachments: any Blobs
}
