import InstantCore
import TestSupport
import Testing

@testable import Instant

/// The buffer of events for a slow delegate.
@Suite("Calls that wait for a delegate") struct DelegateEventBufferTests {
    private final class Layer: Sendable {
        let name: String
        init(_ name: String) { self.name = name }
    }

    private typealias Calls = DelegateEventBuffer<Int, Layer>

    private static let failure = InstantError(.requestFailed, "away")
    private static let token = AcceptedToken("jwt")

    private func drained(_ calls: inout Calls) -> [(InstantEvent, Layer)] {
        var all: [(InstantEvent, Layer)] = []
        while let call = calls.next() { all.append((call.event, call.descriptor)) }
        return all
    }

    @Test func whileTheyAreFewNothingIsLeftOut() {
        var calls = Calls(bound: 8)
        let layer = Layer("a")
        let events: [InstantEvent] = [
            .didBeginSync, .didChangeSyncState(.receivingChanges), .didChangeSyncState(.clean), .didFinishSync,
            .didBeginSync, .didFinishSync, .didChangeSyncState(.clean), .didChangeSyncState(.dirty),
        ]
        for event in events { calls.add(event, 0, layer) }
        #expect(drained(&calls).map(\.0) == events)
    }

    @Test func whatWasOvertakenIsLeftOut() {
        var calls = Calls(bound: 11)
        let (one, other) = (Layer("one"), Layer("other"))
        let events: [(InstantEvent, Layer)] = [
            (.didFinishSync, one), (.didFailAuthentication(.revoked), one), (.didBeginSync, one),
            (.didChangeSyncState(.dirty), one), (.didBeginSync, other), (.didFailSync(Self.failure), one),
            (.didFinishReauthentication(Self.token), one), (.didBeginSync, one),
            (.didChangeSyncState(.clean), one), (.didFailAuthentication(.revoked), one), (.didFinishSync, one),
            (.didFinishDownload, other),
        ]
        for (event, layer) in events { calls.add(event, 0, layer) }
        let told = drained(&calls)
        #expect(told.filter { $0.1 === other }.map(\.0) == [.didBeginSync, .didFinishDownload])
        // The first end belongs to an earlier begin; of the later cycles only the last one is delivered.
        #expect(
            told.filter { $0.1 === one }.map(\.0) == [
                .didFinishSync, .didFinishReauthentication(Self.token), .didBeginSync, .didChangeSyncState(.clean),
                .didFailAuthentication(.revoked), .didFinishSync,
            ])
    }

    @Test func changesThatWereMissedAreReadAgain() {
        var calls = Calls(bound: 3)
        let layer = Layer("a")
        let events: [InstantEvent] = [
            .didMakeProgress(DownloadProgress(received: 1, total: 9)), .didChangeRecords(["a"], byOthers: []),
            .didMakeProgress(DownloadProgress(received: 2, total: 9)), .didChangeRecords(["b"], byOthers: ["b"]),
        ]
        for event in events { calls.add(event, 0, layer) }
        #expect(
            drained(&calls).map(\.0) == [.didMakeProgress(DownloadProgress(received: 2, total: 9)), .didMissEvents])
    }

    /// With a delegate that never returns, the buffer stays bounded, and begins and ends still alternate.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func theyStayFewHoweverMuchHappens(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var calls = Calls(bound: 16)
        let layers = [Layer("a"), Layer("b")]
        var isSyncing = [false, false]
        var heard: [[InstantEvent]] = [[], []]
        for step in 0..<20_000 {
            let number = Int.random(in: 0..<2, using: &random)
            let event: InstantEvent
            switch Int.random(in: 0..<4, using: &random) {
            case 0: event = .didChangeSyncState(random.chance(1, of: 2) ? .clean : .dirty)
            case 1: event = .didFailAuthentication(.revoked)
            default:
                event =
                    isSyncing[number]
                    ? (random.chance(1, of: 3) ? .didFailSync(Self.failure) : .didFinishSync) : .didBeginSync
                isSyncing[number].toggle()
            }
            calls.add(event, 0, layers[number])
            #expect(calls.count <= 32)
            // The delegate occasionally receives an event.
            if step % 50 == 0, let call = calls.next() {
                heard[call.descriptor === layers[0] ? 0 : 1].append(call.event)
            }
        }
        for (event, layer) in drained(&calls) { heard[layer === layers[0] ? 0 : 1].append(event) }
        for (number, events) in heard.enumerated() {
            var isOpen = false
            for event in events {
                switch event {
                case .didBeginSync:
                    #expect(!isOpen)
                    isOpen = true
                case .didFinishSync, .didFailSync:
                    #expect(isOpen)
                    isOpen = false
                default: break
                }
            }
            #expect(isOpen == isSyncing[number], "the newest cycle is reported")
        }
    }
}
