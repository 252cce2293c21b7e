import EngineCore
import EventLoops
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import DocumentEngine

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Which thread writes, what shares a transaction, and that nobody is told before it is durable.
@Suite("The queue of writes", .timeLimit(.minutes(15))) struct WriteQueueTests {
    /// What happened, in its order.
    private final class Story: Sendable {
        private let lines = Mutex<[String]>([])

        func tell(_ line: String) { lines.withLock { $0.append(line) } }

        var told: [String] { lines.withLock { $0 } }
    }

    private let story = Story()
    private let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()

    private func queue(quick: Duration = .seconds(3600), _ grouping: WriteQueue.Grouping = .everything) -> WriteQueue {
        WriteQueue(store: MemoryStore(), grouping: grouping, quick: quick) { [story] in
            story.tell("\($0.writes) \($0.isCommitted ? "committed" : "failed")")
        }
    }

    /// - Returns: whether the thread of the loop wrote.
    private func write(
        _ name: String, _ queue: WriteQueue, meanwhile: (@Sendable () throws -> Void)? = nil, alone: Bool = true
    ) async throws -> Bool {
        // Its own thread tells of the last one before it rests.
        while alone, !queue.isIdle { await Task.yield() }
        return try await queue.perform { [story, loop] _ in
            story.tell(name)
            try meanwhile?()
            return loop.inEventLoop
        } committed: { [story] _ in
            story.tell("\(name) told")
        }
    }

    private func onLoop<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await Task(executorPreference: LoopExecutor(loop: loop), operation: body).value
    }

    /// The first write tells how quick the disk is.
    @Test func aWriteThatComesAloneIsMadeByTheThreadThatBringsIt() async throws {
        let queue = queue()
        let isOwn = try await onLoop {
            [try await write("a", queue), try await write("b", queue), try await write("c", queue)]
        }
        #expect(isOwn == [false, true, true])
        let each = ["a", "b", "c"].flatMap { [$0, "\($0) told", "1 committed"] }
        #expect(story.told == each)
        #expect(queue.commits == 3)
    }

    @Test func aSlowDiskHoldsUpNoThreadThatOthersWaitFor() async throws {
        let queue = queue(quick: .zero)
        let isOwn = try await onLoop { [try await write("a", queue), try await write("b", queue)] }
        #expect(isOwn == [false, false])
    }

    /// Where several servers share a store, a write is a conversation over the network.
    @Test func aStoreOfSeveralServersIsWrittenByItsThreads() async throws {
        let queue = queue(.layers(threads: 2))
        let isOwn = try await onLoop { [try await write("a", queue), try await write("b", queue)] }
        #expect(isOwn == [false, false])
    }

    /// What comes while a thread writes for itself is not written by it, and shares one transaction.
    @Test func whatComesMeanwhileIsLeftToTheQueue() async throws {
        let queue = queue()
        _ = try await write("first", queue)
        let others = Mutex<[Task<Bool, any Error>]>([])
        let isOwn = try await onLoop {
            try await write("own", queue) {
                others.withLock { tasks in
                    tasks = ["x", "y"].map { name in Task { try await write(name, queue, alone: false) } }
                }
                while queue.waiting < 2 { _ = poll(nil, 0, 1) }
            }
        }
        #expect(isOwn)
        for task in others.withLock({ $0 }) { #expect(try await !task.value) }
        #expect(story.told.prefix(6) == ["first", "first told", "1 committed", "own", "own told", "1 committed"])
        #expect(story.told.last == "2 committed")
        #expect(queue.commits == 3)
        // And then it is quiet again.
        #expect(try await onLoop { try await write("last", queue) })
    }

    @Test func whatIsRefusedIsToldToNobodyElseAndHoldsUpNothing() async throws {
        let queue = queue()
        _ = try await write("first", queue)
        for _ in 0..<2 {
            await #expect(throws: Refusal.self) {
                try await onLoop { try await write("bad", queue) { throw Refusal(.badRequest, "no") } }
            }
        }
        #expect(try await onLoop { try await write("good", queue) })
        #expect(!story.told.contains("bad told"))
    }
}
