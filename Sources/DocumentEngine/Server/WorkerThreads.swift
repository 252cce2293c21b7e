import NIOPosix

/// A fixed number of threads that run blocking work in FIFO order from one queue: disk, hashing, SQLite, large bodies.
/// A slow job occupies one thread; the others continue.
///
/// These are not Dispatch's threads: Dispatch shares its threads among all queues of a priority, has one per processor,
/// and adds none while one of them computes, so unrelated jobs could delay these indefinitely.
///
/// It is also an executor, for tasks that block in many places (SE-0417).
final class WorkerThreads: TaskExecutor {
    private let pool: NIOThreadPool

    /// - Parameter width: the number of threads; at least 1.
    init(width: Int) {
        pool = NIOThreadPool(numberOfThreads: max(1, width))
        pool.start()
    }

    /// Every job retains this object, so no job is pending. The last release may happen on a thread of the pool.
    deinit { pool.shutdownGracefully { _ in } }

    /// Runs the body on one of the threads without blocking the caller's. A queued job runs even if its task was
    /// cancelled: it may be clean-up.
    func perform<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            submit { continuation.resume(with: Swift.Result { try body() }) }
        }
    }

    func submit(_ job: @escaping @Sendable () -> Void) { pool.submit { [self] _ in withExtendedLifetime(self, job) } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        submit { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
