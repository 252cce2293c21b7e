import Dispatch
import EngineCore
import SyncProtocol
import Synchronization

/// Group commit: what queued while the last commit was being written to disk becomes one transaction, each job in a
/// savepoint of its own. A job's answer is given when its transaction is durable, and `committed` is called before that,
/// for each layer in commit order, so that listeners are told in the order of revisions.
final class WriteQueue: Sendable {
    /// Which jobs share a transaction.
    enum Grouping: Hashable, Sendable {
        /// All that wait, one transaction after the other: for a store with one writer.
        case everything
        /// Those of one layer; several layers at the same time, on so many threads. A transaction then holds one layer
        /// only, and two servers never wait for each other in a circle.
        case layers(threads: Int)
    }

    /// What became of one transaction.
    struct Transaction: Hashable, Sendable {
        var writes: Int
        var duration: Duration
        var isCommitted: Bool
    }

    private struct Job: Sendable {
        /// The layer it writes to; nil: it may be several.
        var layer: LayerKey?
        /// Does the work and keeps its outcome.
        var run: @Sendable (any StoreWriting) -> Void
        /// Tells whoever waits: nil when the transaction is durable, else why it is not.
        var finish: @Sendable ((any Error)?) -> Void
    }

    private struct State {
        var waiting: [Job] = []
        var running = 0
        var busy: Set<LayerKey> = []

        mutating func takeAll() -> [Job] {
            defer { waiting = [] }
            return waiting
        }

        /// The first job that nothing stands in the way of, and all others of its layer.
        mutating func takeLayer() -> [Job] {
            let first = waiting.firstIndex { job in job.layer.map { !busy.contains($0) } ?? true }
            guard let first else { return [] }
            guard let layer = waiting[first].layer else { return [waiting.remove(at: first)] }
            busy.insert(layer)
            defer { waiting.removeAll { $0.layer == layer } }
            return waiting.filter { $0.layer == layer }
        }
    }

    private let store: any LayerStore
    private let grouping: Grouping
    private let threads: Int
    private let queue = DispatchQueue(label: "postilla.writer", qos: .userInitiated, attributes: .concurrent)
    private let state = Mutex(State())
    private let done = Atomic<Int>(0)
    /// More than this many waiting jobs are turned away.
    private let limit: Int
    private let ended: @Sendable (Transaction) -> Void

    /// - Parameter ended: told of each transaction, on the thread that made it.
    init(
        store: any LayerStore, grouping: Grouping = .everything, limit: Int = 4096,
        ended: @escaping @Sendable (Transaction) -> Void = { _ in }
    ) {
        self.store = store
        self.grouping = grouping
        self.limit = limit
        self.ended = ended
        threads = if case .layers(let threads) = grouping { threads } else { 1 }
    }

    /// How many transactions there were: it differs when something was written meanwhile.
    var commits: Int { done.load(ordering: .relaxed) }

    /// How many writes wait for a transaction.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// - Parameters:
    ///   - layer: the one layer that the body writes to, if it is one.
    ///   - committed: what the durable result means to others.
    func perform<Result: Sendable>(
        on layer: LayerKey? = nil, _ body: @escaping @Sendable (any StoreWriting) throws -> Result,
        committed: @escaping @Sendable (Result) -> Void = { _ in }
    ) async throws -> Result {
        let outcome = Outcome<Result>()
        return try await withCheckedThrowingContinuation { continuation in
            let job = Job(layer: layer) { transaction in
                outcome.set(Swift.Result { try transaction.savepoint { try body(transaction) } })
            } finish: { failure in
                let result = failure.map { .failure($0) } ?? outcome.get()
                if case .success(let value) = result { committed(value) }
                continuation.resume(with: result)
            }
            if !enqueue(job) {
                continuation.resume(throwing: Refusal(.overload, "too many writes are waiting: try again"))
            }
        }
    }

    private func enqueue(_ job: Job) -> Bool {
        let (taken, start) = state.withLock { state in
            guard state.waiting.count < limit else { return (false, false) }
            state.waiting.append(job)
            guard state.running < threads else { return (true, false) }
            state.running += 1
            return (true, true)
        }
        if start { queue.async { self.drain() } }
        return taken
    }

    private func drain() {
        while let jobs = next() {
            var failure: (any Error)?
            let start = ContinuousClock.now
            do {
                try store.write { transaction in for job in jobs { job.run(transaction) } }
                done.wrappingAdd(1, ordering: .relaxed)
            } catch { failure = error }
            for job in jobs { job.finish(failure) }
            ended(
                Transaction(
                    writes: jobs.count, duration: start.duration(to: .now), isCommitted: failure == nil))
            if let layer = jobs.first?.layer { state.withLock { _ = $0.busy.remove(layer) } }
        }
    }

    /// The jobs of the next transaction; nil: nothing is left to do for this thread.
    private func next() -> [Job]? {
        state.withLock { state in
            let jobs = grouping == .everything ? state.takeAll() : state.takeLayer()
            if jobs.isEmpty { state.running -= 1 }
            return jobs.isEmpty ? nil : jobs
        }
    }
}

/// The outcome of a job, written on the writer's thread and read there.
private final class Outcome<Value: Sendable>: Sendable {
    private let value = Mutex<Result<Value, any Error>?>(nil)

    func set(_ result: Result<Value, any Error>) { value.withLock { $0 = result } }

    func get() -> Result<Value, any Error> {
        value.withLock { $0 } ?? .failure(Refusal(.internalError, "the write was not done"))
    }
}
