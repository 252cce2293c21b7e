import App
import Dispatch
import Glibc
import InstantCore
import Synchronization
import TestSupport
import Testing

@testable import postilla

/// The screen's queries to local storage, off the thread that draws.
@Suite struct LayerReadsTests {
    private final class Answers: Sendable {
        let all = Mutex<[Message]>([])
    }

    private let answers = Answers()
    private let reads: LayerReads

    init() {
        let identity = LayerIdentity(server: "", documentID: "doc", layer: "", userID: nil)
        let layer = Layer(store: MemoryStore(LayerMetadata(identity: identity, clientID: "c")))
        reads = LayerReads(layer) { [answers] message in answers.all.withLock { $0.append(message) } }
    }

    @Test func aQuickAnswerIsThereWhenTheQuestionReturns() {
        // On a loaded machine the answer may be late many times; without waiting at all it would always be late.
        let isEverInTime = (0..<10_000).contains { number in
            reads.read { _ in .notice("\(number)") }
            return answers.all.withLock { $0.last == .notice("\(number)") }
        }
        #expect(isEverInTime)
    }

    @Test func aSlowOneKeepsNobodyWaitingAndComesInItsTurn() {
        let gate = DispatchSemaphore(value: 0)
        reads.read { _ in
            gate.wait()
            return .notice("slow")
        }
        reads.read { _ in .notice("quick") }
        #expect(answers.all.withLock { $0 } == [])
        gate.signal()
        wait(for: [.notice("slow"), .notice("quick")])
    }

    @Test func pagesThatFollowEachOtherAreReadTogether() {
        #expect([Int]().stretches(of: 3) == [])
        #expect([0, 1, 2, 3, 7, 9, 10].stretches(of: 3) == [0...2, 3...3, 7...7, 9...10])
        #expect([4, 5, 6].stretches(of: 1) == [4...4, 5...5, 6...6])
    }

    @Test func whatFailsIsSaid() {
        reads.read { _ in throw CommandFailure("the disk is gone") }
        wait(for: [.notice("the disk is gone")])
    }

    /// Writing a note may wait for the disk, but no query waits for it.
    @Test func aNoteHoldsUpNoQuestion() {
        let gate = DispatchSemaphore(value: 0)
        reads.note { _ in
            gate.wait()
            return .notice("noted")
        }
        reads.read { .unread(try $0.unreadCount()) }
        wait(for: [.notice("0 unread")])
        gate.signal()
        wait(for: [.notice("0 unread"), .notice("noted")])
    }

    private func wait(for expected: [Message]) {
        while answers.all.withLock({ $0.count }) < expected.count { _ = poll(nil, 0, 1) }
        #expect(answers.all.withLock { $0 } == expected)
    }
}

extension Message {
    fileprivate static func unread(_ count: Int) -> Message { .notice("\(count) unread") }
}
