import NIOPosix
package import Testing

/// For tests that block their thread while they wait for a screen or a database. They run on separate threads, a few at
/// a time, so that the tests of other modules, which share one small pool, can continue.
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
    /// For tests that wait for a program on a screen.
    package static var onOwnThreads: OwnThreads { OwnThreads(.stories) }
    /// For tests that wait for a database.
    package static var onDatabaseThreads: OwnThreads { OwnThreads(.databases) }
    /// For tests that wait for a program without a screen, such as a compiler.
    package static var onProgramThreads: OwnThreads { OwnThreads(.programs) }
}

/// Runs only as many jobs at once as a small machine can handle. The threads are not Dispatch's, because Dispatch adds
/// none for a blocked thread while another one computes.
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
