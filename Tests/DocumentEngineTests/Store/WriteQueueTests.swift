import Dispatch
import EngineCore
import Foundation
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import DocumentEngine

/// Which writes share a transaction, which thread writes, and that results wait for durability.
@Suite("The write queue", .timeLimit(.minutes(15))) struct WriteQueueTests {
    /// The events, in order.
    private final class Story: Sendable {
        private let lines = Mutex<[String]>([])

        func tell(_ line: String) { lines.withLock { $0.append(line) } }

        var told: [String] { lines.withLock { $0 } }
    }

    private let story = Story()

    private func queue(_ grouping: WriteQueue.Grouping = .everything) -> WriteQueue {
        WriteQueue(store: MemoryLayerStore(), grouping: grouping) { [story] in
            story.tell("\($0.writes) \($0.isCommitted ? "committed" : "failed")")
        }
    }

    private func write(
        _ name: String, _ queue: WriteQueue, meanwhile: (@Sendable () throws -> Void)? = nil
    ) async throws {
        try await queue.perform { [story] _ in
            story.tell(name)
            try meanwhile?()
        } committed: { [story] _ in
            story.tell("\(name) told")
        }
    }

    @Test func eachIsToldOnceItIsDurable() async throws {
        let queue = queue()
        for name in ["a", "b"] {
            try await write(name, queue)
            try await waitUntil("the queue is idle") { queue.isIdle }
        }
        #expect(story.told == ["a", "a told", "1 committed", "b", "b told", "1 committed"])
        #expect(queue.commits == 2)
    }

    /// A write that waits for the caller's thread does not run there.
    @Test(arguments: [WriteQueue.Grouping.everything, .layers(threads: 2)])
    func theCallersThreadIsFreeMeanwhile(_ grouping: WriteQueue.Grouping) async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let queue = queue(grouping)
        for name in ["first", "second"] {
            try await Task(executorPreference: LoopExecutor(loop: loop)) {
                try await write(name, queue) {
                    let isFree = DispatchSemaphore(value: 0)
                    loop.execute { isFree.signal() }
                    isFree.wait()
                }
            }.value
        }
        #expect(queue.commits == 2)
    }

    @Test func whatComesDuringACommitSharesTheNextTransaction() async throws {
        let queue = queue()
        async let first: Void = write("first", queue) {
            // Polls with a pause, so that the other writes can take the queue's lock.
            while queue.waiting < 2 { poll(nil, 0, 1) }
        }
        // Before the first write starts, its transaction would also include the other two, for which it waits.
        try await waitUntil("the first one is written") { story.told == ["first"] }
        async let others: Void = withThrowingTaskGroup(of: Void.self) { group in
            for name in ["x", "y"] { group.addTask { try await write(name, queue) } }
            try await group.waitForAll()
        }
        _ = try await (first, others)
        try await waitUntil("the queue is idle") { queue.isIdle }
        #expect(story.told.prefix(3) == ["first", "first told", "1 committed"])
        #expect(story.told.last == "2 committed")
        #expect(queue.commits == 2)
    }

    @Test func whatIsRefusedIsToldToNobodyElseAndHoldsUpNothing() async throws {
        let queue = queue()
        try await write("first", queue)
        for _ in 0..<2 {
            await #expect(throws: APIError.self) {
                try await write("bad", queue) { throw APIError(.badRequest, "no") }
            }
        }
        try await write("good", queue)
        #expect(!story.told.contains("bad told"))
        #expect(story.told.contains("good told"))
    }
}
