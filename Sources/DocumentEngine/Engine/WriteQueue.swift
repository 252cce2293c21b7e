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
        ///
        /// - Throws: ``TakenBack`` when it is alone in its transaction and failed.
        var run: @Sendable (any StoreWriting, _ isAlone: Bool) throws -> Void
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
    private let workers: WorkerThreads
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
        workers = WorkerThreads(width: threads)
    }

    /// How many transactions there were: it differs when something was written meanwhile.
    var commits: Int { done.load(ordering: .relaxed) }

    /// Nobody writes, and nothing waits to be written.
    var isIdle: Bool { state.withLock { $0.running == 0 } }

    /// How many writes wait for a transaction.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// - Parameters:
    ///   - layer: the one layer that the body writes to, if it is one.
    ///   - committed: what the durable result means to others.
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

    private static let tooMany = APIError(.overload, "too many writes are waiting: try again")

    private func job<Result: Sendable>(
        _ layer: LayerKey?, _ body: @escaping @Sendable (any StoreWriting) throws -> Result,
        _ outcome: JobResult<Result>, _ committed: @escaping @Sendable (Result) -> Void,
        then finish: @escaping @Sendable () -> Void
    ) -> Job {
        Job(layer: layer) { transaction, isAlone in
            // Alone it takes the whole transaction with it.
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
            // Nothing was to be written; the job knows why.
        } catch { failure = error }
        for job in jobs { job.finish(failure) }
        ended(Transaction(writes: jobs.count, duration: start.duration(to: .now), isCommitted: failure == nil))
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
private final class JobResult<Value: Sendable>: Sendable {
    private let value = Mutex<Result<Value, any Error>?>(nil)

    func set(_ result: Result<Value, any Error>) { value.withLock { $0 = result } }

    /// - Throws: ``TakenBack`` when it fails; why is the outcome.
    func keep(_ work: () throws -> Value) throws(TakenBack) {
        do { set(.success(try work())) } catch {
            set(.failure(error))
            throw TakenBack()
        }
    }

    func get() -> Result<Value, any Error> {
        value.withLock { $0 } ?? .failure(APIError(.internalError, "the write was not done"))
    }
}

/// The one job of a transaction failed: there is nothing to commit.
private struct TakenBack: Error {}
