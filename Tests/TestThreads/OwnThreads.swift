import NIOPosix
package import Testing

/// Tests that block their thread, while they wait for a screen or a database. They do it on threads of their own, a few
/// at a time, so that the tests of other modules, which share one small pool, go on meanwhile.
package struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true
    private let threads: TestThreads

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await withTaskExecutorPreference(threads, operation: function)
    }

    fileprivate init(_ threads: TestThreads) { self.threads = threads }
}

extension Trait where Self == OwnThreads {
    /// Whoever waits for a program on a screen.
    package static var onOwnThreads: OwnThreads { OwnThreads(.stories) }
    /// Whoever waits for a database.
    package static var onDatabaseThreads: OwnThreads { OwnThreads(.databases) }
    /// Whoever waits for a program without a screen, a compiler for example.
    package static var onProgramThreads: OwnThreads { OwnThreads(.programs) }
}

/// Runs as many jobs at once as do not get in each other's way on a small machine. The threads are not Dispatch's: it adds
/// none for one that is blocked while another one computes.
private final class TestThreads: TaskExecutor {
    static let stories = TestThreads(3)
    static let databases = TestThreads(4)
    static let programs = TestThreads(2)

    private let pool: NIOThreadPool

    private init(_ count: Int) {
        pool = NIOThreadPool(numberOfThreads: count)
        pool.start()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        pool.submit { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
