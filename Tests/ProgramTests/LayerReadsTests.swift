import Annotations
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

    /// A layer is never loaded whole, so the next mark may be far from all rows on the screen.
    @Test func theNextMarkIsFoundOnAnyPage() throws {
        let identity = LayerIdentity(server: "", documentID: "doc", layer: "", userID: nil)
        let store = MemoryStore(LayerMetadata(identity: identity, clientID: "c"))
        // Three marks on each third page, and one without a page.
        try store.write { layer in
            for page in 0..<30 where page % 3 == 0 {
                for top in 0..<3 {
                    let place = Point(x: 5, y: Double(10 * top))
                    let content = Content.note(onPage: page, at: place, text: "p\(page) n\(top)")
                    try layer.show(ShownRow(Record(id: "r\(page)-\(top)", content: content), delivery: .delivered))
                }
            }
            let lost = Record(id: "lost", content: try Content(#"{"type":"pspdfkit/note"}"#))
            try layer.show(ShownRow(lost, delivery: .delivered))
        }
        let layer = Layer(store: store)
        func found(_ page: Int, _ steps: Int, text: String = "") throws -> String? {
            var query = ListQuery()
            query.filter.text = text
            return try layer.mark(of: MarkRequest(query: query, page: page, steps: steps))?.id
        }
        #expect(try found(0, 1) == "r3-0" && found(1, 1) == "r3-0" && found(2, 3) == "r3-2" && found(2, 4) == "r6-0")
        #expect(try found(26, 1) == "r27-0" && found(27, 1) == nil && found(26, 4) == nil)
        #expect(try found(27, -1) == "r24-2" && found(25, -4) == "r21-2" && found(0, -1) == nil && found(3, -4) == nil)
        #expect(try found(0, 1, text: "p9 n2") == "r9-2" && found(9, -1, text: "p9") == nil)
    }

    private func wait(for expected: [Message]) {
        while answers.all.withLock({ $0.count }) < expected.count { _ = poll(nil, 0, 1) }
        #expect(answers.all.withLock { $0 } == expected)
    }
}

extension Message {
    fileprivate static func unread(_ count: Int) -> Message { .notice("\(count) unread") }
}
