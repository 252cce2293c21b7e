import EngineCore
import Synchronization
import TestThreads
import Testing

@testable import DocumentEngine

struct AsyncSemaphoreTests {
    @Test func soManyAtATimeAndTheOthersInTurn() async throws {
        let gate = AsyncSemaphore(width: 2, line: 100)
        let inside = Inside()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    try await gate.pass {
                        inside.enter()
                        for _ in 0..<20 { await Task.yield() }
                        inside.leave()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(inside.most == 2)
        #expect((gate.running, gate.waiting) == (0, 0))
    }

    private final class Inside: Sendable {
        private let count = Mutex((now: 0, most: 0))

        var most: Int { count.withLock { $0.most } }

        func enter() {
            count.withLock { count in
                count.now += 1
                count.most = max(count.most, count.now)
            }
        }

        func leave() { count.withLock { $0.now -= 1 } }
    }

    @Test func whoFindsTheLineFullIsTurnedAway() async throws {
        let gate = AsyncSemaphore(width: 1, line: 1)
        let (release, hold) = AsyncStream<Void>.makeStream()
        let first = Task { try await gate.pass { for await _ in release { break } } }
        try await waitUntil("a job runs") { gate.running >= 1 }
        let second = Task { try await gate.pass {} }
        try await waitUntil("a job waits") { gate.waiting >= 1 }
        await #expect(throws: APIError.self) { try await gate.pass {} }
        hold.yield()
        try await first.value
        try await second.value
        #expect((gate.running, gate.waiting) == (0, 0))
    }

    @Test func whoLeavesTheLineIsNotWaitedFor() async throws {
        let gate = AsyncSemaphore(width: 1, line: 8)
        let (release, hold) = AsyncStream<Void>.makeStream()
        let first = Task { try await gate.pass { for await _ in release { break } } }
        try await waitUntil("a job runs") { gate.running >= 1 }
        let second = Task { try await gate.pass {} }
        try await waitUntil("a job waits") { gate.waiting >= 1 }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        hold.yield()
        try await first.value
        try await gate.pass {}
        #expect((gate.running, gate.waiting) == (0, 0))
    }

    @Test func whatFailsInsideFreesThePlace() async throws {
        struct Trouble: Error {}
        let gate = AsyncSemaphore(width: 1, line: 0)
        await #expect(throws: Trouble.self) { try await gate.pass { throw Trouble() } }
        try await gate.pass {}
    }
}
