import Dispatch
import Foundation
import Testing

/// Stories block their thread while they wait for a screen. They do it on threads of their own, a few at a time, so
/// that the tests of other modules, which share one small pool, go on meanwhile.
struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await withTaskExecutorPreference(StoryThreads.shared, operation: function)
    }
}

extension Trait where Self == OwnThreads {
    static var onOwnThreads: OwnThreads { OwnThreads() }
}

/// Runs as many jobs at once as do not get in each other's way on a small machine.
private final class StoryThreads: TaskExecutor {
    static let shared = StoryThreads()

    private let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.name = "stories"
        queue.maxConcurrentOperationCount = 3
        return queue
    }()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.addOperation { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
