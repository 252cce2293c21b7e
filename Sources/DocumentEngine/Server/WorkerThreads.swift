import NIOPosix

/// A fixed number of threads that take blocking work from one queue, in the order in which it came: disk, hashing, SQLite,
/// large bodies. A slow job occupies one thread; the others go on.
///
/// The threads are its own. Dispatch shares its threads among all queues of a priority, has as many as there are
/// processors, and adds none while one of them computes: unrelated jobs there could delay these without end.
///
/// It is also an executor, for tasks that block in many places (SE-0417).
final class WorkerThreads: TaskExecutor {
    private let pool: NIOThreadPool

    /// - Parameter width: the number of threads; at least 1.
    init(width: Int) {
        pool = NIOThreadPool(numberOfThreads: max(1, width))
        pool.start()
    }

    /// Every job holds on to this object, so none is left. The last one may end here on a thread of the pool.
    deinit { pool.shutdownGracefully { _ in } }

    /// Runs the body on one of the threads; the caller's thread is free meanwhile. A job that waits is run even when its
    /// task was cancelled: it may be one that cleans up.
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
