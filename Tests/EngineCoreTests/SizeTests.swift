import Annotations
import Authorization
import SyncProtocol
import TestSupport
import Testing

@testable import EngineCore

/// Size limits of pages, deltas and events; no page names a record its reader may not see.
@Suite struct SizeTests {
    private let store = MemoryLayerStore()
    private let key = LayerKey(document: "paper", name: "")

    init() throws {
        let key = key
        try store.write { store in
            let page = ServerDocument.Page(width: 612, height: 792)
            let base = try store.addBase([])
            try store.put(
                ServerDocument(
                    id: key.document, title: "Paper", pdfSHA256: "", pdfBytes: 0,
                    createdAt: Timestamp(milliseconds: 0), base: base, pages: [page]))
            _ = try store.addLayer(key, generation: "first")
        }
    }

    @Test func largeRecordsComeInSmallPages() throws {
        try write("ann", (1...6).map { note($0, bytes: 500_000) })
        var (ids, next): ([Record.ID], Record.ID?) = ([], nil)
        repeat {
            let page = try view("ann") { try $0.page(after: next, limit: 1000) }
            #expect(page.bytes.count < 2_000_000)
            ids += page.records.map(\.id)
            next = page.next
        } while next != nil
        #expect(ids == ["1", "2", "3", "4", "5", "6"])
    }

    @Test func largeChangesComeInSmallDeltas() throws {
        try write("ann", (1...6).map { note($0, bytes: 500_000) })
        var (ids, upTo, more): ([Record.ID], Revision, Bool) = ([], 0, true)
        while more {
            let from = upTo
            let delta = try view("ann") { try $0.delta(since: Cursor(epoch: $0.epoch, revision: from), limit: 500) }
            #expect(delta.bytes.count < 2_000_000)
            ids += delta.changes.map(\.id)
            (upTo, more) = (delta.upTo, delta.more)
        }
        #expect(ids == ["1", "2", "3", "4", "5", "6"])
        #expect(upTo == 6)
    }

    @Test func aTransactionTooLargeForOneEventSendsItsListenersToPull() throws {
        var fanout = EventBroadcaster()
        let layer = try #require(try store.read { try $0.layer(key) })
        let listener = fanout.add(layer, scope: .everything, tokenID: nil)
        let woken = fanout.publish(try write("ann", (1...6).map { note($0, bytes: 500_000) }))
        #expect(woken == [listener])
        let delivery = fanout.take(listener)
        #expect(delivery.frames.isEmpty)
        #expect(delivery.end?.kind == .behind)
    }

    /// Hundreds of another user's records before, between and after the reader's own: pages name only the reader's.
    @Test func pagesGoOnFromRecordsThatAreSeen() throws {
        try write("bob", (1...500).map { note($0, bytes: 1) })
        try write("ann", [note(9_001, bytes: 1), note(9_002, bytes: 1)])
        let mine = ["annotations:view:self"]
        let first = try view("ann", mine) { try $0.page(after: nil, limit: 1) }
        #expect(first.records.map(\.id) == ["9001"])
        #expect(first.next == "9001")
        let second = try view("ann", mine) { try $0.page(after: first.next, limit: 1) }
        #expect(second.records.map(\.id) == ["9002"])
        #expect(second.next == nil)
    }

    @Test func aDeltaOfMuchThatIsNotSeenGoesOnInPieces() throws {
        try write("bob", (1...4_500).map { note($0, bytes: 1) })
        try write("ann", [note(9_001, bytes: 1)])
        var (ids, upTo, rounds): ([Record.ID], Revision, Int) = ([], 0, 0)
        while rounds < 10 {
            let from = upTo
            let delta = try view("ann", ["annotations:view:self"]) {
                try $0.delta(since: Cursor(epoch: $0.epoch, revision: from), limit: 500)
            }
            ids += delta.changes.map(\.id)
            rounds += 1
            upTo = delta.upTo
            if !delta.more { break }
        }
        #expect(ids == ["9001"])
        #expect(rounds == 2)
    }

    /// Small deletes conflict with another user's large records: the response does not contain all records.
    @Test func manyConflictsAreNotAllSpeltOut() throws {
        let large = (1...6).map { note($0, bytes: 500_000) }
        try write("ann", large)
        let changes = large.enumerated().map { index, note in
            Change(n: Int64(index + 1), kind: .delete, id: note.id, baseRevision: 0, group: nil)
        }
        let layer = try #require(try store.read { try $0.layer(key) })
        let answer = try store.write { store in
            try PushProcessor(grant: grant("bob")).perform(
                PushRequest(clientID: "of-bob", acked: 0, cursor: nil, changes: changes), on: layer, in: store,
                now: Timestamp(milliseconds: 1)
            ).answer
        }
        #expect(answer.results.allSatisfy { $0.status == .conflict })
        #expect(answer.results.map { $0.item != nil } == [true, false, false, false, false, false])
    }

    /// On a slow link, what was sent need not come back, so all of it fits into the answer.
    @Test(arguments: [true, false]) func aLargePushIsAnsweredInWholeIfItsContentsAreLeftOut(_ omitsSent: Bool) throws {
        let layer = try #require(try store.read { try $0.layer(key) })
        let epoch = layer.epoch(for: grant("bob").viewScope)
        let changes = (1...6).map { number in
            let note = note(number, bytes: 200_000)
            return Change(
                n: Int64(number), kind: .create, id: note.id, baseRevision: 0, group: nil, content: note.content)
        }
        let request = PushRequest(
            clientID: "of-bob", acked: 0, cursor: Cursor(epoch: epoch, revision: layer.head), changes: changes,
            omitsSent: omitsSent)
        let done = try store.write { store in
            let done = try PushProcessor(grant: grant("bob")).perform(
                request, on: layer, in: store, now: Timestamp(milliseconds: 1))
            return Done(answer: done.answer, answered: done.commit.answered)
        }
        #expect(done.answer.delta?.more == !omitsSent)
        // What the answer lacks comes with the stream.
        #expect(done.answered == (omitsSent ? "of-bob" : nil))
        #expect((done.answer.bytes(answering: request).count < 10_000) == omitsSent)
    }

    private struct Done: Sendable {
        var answer: PushAnswer
        var answered: String?
    }

    // MARK: Setup

    private func note(_ number: Int, bytes: Int) -> (id: Record.ID, content: Content) {
        var content = JSONObject()
        content["v"] = 1
        content["type"] = "pspdfkit/note"
        content["pageIndex"] = 0
        content["bbox"] = [0, 0, 10, 10]
        content["text"] = .string(String(repeating: "y", count: bytes))
        return (String(number), Content(content))
    }

    private func grant(_ user: String, _ permissions: [String]? = nil) -> Grant {
        let collaboration = permissions?.compactMap { text -> Permission? in
            if case .granted(let permission) = Permission.read(text) { permission } else { nil }
        }
        return Grant(
            documentID: key.document, userID: user, collaboration: collaboration,
            expiresAt: Timestamp(seconds: 4_000_000_000))
    }

    /// Writes directly to the layer, because these tests are about reading.
    @discardableResult
    private func write(_ user: String, _ notes: [(id: Record.ID, content: Content)]) throws -> Commit {
        try store.write { store in
            let layer = try #require(try store.layer(key))
            var writer = LayerWriter(layer, in: store, now: Timestamp(seconds: 1_000))
            for note in notes {
                try writer.write(
                    Record(id: note.id, content: note.content, createdBy: user, updatedBy: user),
                    contentType: .annotations, rootID: nil, over: nil, client: user)
            }
            return writer.commit
        }
    }

    private func view<Result: Sendable>(
        _ user: String, _ permissions: [String]? = nil, _ body: (LayerView) throws -> Result
    ) throws -> Result {
        try store.read { store in
            let layer = try #require(try store.layer(key))
            return try body(LayerView(layer, scope: grant(user, permissions).viewScope, in: store))
        }
    }
}
