import Annotations
import InstantCore
import SyncProtocol
import Synchronization
import Testing

/// The state after a crash of the program or machine between two transactions.
@Suite("A layer after a crash") struct CrashTests {
    /// An edit made before the retry is a separate change.
    @Test func whatWasSentIsSentAgainAsItWas() throws {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("mine"), at: it.now)
        let sent = try #require(try it.layer.seal())
        it.losePower()
        try it.layer.update("2", content: note("later"), at: it.now)
        #expect(try it.layer.seal()?.changes == sent.changes)
    }

    /// A way for the server to report that record 2 has the text "newer" since revision 5.
    enum Telling: CaseIterable {
        case pull, event, answer, snapshot
    }

    @Test(arguments: Telling.allCases)
    func theCursorIsNeverAheadOfItsRows(telling: Telling) throws {
        var arrived: [Bool] = []
        for transactions in 0...3 {
            let it = try LayerFixture()
            let tell = try prepare(telling, it)
            let dying = Layer(store: DyingStore(it.layer.store, after: transactions))
            _ = try? tell(dying)
            let isPast = try it.layer.metadata().cursor?.revision == 5
            #expect(try (it.text("2") == "newer") == isPast, "after \(transactions) transactions")
            it.losePower()
            let isPastStill = try it.layer.metadata().cursor?.revision == 5
            #expect(try (it.text("2") == "newer") == isPastStill, "after \(transactions) transactions and a power cut")
            arrived.append(isPast)
        }
        #expect(arrived.first == false)
        #expect(arrived.last == true)
    }

    private func prepare(_ telling: Telling, _ it: LayerFixture) throws -> (Layer) throws -> LayerChanges {
        let newer = item("2", "newer", 5)
        let delta = Delta(epoch: "e", changes: [newer], upTo: 5, more: false)
        switch telling {
        case .pull: return { try $0.take(delta) }
        case .event:
            return { try $0.take(ChangeEvent(epoch: "e", revision: 5, previous: 3, changes: [newer])).changes }
        case .answer:
            try it.layer.update("1", content: note("mine"), at: it.now)
            let request = try #require(try it.layer.seal())
            let answer = PushAnswer(results: [ChangeResult(n: 1, status: .applied, revision: 4)], delta: delta)
            return { try $0.take(answer, to: request, newClientID: "new") }
        case .snapshot:
            try it.layer.restartSnapshot()
            let page = SnapshotPage(epoch: "e", at: 5, records: [item("1", "one", 0), newer], next: nil)
            return { try $0.take(page, for: Layer.NextPage()) }
        }
    }
}

/// Allows a number of transactions, then fails all others.
private final class DyingStore: LocalStore {
    private let kept: any LocalStore
    private let left: Mutex<Int>

    struct Dead: Error {}

    init(_ kept: any LocalStore, after transactions: Int) {
        self.kept = kept
        left = Mutex(transactions)
    }

    func read<T>(_ body: (any StoredLayer) throws -> T) throws -> T { try kept.read(body) }

    func write<T>(_ durability: Durability, _ body: (any WritableLayer) throws -> T) throws -> T {
        try left.withLock { left in
            guard left > 0 else { throw Dead() }
            left -= 1
        }
        return try kept.write(durability, body)
    }
}
