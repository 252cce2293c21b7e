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
    let store: any LayerStore
    private let readers: [DispatchQueue]
    private let turn = Atomic<Int>(0)
    let live: Live
    let digests = Mutex(DigestCache())
    let ahead = PagesAhead()

    /// What other servers have to know; nil: there are none.
    let notices: Gathering<Notice>?
    /// What others may have done that has to be told here.
    let lookups = Gathering<Lookup>()
    /// People of this server whom other servers have to hear of; nil: there are none.
    let peopleForPeers: Gathering<Presence.Whom>?

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
        live = Live(presence: Presence(node: String(Fingerprint.hex(.random(in: 0 ... .max)).prefix(8))))
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

    /// - Parameter finish: called once, in place or on a thread of the queue's.
    func write<Result: Sendable>(
        to layer: LayerKey, _ body: @escaping @Sendable (any StoreWriting) throws -> (Result, Commit),
        then finish: @escaping @Sendable (Swift.Result<Result, any Error>) -> Void
    ) {
        writes.perform(on: layer, body) { [self] in
            publish($0.1)
        } then: {
            finish($0.map(\.0))
        }
    }
}
