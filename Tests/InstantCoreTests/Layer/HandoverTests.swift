import Annotations
import Authorization
import InstantCore
import SyncProtocol
import TestSupport
import Testing

/// Edits move from a store that no process uses to another one: each once, whenever the program dies.
@Suite struct HandoverTests {
    private let giving: Layer
    private let receiving: Layer
    private let now = Timestamp(seconds: 1000)
    private let grant = Grant(documentID: "doc", userID: "ana", creatorName: "Ana", expiresAt: Timestamp(seconds: 9000))

    init() throws {
        let identity = LayerIdentity(server: "s", documentID: "doc", layer: "", userID: "ana")
        giving = Layer(store: MemoryStore(LayerMetadata(identity: identity, clientID: "giving")))
        receiving = Layer(store: MemoryStore(LayerMetadata(identity: identity, clientID: "receiving")))
        for layer in [giving, receiving] {
            _ = try layer.accept(
                SessionAnswer(
                    grant: grant, now: now, generation: "g", epoch: "e", head: 0, pdfSHA256: "pdf", pdfBytes: 1,
                    title: "T"), seen: nil, now: now, newClientID: "c")
        }
        try giving.create(note("sealed"), id: "sealed", author: nil, at: now)
        _ = try giving.seal()
        try giving.create(note("waits"), id: "waits", author: nil, at: now)
    }

    private func finish(_ handover: Handover) throws {
        try giving.endHandover(handover.id, newClientID: "new")
        try receiving.forgetHandover(handover.id)
    }

    @Test func allEditsMoveAndSealedOnesWaitAgain() throws {
        let handover = try #require(try giving.beginHandover("h"))
        _ = try receiving.receive(handover)
        try finish(handover)
        #expect(try giving.outbox().isEmpty)
        #expect(try giving.metadata().clientID == "new")
        #expect(try receiving.outbox().map(\.id) == ["sealed", "waits"])
        #expect(try receiving.outbox().allSatisfy { $0.state == .waiting })
        #expect(try receiving.record("waits") != nil && giving.record("waits") == nil)
        #expect(try receiving.metadata().received == [])
        #expect(try receiving.seal()?.changes.map(\.n) == [1, 2])
    }

    /// The store has received what the other one created, and edited it since. The creation is older than that.
    @Test func aCreationDoesNotTakeThePlaceOfALaterEditHere() throws {
        let handover = try #require(try giving.beginHandover("h"))
        let record = Record(id: "sealed", content: note("sealed"), createdBy: "ana", updatedBy: "ana", group: nil)
        let asked = try #require(try receiving.nextPage(epoch: "e"))
        _ = try receiving.take(SnapshotPage(epoch: "e", at: 2, records: [.record(record, 2)], next: nil), for: asked)
        try receiving.update("sealed", content: note("mine"), at: now)
        let request = try #require(try receiving.seal())
        _ = try receiving.take(Delta(epoch: "e", changes: [.removed("sealed", 4)], upTo: 4, more: false))
        _ = try receiving.receive(handover)
        let gone = ChangeResult(n: 1, status: .gone, revision: nil, reason: "the record was deleted")
        _ = try receiving.take(PushAnswer(results: [gone], delta: nil), to: request, newClientID: "new")
        #expect(try receiving.conflicts().map { $0.mine?["text"]?.string } == ["mine"])
        #expect(try receiving.outbox().filter(\.isPending).map(\.id) == ["waits"])
    }

    @Test func aRepeatedStepChangesNothing() throws {
        let handover = try #require(try giving.beginHandover("h"))
        _ = try receiving.receive(handover)
        // The program died: the next one begins again, under the name of the unfinished handover.
        let again = try #require(try giving.beginHandover("other"))
        #expect(again == handover)
        _ = try receiving.receive(again)
        #expect(try receiving.outbox().count == 2)
        try finish(again)
        try finish(again)
        #expect(try giving.beginHandover("third") == nil)
        #expect(try receiving.outbox().count == 2)
    }

    @Test func aHandoverThatNobodyReceivedIsWithdrawn() throws {
        let handover = try #require(try giving.beginHandover("h"))
        try giving.cancelHandover(handover.id)
        #expect(try giving.metadata().handover == nil)
        #expect(try giving.outbox().count == 2)
        // A late end, by a program that was stopped, finds another name.
        _ = try giving.beginHandover("next")
        try giving.endHandover("h", newClientID: "new")
        #expect(try giving.outbox().count == 2)
    }

    @Test func aGrantThatDeniesAnEditDoesNotGetIt() throws {
        var reader = grant
        reader.general = [.readDocument]
        #expect(try giving.isSendable(by: grant))
        #expect(try !giving.isSendable(by: reader))
    }

    /// The server applied it under the other clientID, before its answer was lost.
    @Test func whatTheServerHasIsNoConflict() throws {
        let handover = try #require(try giving.beginHandover("h"))
        _ = try receiving.receive(handover)
        _ = try receiving.take(SnapshotPage(epoch: "e", at: 0, records: [], next: nil), for: Layer.NextPage())
        let push = try #require(try receiving.seal())
        let content = try #require(push.changes.first?.content)
        let there = Record(id: "sealed", content: content, createdBy: "ana", updatedBy: "ana", group: nil)
        let results = [
            ChangeResult(n: 1, status: .conflict, reason: "the id is taken", item: .record(there, 5)),
            ChangeResult(n: 2, status: .applied, revision: 6),
        ]
        _ = try receiving.take(PushAnswer(results: results, delta: nil), to: push, newClientID: "c2")
        #expect(try receiving.conflicts().isEmpty)
        #expect(try receiving.record("sealed") != nil)
    }

    @Test func whatMayHaveBeenAppliedIsDeletedOnTheServer() throws {
        _ = try receiving.receive(try #require(try giving.beginHandover("h")))
        try receiving.delete("sealed", at: now)
        try receiving.delete("waits", at: now)
        #expect(try receiving.outbox().map { "\($0.kind) \($0.id)" } == ["create sealed", "delete sealed"])
    }

    /// Both were made on the same text, in windows that did not see each other's edit.
    @Test(arguments: [false, true])
    func anEditOfWhatWasEditedHereIsAConflict(isApplied: Bool) throws {
        for layer in [giving, receiving] {
            _ = try layer.take(
                SnapshotPage(epoch: "e", at: 3, records: [.record(stored("1", "one", 3).record, 3)], next: nil),
                for: Layer.NextPage())
        }
        try receiving.update("1", content: note("here"), at: now)
        if isApplied {
            let push = try #require(try receiving.seal())
            let result = ChangeResult(n: 1, status: .applied, revision: 4)
            _ = try receiving.take(PushAnswer(results: [result], delta: nil), to: push, newClientID: "c")
        }
        try giving.update("1", content: note("there"), at: now)
        _ = try receiving.receive(try #require(try giving.beginHandover("h")))
        #expect(try receiving.conflicts().map { $0.mine?["text"]?.string } == ["there"])
        #expect(try receiving.record("1").map { Annotation($0).text } == "here")
    }

    @Test func anEditOfWhatHasAConflictHereIsAnotherConflict() throws {
        for layer in [giving, receiving] {
            _ = try layer.take(
                SnapshotPage(epoch: "e", at: 3, records: [.record(stored("1", "one", 3).record, 3)], next: nil),
                for: Layer.NextPage())
        }
        try receiving.update("1", content: note("here"), at: now)
        let push = try #require(try receiving.seal())
        let result = ChangeResult(n: 1, status: .conflict, item: item("1", "one", 5))
        _ = try receiving.take(PushAnswer(results: [result], delta: nil), to: push, newClientID: "c")
        try giving.update("1", content: note("there"), at: now)
        _ = try receiving.receive(try #require(try giving.beginHandover("h")))
        #expect(try receiving.conflicts().map { $0.mine?["text"]?.string } == ["here", "there"])
    }

    /// A store was used again although another one had received its edits, because that one could not be read.
    @Test func whatIsHereAlreadyDoesNotComeTwice() throws {
        let handover = try #require(try giving.beginHandover("h"))
        _ = try receiving.receive(handover)
        try giving.cancelHandover(handover.id)
        _ = try receiving.receive(try #require(try giving.beginHandover("again")))
        #expect(try receiving.outbox().map(\.id) == ["sealed", "waits"])
    }

    /// The server had applied it, and the record was edited here since: behind that edit, the create would take its text.
    @Test func aCreateOfWhatIsHereIsDone() throws {
        _ = try receiving.take(
            SnapshotPage(epoch: "e", at: 3, records: [.record(stored("sealed", "sealed", 3).record, 3)], next: nil),
            for: Layer.NextPage())
        try receiving.update("sealed", content: note("here"), at: now)
        _ = try receiving.receive(try #require(try giving.beginHandover("h")))
        #expect(try receiving.outbox().map { "\($0.kind) \($0.id)" } == ["update sealed", "create waits"])
    }

    /// The answer to a creation is missing here. What the other store did to the record is compared with the record as it was
    /// received, not with the creation: the server would apply the same edit twice, or edits of it would be in conflict.
    @Test(arguments: [false, true]) func anEditOfWhatWasMadeHereIsDone(isEditedAgain: Bool) throws {
        try receiving.create(note("new"), id: "n", author: nil, at: now)
        _ = try receiving.seal()
        func own(_ text: String) -> Record { stored("n", text, 0, by: "ana").record }
        for (layer, text) in [(giving, "new"), (receiving, "changed")] {
            let revision: Revision = text == "new" ? 2 : 4
            _ = try layer.take(
                SnapshotPage(epoch: "e", at: revision, records: [.record(own(text), revision)], next: nil),
                for: Layer.NextPage())
        }
        try giving.update("n", content: note("changed"), at: now)
        _ = try giving.seal()
        if isEditedAgain { try giving.update("n", content: note("changed again"), at: now) }
        _ = try receiving.receive(try #require(try giving.beginHandover("h")))
        #expect(
            try receiving.outbox().filter { $0.id == "n" }.map { "\($0.kind) \($0.stage) \($0.baseRevision)" }
                == ["create sealed 0"] + (isEditedAgain ? ["update waiting 4"] : []))
    }

    /// A root comes before its comments, and its later edits after them.
    @Test func editsKeepTheirOrder() throws {
        try giving.update("sealed", content: note("sealed, changed"), at: now)
        _ = try receiving.receive(try #require(try giving.beginHandover("h")))
        #expect(
            try receiving.outbox().map { "\($0.kind) \($0.id)" } == [
                "create sealed", "create waits", "update sealed",
            ])
    }

    @Test func anotherViewRemovesWhatItDoesNotShow() throws {
        try receiving.store.write { store in
            for (id, user) in [("mine", "ana"), ("theirs", "bo")] {
                let record = Record(id: id, content: note(id), createdBy: user, updatedBy: user, group: nil)
                try store.put(StoredRecord(record, 1))
            }
        }
        var narrow = grant
        narrow.collaboration = [Permission(.annotations, .view, .own)]
        #expect(try !receiving.fits(narrow))
        #expect(try receiving.changeView(to: narrow) == "pdf")
        #expect(try receiving.metadata().pdfSHA256 == "", "it may show what this view does not")
        #expect(try receiving.fits(narrow))
        #expect(try receiving.store.read { try $0.records(after: nil, limit: 9).map(\.id) } == ["mine"])
        #expect(try receiving.metadata().cursor == nil)
    }
}
