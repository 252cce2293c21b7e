import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Instant

@Suite struct LaneTests {
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private let log = Log()

    @Test func whatIsShortIsDoneByWhoeverBringsIt() {
        let lane = Lane(label: "test", quick: .seconds(60))
        let mine = pthread_self()
        for number in 0..<3 {
            lane.doOrAdd { [log] in log.add("\(number) \(pthread_equal(mine, pthread_self()) != 0)") }
            #expect(log.all.count == number + 1)
        }
        #expect(log.all == ["0 true", "1 true", "2 true"])
    }

    @Test func behindAnotherStepItWaits() {
        let lane = Lane(label: "test", quick: .seconds(60))
        let (isUnderWay, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        lane.add { [log] in
            isUnderWay.signal()
            mayEnd.wait()
            log.add("first")
        }
        isUnderWay.wait()
        lane.add { [log] in log.add("second") }
        let mine = pthread_self()
        lane.doOrAdd { [log] in log.add("third \(pthread_equal(mine, pthread_self()) != 0)") }
        #expect(log.all == [])
        mayEnd.signal()
        lane.wait()
        #expect(log.all == ["first", "second", "third false"])
    }

    /// A step that brings another one is not overtaken by it, and does not wait for it.
    @Test func aStepMayBringTheNextOne() {
        let lane = Lane(label: "test", quick: .seconds(60))
        lane.doOrAdd { [log] in
            lane.doOrAdd { log.add("inner") }
            log.add("outer")
        }
        lane.wait()
        #expect(log.all == ["outer", "inner"])
    }

    @Test func behindASlowOneTheLaneTakesItsOwnThread() {
        let lane = Lane(label: "test", quick: .zero)
        let mine = pthread_self()
        lane.doOrAdd { [log] in log.add("\(pthread_equal(mine, pthread_self()) != 0)") }
        lane.doOrAdd { [log] in log.add("\(pthread_equal(mine, pthread_self()) != 0)") }
        lane.wait()
        #expect(log.all == ["true", "false"])
    }

    /// Notices when two steps are done at a time.
    private final class Tally: Sendable {
        private let counts = Mutex<[[Int]]>(Array(repeating: [], count: 4))
        private let isInside = Atomic<Bool>(false)
        private let overlaps = Atomic<Int>(0)

        var all: [[Int]] { counts.withLock { $0 } }
        var overlapped: Int { overlaps.load(ordering: .relaxed) }

        func add(_ number: Int, of person: Int) {
            if isInside.exchange(true, ordering: .acquiringAndReleasing) { overlaps.add(1, ordering: .relaxed) }
            counts.withLock { $0[person].append(number) }
            isInside.store(false, ordering: .releasing)
        }
    }

    @Test func manyThreadsBringThingsAndEachKeepsItsOrder() async {
        let lane = Lane(label: "test", quick: .seconds(60))
        let tally = Tally()
        await withTaskGroup(of: Void.self) { group in
            for person in 0..<4 {
                group.addTask {
                    for number in 0..<500 {
                        let step: Lane.Step = { tally.add(number, of: person) }
                        if number % 3 == 0 { lane.add(step) } else { lane.doOrAdd(step) }
                    }
                }
            }
        }
        lane.wait()
        #expect(tally.overlapped == 0)
        #expect(tally.all == Array(repeating: Array(0..<500), count: 4))
    }
}
