import Dispatch
import EngineCore
import SyncProtocol
import Synchronization

/// One writer, group commit: what queued while the last commit was being written to disk becomes one transaction,
/// each job in a savepoint of its own. A job's answer is given when its transaction is durable, and `committed` is
/// called before that, in commit order, so that listeners are told in the order of revisions.
final class WriteQueue: Sendable {
    private struct Job: Sendable {
        /// Does the work and keeps its outcome.
        var run: @Sendable (any StoreWriting) -> Void
        /// Tells whoever waits: nil when the transaction is durable, else why it is not.
        var finish: @Sendable ((any Error)?) -> Void
    }

    private struct State {
        var waiting: [Job] = []
        var isRunning = false
    }

    private let store: any LayerStore
    private let queue = DispatchQueue(label: "postilla.writer", qos: .userInitiated)
    private let state = Mutex(State())
    private let done = Atomic<Int>(0)
    /// More than this many waiting jobs are turned away.
    private let limit: Int

    init(store: any LayerStore, limit: Int = 4096) {
        self.store = store
        self.limit = limit
    }

    /// How many transactions there were: it differs when something was written meanwhile.
    var commits: Int { done.load(ordering: .relaxed) }

    /// - Parameter committed: what the durable result means to others.
    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreWriting) throws -> Result,
        committed: @escaping @Sendable (Result) -> Void = { _ in }
    ) async throws -> Result {
        let outcome = Outcome<Result>()
        return try await withCheckedThrowingContinuation { continuation in
            let job = Job { transaction in
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
            defer { state.isRunning = true }
            return (true, !state.isRunning)
        }
        if start { queue.async { self.drain() } }
        return taken
    }

    private func drain() {
        while true {
            let jobs = state.withLock { state in
                defer { state.waiting = [] }
                if state.waiting.isEmpty { state.isRunning = false }
                return state.waiting
            }
            if jobs.isEmpty { return }
            var failure: (any Error)?
            do {
                try store.write { transaction in for job in jobs { job.run(transaction) } }
                done.wrappingAdd(1, ordering: .relaxed)
            } catch { failure = error }
            for job in jobs { job.finish(failure) }
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
