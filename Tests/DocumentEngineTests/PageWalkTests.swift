import Annotations
import Authorization
import Dispatch
import EngineCore
import SyncProtocol
import Synchronization
import TestSupport
import Testing

@testable import DocumentEngine

/// How far is read ahead of one who loads a layer, and what becomes of a page that cannot be.
@Suite("Walks", .timeLimit(.minutes(15))) struct PageWalkTests {
    private static let now = Timestamp(seconds: 1_000_000)

    private static func question(_ after: Int) -> PagesAhead.Question {
        PagesAhead.Question(
            layer: LayerKey(document: "doc", name: ""), head: 9, epoch: "e", scope: .everything, at: 9,
            after: ByteOrdered("\(after)"), limit: 1)
    }

    private static func page(_ question: PagesAhead.Question, last: Int = .max) -> WrittenPage {
        let next = (Int(question.after.text) ?? 0) + 1
        return WrittenPage(epoch: "e", at: 9, size: 0) { _ in next > last ? nil : "\(next)" }
    }

    @Test func aPageMoreIsReadForEachThatIsTaken() async throws {
        let ahead = PagesAhead()
        let walk = PageWalk(from: Self.question(1))
        let read = Mutex<[String]>([])
        func readAhead(taken: Bool) {
            guard walk.begin(taken: taken) else { return }
            ahead.proceed(walk, now: { Self.now }) { question in
                read.withLock { $0.append(question.after.text) }
                return Self.page(question, last: 5)
            }
        }
        readAhead(taken: false)
        for place in 1...5 {
            // Nothing else is read before this one was taken. A page is there, for whoever asks, before it is read.
            while read.withLock(\.count) < min(5, place + 1) { await Task.yield() }
            #expect(ahead.count == min(2, 6 - place))
            #expect(read.withLock(\.self) == (1...min(5, place + 1)).map(String.init))
            let entry = try #require(ahead.take(Self.question(place)))
            #expect(ahead.take(Self.question(place)) == nil)
            readAhead(taken: true)
            #expect(try await entry.page.value.next == (place < 5 ? "\(place + 1)" : nil))
        }
        #expect(ahead.count == 0)
        #expect(!walk.begin(taken: true))
    }

    @Test func whatCannotBeReadEndsItsWalk() async throws {
        struct Broken: Error {}
        let ahead = PagesAhead()
        let walk = PageWalk(from: Self.question(1))
        #expect(walk.begin(taken: false))
        #expect(!walk.begin(taken: true), "one thread at a time")
        ahead.proceed(walk, now: { Self.now }) { _ in throw Broken() }
        while ahead.count == 0 { await Task.yield() }
        let entry = try #require(ahead.take(Self.question(1)))
        await #expect(throws: Broken.self) { try await entry.page.value }
        #expect(!walk.begin(taken: true))
    }

    @Test func aWriteBeforeAPageIsReadStopsNobody() async throws {
        let store = HeldStore()
        let engine = Engine(store: store, limits: SyncProtocol.Limits(), now: { Self.now })
        let layer = try store.write { store in
            let base = try store.addBase([])
            let page = StoredDocument.Page(width: 1, height: 1)
            try store.put(
                StoredDocument(
                    id: "doc", title: "", pdfSHA256: "", pdfBytes: 1, createdAt: Self.now, base: base, pages: [page]))
            let layer = try store.addLayer(LayerKey(document: "doc", name: ""), generation: "g")
            var writer = BackendWriter(layer, in: store, now: Self.now)
            for n in 0..<4 { try writer.create("n\(n)", Samples.note("\(n)"), user: nil, group: nil) }
            return writer.commit.layer
        }
        let payload = #"{"document_id":"doc","exp":2000000,"permissions":["read-document"]}"#
        let claims = try Claims(payload: Array(payload.utf8))
        func page(after: String?, of first: SnapshotPage?) async throws -> SnapshotPage {
            try SnapshotPage(
                bytes: await engine.snapshot(claims, after: after, at: first?.at, epoch: first?.epoch, limit: 1))
        }
        let first = try await page(after: nil, of: nil)
        // The page behind it is begun, and held.
        while store.begun < 2 { await Task.yield() }
        async let second = page(after: first.next, of: first)
        while engine.ahead.count > 0 { await Task.yield() }
        try store.write { store in
            var writer = BackendWriter(layer, in: store, now: Self.now)
            try writer.replace("n1", Samples.note("changed since"), user: nil, group: nil)
        }
        store.letGo()
        let found = try await second
        #expect(found.records.map(\.id) == ["n1"])
        #expect(found.records.map(\.revision) == [5])
        #expect(found.at == 4)
        await engine.ahead.stop()
    }
}

/// A store whose second reading waits until it is let go.
private final class HeldStore: LayerStore {
    private let store = MemoryStore()
    private let readings = Mutex(0)
    private let hold = DispatchGroup()

    init() { hold.enter() }

    /// How many readings have begun.
    var begun: Int { readings.withLock(\.self) }

    func letGo() { hold.leave() }

    func read<Result: Sendable>(_ body: (any StoreReading) throws -> Result) throws -> Result {
        let number = readings.withLock { readings in
            readings += 1
            return readings
        }
        if number == 2 { hold.wait() }
        return try store.read(body)
    }

    func write<Result: Sendable>(_ body: (any StoreWriting) throws -> Result) throws -> Result {
        try store.write(body)
    }
}
