import Annotations
import InstantCore
import SyncProtocol
import TestSupport
import Testing

/// A firewall that answers 403 to pushes with the word "attack".
@Suite("An edit that something on the way refuses stops nothing") struct SendingSearchTests {
    private var it = Bench()
    private let blocked = SyncFailure.invalidServer("it answers 403")
    private var revision: Revision = 0
    /// Whether the server has answered a number, by clientID.
    private var seen: [Int64] = []
    /// The revision at which the server says that it applied those; nil: it does not say it.
    private var appliedAt: Revision?
    private var pushes: [[String]] = []
    /// What the server answers to changes of these records, once.
    private var answers: [Record.ID: ChangeResult.Status] = [:]

    init() { _ = it.goLive() }

    /// Answers everything that is sent until nothing is, with the time that passes.
    private mutating func run(_ input: Synchronizer.Input, blocks: (PushRequest) -> Bool) throws {
        var effects = it.give(input)
        for _ in 0..<200 {
            guard let request = effects.sent.first else {
                guard try it.layer.hasUnsent(), let alarm = it.alarm else { return }
                it.now = max(it.now, alarm)
                effects = it.give(.woke)
                continue
            }
            switch request.kind {
            case .push(let push) where blocks(push): effects = it.give(.failed(request.id, blocked))
            case .push(let push):
                pushes.append(push.changes.map(\.id))
                let results = push.changes.map { change in
                    revision += 1
                    let answer = answers.removeValue(forKey: change.id)
                    return ChangeResult(
                        n: change.n, status: push.isFiller ? filled(change.n) : answer ?? .applied,
                        revision: push.isFiller || answer != nil ? nil : revision,
                        reason: answer == .gone ? "the thread was deleted" : nil)
                }
                let delta = push.cursor.map { _ in Delta(epoch: "e", changes: [], upTo: revision, more: false) }
                effects = it.give(.answered(request.id, .push(PushAnswer(results: results, delta: delta))))
            case .session: effects = it.give(.answered(request.id, it.session()))
            default: effects = it.give(.answered(request.id, it.delta(upTo: revision)))
            }
        }
        Issue.record("it does not come to rest")
    }

    private func filled(_ n: Int64) -> ChangeResult.Status { seen.contains(n) ? .mismatch : .gone }

    private func isAttack(_ push: PushRequest) -> Bool {
        push.changes.contains { change in
            let text = change.content?["text"]
            return (text?.string ?? text?["value"]?.string)?.contains("attack") ?? false
        }
    }

    private mutating func write(_ id: String, _ text: String) throws {
        try it.layer.create(note(text), id: id, author: nil, at: it.now)
    }

    private var states: [String: OutboxEntry.State] {
        get throws {
            try it.layer.outbox().reduce(into: [:]) { $0[$1.id] = $1.state }
        }
    }

    private static let reason = OutboxEntry.State.parked("put aside: it answers 403")

    @Test mutating func itIsFoundAndPutAside() throws {
        for number in 0..<9 { try write("n\(number)", number == 4 ? "an attack" : "text") }
        try run(.syncRequested, blocks: isAttack)
        #expect(try states == ["n4": Self.reason])
        #expect(Set(pushes.joined()).isSuperset(of: (0..<9).map { "n\($0)" }.filter { $0 != "n4" }))
        #expect(it.synchronizer.connection == .live && it.synchronizer.cycle.state == .dirty)
    }

    @Test mutating func severalAreFound() throws {
        for number in 0..<9 { try write("n\(number)", number % 4 == 0 ? "an attack" : "text") }
        try run(.syncRequested, blocks: isAttack)
        #expect(try states == ["n0": Self.reason, "n4": Self.reason, "n8": Self.reason])
    }

    @Test mutating func aReplyWaitsWithItsRoot() throws {
        try write("root", "an attack")
        _ = try it.layer.reply(to: "root", .plain("fine"), id: "reply", author: nil, at: it.now)
        try write("other", "text")
        try run(.syncRequested, blocks: isAttack)
        #expect(try states == ["root": Self.reason, "reply": Self.reason])
        // Its text is mended, and both are sent.
        _ = try it.layer.update("root", content: note("harmless"), at: it.now)
        try run(.edited, blocks: isAttack)
        #expect(try states == [:])
        #expect(pushes.joined().contains("root") && pushes.joined().contains("reply"))
    }

    @Test mutating func whatIsAloneIsNotPutAside() throws {
        try write("n", "an attack")
        let sent = it.request(.syncRequested)
        _ = it.give(.answered(try #require(it.give(.failed(sent, blocked)).request), it.delta()))
        for _ in 0..<10 {
            it.now = try #require(it.alarm)
            let pull = try #require(it.give(.failed(it.request(.woke), blocked)).request)
            _ = it.give(.answered(pull, it.delta()))
        }
        #expect(try it.layer.tally()[.sealed] == 1 && it.layer.tally()[.parked] == nil)
    }

    @Test mutating func ifNothingCanBeSentNothingIsPutAside() throws {
        for number in 0..<4 { try write("n\(number)", "an attack") }
        var effects = it.give(.syncRequested)
        for _ in 0..<60 {
            if let request = effects.sent.first {
                if case .push(let push) = request.kind, !push.isFiller {
                    effects = it.give(.failed(request.id, blocked))
                } else if case .push(let push) = request.kind {
                    let result = ChangeResult(n: push.changes[0].n, status: .gone)
                    effects = it.give(.answered(request.id, .push(PushAnswer(results: [result], delta: nil))))
                } else {
                    effects = it.give(.answered(request.id, it.delta()))
                }
            } else {
                it.now = try #require(it.alarm)
                effects = it.give(.woke)
            }
        }
        #expect(try it.layer.tally()[.parked, default: 0] < 4)
        #expect(try it.layer.outbox().count == 4)
    }

    /// The server has stored the edit, and only its answer is refused.
    @Test mutating func whatTheServerHasIsNotPutAside() throws {
        try write("a", "an attack")
        try write("b", "text")
        seen = [1]
        _ = try serve(item("a", "an attack", 1, by: "ana"), it.give(.syncRequested))
        #expect(try states == [:])
        #expect(try it.layer.record("a") != nil)
    }

    /// The same, but someone else has changed the record, so the edit is sent again and then put aside. Meanwhile the user
    /// deletes the record.
    @Test mutating func whatTheServerHasIsStillDeleted() throws {
        try write("a", "an attack")
        try write("b", "text")
        seen = [1]
        let first = try #require(it.give(.syncRequested).sent.first)
        try it.layer.delete("a", at: it.now)
        let sent = try serve(item("a", "changed", 1, by: "bo"), it.give(.failed(first.id, blocked)))
        #expect(sent.contains("delete a"), "\(sent)")
        #expect(try states == [:])
    }

    /// The server stored the edit, and someone else then deleted the record. The record must not come back.
    @Test mutating func whatTheServerHadIsNotSentAgain() throws {
        try write("a", "an attack")
        try write("b", "text")
        (seen, appliedAt) = ([1], 1)
        let first = try #require(it.give(.syncRequested).sent.first)
        let sent = try serve(.removed("a", 2), it.give(.failed(first.id, blocked)))
        #expect(sent == ["create b"])
        #expect(try states == [:])
        #expect(try it.layer.record("a") == nil)
    }

    /// The last comment is deleted while it is on its way, and its root would go along. It never arrives, so the root stays.
    @Test mutating func aRootWhoseOnlyCommentNeverArrivesIsShownAgain() throws {
        let mark = try Content(#"{"v":2,"type":"pspdfkit/comment-marker","pageIndex":0,"bbox":[1,2,3,4]}"#)
        let root = SyncItem.record(Record(id: "root", content: mark, createdBy: "ana"), 1)
        _ = try it.layer.take(Delta(epoch: "e", changes: [root], upTo: 1, more: false))
        revision = 1
        _ = try it.layer.reply(to: "root", .plain("an attack"), id: "reply", author: nil, at: it.now)
        try write("other", "text")
        let first = try #require(it.give(.syncRequested).sent.first)
        try it.layer.delete("reply", at: it.now)
        #expect(try it.layer.row("root") == nil)
        try run(.failed(first.id, blocked), blocks: isAttack)
        #expect(try states == [:])
        #expect(try it.layer.row("root") != nil)
    }

    /// Answers until nothing waits, with a record that the server has.
    private mutating func serve(_ record: SyncItem, _ first: [Synchronizer.Effect]) throws -> [String] {
        var (effects, sent): (_, [String]) = (first, [])
        for _ in 0..<80 {
            guard let request = effects.sent.first else {
                guard try !it.layer.outbox().isEmpty, let alarm = it.alarm else { break }
                it.now = alarm
                effects = it.give(.woke)
                continue
            }
            switch request.kind {
            case .push(let push) where isAttack(push): effects = it.give(.failed(request.id, blocked))
            case .push(let push):
                if !push.isFiller { sent += push.changes.map { "\($0.kind) \($0.id)" } }
                let results = push.changes.map {
                    ChangeResult(
                        n: $0.n, status: push.isFiller ? filled($0.n) : .applied,
                        revision: !push.isFiller ? 2 : seen.contains($0.n) ? appliedAt : nil)
                }
                let delta = push.cursor.map { _ in Delta(epoch: "e", changes: [], upTo: 2, more: false) }
                effects = it.give(.answered(request.id, .push(PushAnswer(results: results, delta: delta))))
            default: effects = it.give(.answered(request.id, it.delta([record], upTo: 1)))
            }
        }
        return sent
    }

    /// As a command does while a window or `watch` has the layer open, which does the sending.
    @Test mutating func whatIsAskedForBehindAnotherProcessIsDone() throws {
        for number in 0..<3 { try write("n\(number)", number == 0 ? "an attack" : "text") }
        try run(.syncRequested, blocks: isAttack)
        var command = Bench(sharing: it.layer)
        (command.now, command.isLockTaken) = (it.now, true)
        try command.layer.retryAside()
        #expect(try states == ["n0": .waiting])
        let asked = command.request(.tokenSupplied(TokenHandle(2)))
        _ = command.give(.answered(asked, command.session(head: revision)))
        #expect(command.synchronizer.cycle.isSyncing, "it waits until the other process has sent it")
        try run(.storeChanged, blocks: { _ in false })
        #expect(try states == [:])
        _ = command.give(.storeChanged)
        #expect(!command.synchronizer.cycle.isSyncing)
    }

    /// The one that is refused was tried for minutes before there was another one.
    @Test mutating func aNewEditDoesNotWaitForTheSearchToBeginAnew() throws {
        try write("n", "an attack")
        var effects = it.give(.edited)
        for _ in 0..<30 {
            if let request = effects.sent.first {
                let isPush = if case .push = request.kind { true } else { false }
                effects = it.give(isPush ? .failed(request.id, blocked) : .answered(request.id, it.delta()))
            } else {
                it.now = try #require(it.alarm)
                effects = it.give(.woke)
            }
        }
        while let request = effects.sent.first {
            let isPush = if case .push = request.kind { true } else { false }
            effects = it.give(isPush ? .failed(request.id, blocked) : .answered(request.id, it.delta()))
        }
        let before = it.now
        try write("good", "text")
        try run(.edited, blocks: isAttack)
        #expect(try states == ["n": Self.reason])
        #expect(it.now - before < 10_000, "\(it.now - before) ms")
    }

    /// The record is deleted behind the edit that is refused, and the deletion is undone. During a recovery these two do not
    /// cancel each other out.
    @Test(arguments: [false, true]) mutating func anUndoneDeletionDoesNotTakeTheEditAlong(isNew: Bool) throws {
        if !isNew {
            _ = try it.layer.take(Delta(epoch: "e", changes: [item("a", "first", 1, by: "bo")], upTo: 1, more: false))
            revision = 1
            _ = try it.layer.update("a", content: note("an attack"), at: it.now)
        } else {
            try write("a", "an attack")
        }
        try write("other", "text")
        let first = try #require(it.give(.syncRequested).sent.first)
        try setRecovering(true)
        let deleted = try it.layer.delete("a", at: it.now)
        _ = try it.layer.undo(deleted, at: it.now)
        try setRecovering(false)
        try run(.failed(first.id, blocked), blocks: isAttack)
        #expect(try states == ["a": Self.reason])
        #expect(try it.layer.record("a").map { Annotation($0).text } == "an attack")
    }

    /// A deletion was undone, and the undo is refused on the way. The user deletes the record again: the server may have it.
    @Test mutating func aDeletionBehindARefusedUndoIsSent() throws {
        _ = try it.layer.take(Delta(epoch: "e", changes: [item("a", "first", 1, by: "ana")], upTo: 1, more: false))
        revision = 1
        let deleted = try it.layer.delete("a", at: it.now)
        let deletion = try #require(it.give(.syncRequested).sent.first)
        _ = try it.layer.undo(deleted, at: it.now)
        try write("other", "text")
        // The record had been moved out of sight.
        let gone = ChangeResult(n: 1, status: .gone, reason: "no such record")
        let delta = Delta(epoch: "e", changes: [.removed("a", 2)], upTo: 2, more: false)
        revision = 2
        let first = try #require(
            it.give(.answered(deletion.id, .push(PushAnswer(results: [gone], delta: delta)))).sent.first)
        try it.layer.delete("a", at: it.now)
        pushes = []
        try run(.failed(first.id, blocked), blocks: { push in push.changes.contains { $0.kind == .restore } })
        #expect(try it.layer.outbox().map(\.kind) == [.restore, .delete])
        #expect(try it.layer.record("a") == nil)
        try it.layer.retryAside()
        try run(.storeChanged, blocks: { _ in false })
        #expect(pushes.joined().contains("a"))
        #expect(try states == [:])
    }

    private func setRecovering(_ isRecovering: Bool) throws {
        try it.layer.store.write(.recoverable) { store in
            var metadata = try store.metadata()
            metadata.isRecovering = isRecovering
            try store.set(metadata)
        }
    }

    /// The root is refused on the way, and its comment has a number already when the user deletes the thread.
    @Test mutating func aDeletedThreadTakesACommentOnItsWayAlong() throws {
        try write("root", "an attack")
        _ = try it.layer.reply(to: "root", .plain("fine"), id: "reply", author: nil, at: it.now)
        try write("other", "text")
        answers["reply"] = .gone
        let first = try #require(it.give(.syncRequested).sent.first)
        #expect(try it.layer.tally()[.sealed] == 3)
        try it.layer.delete("root", at: it.now)
        try run(.failed(first.id, blocked), blocks: isAttack)
        #expect(try states == [:])
        #expect(try it.layer.row("root") == nil && it.layer.record("reply") == nil)
    }

    /// The same if the server itself refuses the root.
    @Test(arguments: [ChangeResult.Status.denied, .invalid])
    mutating func aDeletedThreadThatIsRefusedTakesItsCommentsAlong(_ answer: ChangeResult.Status) throws {
        try write("root", "text")
        _ = try it.layer.reply(to: "root", .plain("fine"), id: "reply", author: nil, at: it.now)
        answers = ["root": answer, "reply": .gone]
        let first = try #require(it.give(.syncRequested).sent.first)
        try it.layer.delete("root", at: it.now)
        let results = [("root", answer), ("reply", .gone)].enumerated().map {
            ChangeResult(n: Int64($0 + 1), status: $1.1, reason: "the thread was deleted")
        }
        let delta = Delta(epoch: "e", changes: [], upTo: revision, more: false)
        answers = ["root": .gone]
        try run(
            .answered(first.id, .push(PushAnswer(results: results, delta: delta))), blocks: { _ in false })
        #expect(try states == [:])
        #expect(try it.layer.row("root") == nil && it.layer.record("reply") == nil)
    }

    @Test mutating func itIsTriedAgainAfterEverythingElse() throws {
        for number in 0..<3 { try write("n\(number)", number == 0 ? "an attack" : "text") }
        try run(.syncRequested, blocks: isAttack)
        #expect(try states == ["n0": Self.reason])
        try write("later", "text")
        try it.layer.retryAside()
        try run(.storeChanged, blocks: isAttack)
        #expect(try states == ["n0": Self.reason])
        #expect(pushes.joined().contains("later"))
        try it.layer.retryAside()
        try run(.storeChanged, blocks: { _ in false })
        #expect(try states == [:])
    }
}

extension [Synchronizer.Effect] {
    fileprivate var sent: [SyncRequest] { compactMap { if case .send(let request) = $0 { request } else { nil } } }
}
