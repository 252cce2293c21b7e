import Annotations
import InstantCore
import TestSupport
import Testing

private let one = TokenHandle(1)
private let two = TokenHandle(2)
private let now = Timestamp(seconds: 100)

@Suite("Live channels") struct StreamMachineTests {
    @Test func aStreamIsOpenedOnceAndStays() {
        var machine = StreamMachine()
        #expect(machine.wanted(by: one, at: now) == .events)
        #expect(machine.opened(StreamID(1), one, .events, at: now) == [])
        #expect(machine.heard(StreamID(1), at: now) == [])
        #expect(machine.wanted(by: one, at: now + 10_000_000) == nil)
    }

    @Test func anotherTokenReplacesItOnceTheNewOneIsHeard() {
        var machine = open(.events)
        #expect(machine.wanted(by: two, at: now) == .events)
        #expect(machine.opened(StreamID(2), two, .events, at: now) == [])
        #expect(machine.heard(StreamID(1), at: now) == [])
        #expect(machine.heard(StreamID(2), at: now) == [StreamID(1)])
        #expect(machine.heard(StreamID(1), at: now) == nil)
    }

    @Test func aThirdOneEndsTheFirstAtOnce() {
        var machine = open(.events)
        _ = machine.opened(StreamID(2), two, .events, at: now)
        #expect(machine.opened(StreamID(3), TokenHandle(3), .events, at: now) == [StreamID(1)])
        #expect(machine.closedAll() == [StreamID(2), StreamID(3)])
        #expect(machine.current == nil)
    }

    @Test func aStreamThatBringsNothingIsGatheredSomewhere() {
        var machine = StreamMachine()
        _ = machine.opened(StreamID(1), one, .events, at: now)
        #expect(machine.due == now + 10_000)
        #expect(machine.timePassed(at: now + 9_999) == nil)
        #expect(machine.timePassed(at: now + 10_000) == .gathered(closing: StreamID(1)))
        #expect(machine.wanted(by: one, at: now + 10_000) == .polling)
    }

    @Test func aStreamThatBreaksBeforeAnythingCameIsNotYetAFailure() {
        var machine = StreamMachine()
        _ = machine.opened(StreamID(1), one, .events, at: now)
        #expect(machine.ended(StreamID(1), at: now) == .unheard)
        #expect(machine.wanted(by: one, at: now) == .polling)
        // If polling fails too, the server was the cause.
        _ = machine.opened(StreamID(2), one, .polling, at: now)
        guard case .current = machine.ended(StreamID(2), at: now) else {
            Issue.record("polling has nothing to fall back to")
            return
        }
        #expect(machine.wanted(by: one, at: now) == .events)
    }

    @Test func streamsAreTriedAgainBesideThePolling() {
        var machine = StreamMachine()
        _ = machine.opened(StreamID(1), one, .events, at: now)
        _ = machine.timePassed(at: now + 10_000)
        _ = machine.opened(StreamID(2), one, .polling, at: now + 10_000)
        _ = machine.heard(StreamID(2), at: now + 590_000)
        #expect(machine.wanted(by: one, at: now + 609_999) == nil)
        #expect(machine.due == now + 610_000)
        #expect(machine.wanted(by: one, at: now + 610_000) == .events)
        _ = machine.opened(StreamID(3), one, .events, at: now + 610_000)
        // Events from polling still count.
        #expect(machine.heard(StreamID(2), at: now + 611_000) == [])
        #expect(machine.heard(StreamID(3), at: now + 612_000) == [StreamID(2)])
        #expect(machine.wanted(by: one, at: now + 10_000_000) == nil)
    }

    @Test(arguments: [LiveChannel.events, .polling])
    func silenceIsDeath(_ kind: LiveChannel) {
        var machine = open(kind)
        #expect(machine.timePassed(at: now + 39_999) == nil)
        #expect(machine.heard(StreamID(1), at: now + 39_999) == [])
        #expect(machine.timePassed(at: now + 79_998) == nil)
        #expect(machine.timePassed(at: now + 79_999) == .dead)
    }

    @Test func theEndOfAnOutgoingOneIsNoNews() {
        var machine = open(.events)
        _ = machine.opened(StreamID(2), two, .events, at: now)
        #expect(machine.ended(StreamID(1), at: now) == .old)
        #expect(machine.heard(StreamID(2), at: now) == [])
        #expect(machine.ended(StreamID(7), at: now) == .old)
    }

    /// In any order of events, only open streams are closed, and none twice.
    @Test(arguments: 0..<100)
    func randomEvents(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var machine = StreamMachine()
        var (clock, number) = (now, 0)
        var isOpen: Set<StreamID> = []
        for _ in 0..<200 {
            clock = clock + Int64.random(in: 0...50_000, using: &random)
            let known = StreamID(Int.random(in: max(0, number - 2)...number + 1, using: &random))
            var closed: [StreamID] = []
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                guard let kind = machine.wanted(by: random.pick([one, two]), at: clock) else { continue }
                number += 1
                isOpen.insert(StreamID(number))
                closed = machine.opened(StreamID(number), random.pick([one, two]), kind, at: clock)
            case 2: closed = machine.heard(known, at: clock) ?? []
            case 3:
                switch machine.timePassed(at: clock) {
                case .gathered(let id): closed = [id]
                case .dead: closed = machine.closedAll()
                case nil: break
                }
            case 4:
                _ = machine.ended(known, at: clock)
                isOpen.remove(known)
            default: if random.chance(1, of: 4) { closed = machine.closedAll() }
            }
            for id in closed { #expect(isOpen.remove(id) != nil, "seed \(seed): \(id)") }
            if let current = machine.current { #expect(isOpen.contains(current.id), "seed \(seed)") }
            #expect(isOpen.count <= 2, "seed \(seed): \(isOpen)")
        }
    }

    private func open(_ kind: LiveChannel) -> StreamMachine {
        var machine = StreamMachine()
        _ = machine.opened(StreamID(1), one, kind, at: now)
        _ = machine.heard(StreamID(1), at: now)
        return machine
    }
}
