import EngineCore
import SyncProtocol
import Synchronization

/// Group commit: jobs queued during a commit form the next transaction, each job in its own savepoint. A job returns
/// once its transaction is durable. `committed` is called before that, per layer in commit order, so that listeners
/// receive revisions in order.
final class WriteQueue: Sendable {
    /// Which jobs share a transaction.
    enum Grouping: Hashable, Sendable {
        /// All waiting jobs, one transaction at a time: for a store with one writer.
        case everything
        /// The jobs of one layer; several layers in parallel, on this number of threads. A transaction then locks one
        /// layer only, so that two servers cannot deadlock.
        case layers(threads: Int)
    }

    /// The result of one transaction.
    struct Transaction: Hashable, Sendable {
        var writes: Int
        var duration: Duration
        var isCommitted: Bool
    }

    private struct Job: Sendable {
        /// The layer the job writes to; nil: possibly several.
        var layer: LayerKey?
        /// Does the work and stores its result.
        ///
        /// - Throws: ``TakenBack`` if the job is alone in its transaction and failed.
        var run: @Sendable (any StoreWriting, _ isAlone: Bool) throws -> Void
        /// Reports to the caller: nil when the transaction is durable, otherwise its error.
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

        /// Returns the first job that is not blocked, and all others of its layer.
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
    private let workers: WorkerThreads
    private let state = Mutex(State())
    private let done = Atomic<Int>(0)
    /// The number of waiting jobs above which new ones are refused.
    private let limit: Int
    private let ended: @Sendable (Transaction) -> Void

    /// - Parameters:
    ///   - workers: the threads, shared with other queues; nil: of its own.
    ///   - ended: called after each transaction, on the thread that ran it.
    init(
        store: any LayerStore, grouping: Grouping = .everything, limit: Int = 4096, workers: WorkerThreads? = nil,
        ended: @escaping @Sendable (Transaction) -> Void = { _ in }
    ) {
        self.store = store
        self.grouping = grouping
        self.limit = limit
        self.ended = ended
        threads = if case .layers(let threads) = grouping { threads } else { 1 }
        self.workers = workers ?? WorkerThreads(width: threads)
    }

    /// The number of successful transactions; a change means that something was written.
    var commits: Int { done.load(ordering: .relaxed) }

    /// Whether no job is running or waiting.
    var isIdle: Bool { state.withLock { $0.running == 0 } }

    /// The number of waiting jobs.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// - Parameters:
    ///   - layer: the layer that the body writes to, if only one.
    ///   - committed: called with the durable result.
    func perform<Result: Sendable>(
        on layer: LayerKey? = nil, _ body: @escaping @Sendable (any StoreWriting) throws -> Result,
        committed: @escaping @Sendable (Result) -> Void = { _ in }
    ) async throws -> Result {
        let outcome = JobResult<Result>()
        return try await withCheckedThrowingContinuation { continuation in
            let job = job(layer, body, outcome, committed) { continuation.resume(with: outcome.get()) }
            if !enqueue(job) { continuation.resume(throwing: Self.tooMany) }
        }
    }

    private static let tooMany = APIError(.overload, "too many queued writes; try again")

    private func job<Result: Sendable>(
        _ layer: LayerKey?, _ body: @escaping @Sendable (any StoreWriting) throws -> Result,
        _ outcome: JobResult<Result>, _ committed: @escaping @Sendable (Result) -> Void,
        then finish: @escaping @Sendable () -> Void
    ) -> Job {
        Job(layer: layer) { transaction, isAlone in
            // A single job needs no savepoint: its failure rolls back the transaction.
            guard !isAlone else { return try outcome.keep { try body(transaction) } }
            try? outcome.keep { try transaction.savepoint { try body(transaction) } }
        } finish: { failure in
            if let failure { outcome.set(.failure(failure)) }
            if case .success(let value) = outcome.get() { committed(value) }
            finish()
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
        if start { workers.submit { self.drain() } }
        return taken
    }

    private func drain() {
        while let jobs = next() {
            transact(jobs)
            if let layer = jobs.first?.layer { state.withLock { _ = $0.busy.remove(layer) } }
        }
    }

    private func transact(_ jobs: [Job]) {
        var failure: (any Error)?
        let start = ContinuousClock.now
        do {
            try store.write { transaction in for job in jobs { try job.run(transaction, jobs.count == 1) } }
            done.wrappingAdd(1, ordering: .relaxed)
        } catch is TakenBack {
            // Nothing to commit; the job holds its error.
        } catch { failure = error }
        for job in jobs { job.finish(failure) }
        ended(Transaction(writes: jobs.count, duration: start.duration(to: .now), isCommitted: failure == nil))
    }

    /// Returns the jobs of the next transaction; nil if this thread has nothing left to do.
    private func next() -> [Job]? {
        state.withLock { state in
            let jobs = grouping == .everything ? state.takeAll() : state.takeLayer()
            if jobs.isEmpty { state.running -= 1 }
            return jobs.isEmpty ? nil : jobs
        }
    }
}

/// The result of a job, written and read on the writer's thread.
private final class JobResult<Value: Sendable>: Sendable {
    private let value = Mutex<Result<Value, any Error>?>(nil)

    func set(_ result: Result<Value, any Error>) { value.withLock { $0 = result } }

    /// - Throws: ``TakenBack`` if the work fails; its error is the result.
    func keep(_ work: () throws -> Value) throws(TakenBack) {
        do { set(.success(try work())) } catch {
            set(.failure(error))
            throw TakenBack()
        }
    }

    func get() -> Result<Value, any Error> {
        value.withLock { $0 } ?? .failure(APIError(.internalError, "the write was not performed"))
    }
}

/// The only job of a transaction failed: nothing to commit.
private struct TakenBack: Error {}
