import Dispatch
import Foundation
import Synchronization
import TestThreads
import Testing

@testable import DocumentEngine

/// A fixed number of threads for blocking work.
@Suite("Worker threads", .timeLimit(.minutes(15))) struct WorkerThreadsTests {
    private final class Count: Sendable {
        private let state = Mutex((now: 0, most: 0))

        func begin() {
            state.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
        }

        func end() { state.withLock { $0.now -= 1 } }

        var now: Int { state.withLock { $0.now } }
        var most: Int { state.withLock { $0.most } }
    }

    private let count = Count()

    /// Jobs share one queue: a slow one occupies one thread, whatever precedes or follows it.
    @Test func aSlowJobDelaysNoOther() async throws {
        let workers = WorkerThreads(width: 4)
        let ends = DispatchSemaphore(value: 0)
        let slow = (0..<3).map { [count] _ in
            Task {
                try await workers.perform {
                    count.begin()
                    ends.wait()
                }
            }
        }
        try await waitUntil("three slow jobs run") { count.now == 3 }
        for number in 0..<100 { #expect(try await workers.perform { number } == number) }
        for _ in slow { ends.signal() }
        for task in slow { try await task.value }
    }

    /// Dispatch has one thread per processor for each priority, and adds none while those compute.
    @Test func whoeverComputesElsewhereDelaysNoJob() async throws {
        let isOver = Atomic<Bool>(false)
        let computing = DispatchGroup()
        for _ in 0..<4 * ProcessInfo.processInfo.activeProcessorCount {
            DispatchQueue.global(qos: .userInitiated).async(group: computing) {
                while !isOver.load(ordering: .relaxed) { sched_yield() }
            }
        }
        let workers = WorkerThreads(width: 2)
        let job = Task { try await workers.perform { 7 } }
        do {
            let result = try await limited("the job is done", seconds: 60) { try await job.value }
            #expect(result == 7)
        } catch { Issue.record(error) }
        isOver.store(true, ordering: .relaxed)
        await withCheckedContinuation { done in computing.notify(queue: .global()) { done.resume() } }
    }

    @Test func noMoreThreadsRunThanItIsWide() async throws {
        let workers = WorkerThreads(width: 2)
        try await withThrowingTaskGroup(of: Void.self) { [count] group in
            for _ in 0..<50 {
                group.addTask {
                    try await workers.perform {
                        count.begin()
                        count.end()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect((1...2).contains(count.most))
    }

    @Test func anErrorReachesTheCaller() async {
        let workers = WorkerThreads(width: 1)
        await #expect(throws: CancellationError.self) { try await workers.perform { throw CancellationError() } }
    }

    /// As an executor, it runs all steps of a task.
    @Test func aTaskRunsOnIt() async throws {
        let workers = WorkerThreads(width: 1)
        let (here, there) = await withTaskExecutorPreference(workers) { (Self.thread(), await Self.threadOfATask()) }
        #expect(here == there)
    }

    private static func thread() -> pthread_t { pthread_self() }
    private static func threadOfATask() async -> pthread_t { thread() }
}
