import Annotations
import Authorization
import EngineCore
import SyncProtocol
import Synchronization

/// Performs what EngineCore decides: reads on a few threads, writes through one queue with group commit, listeners
/// woken after each commit, other servers on the same store told of it.
final class Engine: Sendable {
    let writes: WriteQueue
    /// Passed by each transaction of work that takes several: see ``writePiece(_:)``.
    let pieces = AsyncSemaphore(width: 1, line: .max)
    let limits: SyncProtocol.ServerLimits
    let now: @Sendable () -> Timestamp
    let store: any LayerStore
    /// Read transactions. As many as the store has connections for readers.
    private let readers = WorkerThreads(width: 4)
    /// Everything else that blocks or takes long: files, hashing, large bodies.
    let workers = WorkerThreads(width: 4)
    let live: ListenerHub
    let digests = Mutex(DigestCache())
    /// Each digest out of the cache is added up all the same and compared: for tests.
    let checksDigests: Bool

    /// What other servers have to know; nil: there are none.
    let notices: CoalescingQueue<ClusterMessage>?
    /// What others may have done that has to be told here.
    let lookups = CoalescingQueue<Lookup>()
    /// People of this server whom other servers have to hear of; nil: there are none.
    let peopleForPeers: CoalescingQueue<Presence.ParticipantKey>?

    /// - Parameters:
    ///   - notices: where what others have to know is put; nil: this server has its store alone.
    ///   - ended: told of each transaction.
    init(
        store: any LayerStore, limits: SyncProtocol.ServerLimits, now: @escaping @Sendable () -> Timestamp,
        notices: CoalescingQueue<ClusterMessage>? = nil, checksDigests: Bool = false,
        ended: @escaping @Sendable (WriteQueue.Transaction) -> Void = { _ in }
    ) {
        self.store = store
        self.notices = notices
        self.checksDigests = checksDigests
        self.limits = limits
        self.now = now
        peopleForPeers = notices == nil ? nil : CoalescingQueue()
        live = ListenerHub(presence: Presence(node: String(Fingerprint.hex(.random(in: 0 ... .max)).prefix(8))))
        writes = WriteQueue(
            store: store, grouping: notices == nil ? .everything : .layers(threads: 4), ended: ended)
    }

    /// One read transaction, off the threads of the event loops.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReading) throws -> Result
    ) async throws -> Result {
        try await readers.perform { [store] in try store.read(body) }
    }

    /// Other blocking work.
    func apart<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await workers.perform(body)
    }

    /// One write to one layer: durable when it returns, its listeners told before.
    func write<Result: Sendable>(
        to layer: LayerKey, _ body: @escaping @Sendable (any StoreWriting) throws -> (Result, Commit)
    ) async throws -> Result {
        try await writes.perform(on: layer, body) { [self] in publish($0.1) }.0
    }
}
