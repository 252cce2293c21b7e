import Annotations
import Authorization
import InstantCore
import SyncProtocol
import Testing

/// Failures found by simulation, each reduced to a minimum of steps.
@Suite("Found by simulation") struct FoundTests {
    /// The response was in transit while the stream reported the removal.
    @Test func aConflictThatComesLateDoesNotBringBackWhatIsGoneSince() throws {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("mine"), at: it.now)
        let request = try #require(try it.layer.seal())
        try it.pull(.removed("2", 5), upTo: 5)
        let late = ChangeResult(n: 1, status: .conflict, reason: "because", item: item("2", "theirs", 4))
        _ = try it.layer.take(PushAnswer(results: [late], delta: nil), to: request, newClientID: "new")
        #expect(try it.layer.store.read { try $0.record("2") } == nil)
        #expect(try it.layer.conflicts().map { $0.mine?["text"]?.string } == ["mine"])
    }

    /// The winner arrived with the response before the stream delivered the state it replaced.
    @Test func aRowIsNotReplacedByAnOlderOne() throws {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("mine"), at: it.now)
        let request = try #require(try it.layer.seal())
        let lost = ChangeResult(n: 1, status: .conflict, reason: "because", item: item("2", "newest", 6))
        _ = try it.layer.take(PushAnswer(results: [lost], delta: nil), to: request, newClientID: "new")
        try it.pull(item("2", "older", 5), upTo: 5)
        #expect(try it.text("2") == "newest")
    }

    @Test(arguments: [("e", Revision(4)), ("other", 3)])
    func pagesOfTwoSnapshotsAreNotMixed(epoch: String, at: Revision) throws {
        let it = try LayerFixture()
        try it.layer.restartSnapshot()
        let first = SnapshotPage(epoch: "e", at: 3, records: [item("1", "one", 0)], next: "1")
        _ = try it.layer.take(first, for: Layer.NextPage())
        let asked = try #require(try it.layer.nextPage(epoch: "e"))
        let second = SnapshotPage(epoch: epoch, at: at, records: [item("2", "two", 3)], next: nil)
        #expect(try it.layer.take(second, for: asked).needsSnapshot)
    }

    /// A token with another view came and went while the page was in transit: the rows before it are gone.
    @Test func aPageOfASnapshotThatWasGivenUpIsNoBeginning() throws {
        let it = try LayerFixture(records: [])
        try it.layer.restartSnapshot()
        let first = SnapshotPage(epoch: "e", at: 3, records: [item("1", "one", 0)], next: "1")
        _ = try it.layer.take(first, for: Layer.NextPage())
        let asked = try #require(try it.layer.nextPage(epoch: "e"))
        try it.layer.restartSnapshot()
        let second = SnapshotPage(epoch: "e", at: 3, records: [item("2", "two", 3)], next: nil)
        _ = try it.layer.take(second, for: asked)
        #expect(try it.layer.nextPage(epoch: "e") == Layer.NextPage())
        #expect(try it.text("2") == nil)
    }

    /// A delete behind a lost edit may vanish silently only when nothing is left to delete.
    @Test(arguments: [(SyncItem.removed("2", 4), true), (item("2", "theirs", 4), false)])
    func aDeleteBehindALostEditIsForgottenOnlyWithItsRecord(winner: SyncItem, isForgotten: Bool) throws {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("mine"), at: it.now)
        let request = try #require(try it.layer.seal())
        try it.layer.delete("2", at: it.now)
        let lost = ChangeResult(n: 1, status: .conflict, reason: "because", item: winner)
        _ = try it.layer.take(PushAnswer(results: [lost], delta: nil), to: request, newClientID: "new")
        #expect(try it.layer.conflicts().map(\.kind) == (isForgotten ? [] : [.delete]))
    }

    /// Whether the create was applied is unknown until recovery ends, so a delete does not cancel it.
    @Test func aDeleteIsKeptWhileTheServerIsLookedThrough() throws {
        let it = try LayerFixture()
        try it.layer.create(note("new"), id: "n", author: nil, at: it.now)
        let sent = try #require(try it.layer.seal()?.changes.first?.content)
        try it.accept(it.grant(), generation: "g2", head: 3)
        try it.layer.delete("n", at: it.now)
        // It was applied before the backup was made.
        let taken = Record(id: "n", content: sent, createdBy: "ana", updatedBy: "ana", group: nil)
        try it.take([StoredRecord(taken, 3)], epoch: "eg2")
        #expect(try it.text("n") == nil)
        #expect(try it.layer.seal()?.changes.map { "\($0.kind) \($0.id)" } == ["delete n"])
    }

    /// The server may have it under an earlier number, out of sight, so a deletion does not cancel it.
    @Test func aDeletionWaitsBehindACreationThatIsPutAsideAndWasSentBefore() throws {
        let it = try LayerFixture()
        try it.layer.create(note("new"), id: "n", author: nil, at: it.now)
        _ = try it.layer.seal()
        try it.accept(it.grant(), generation: "g2", head: 3)
        try it.layer.delete("n", at: it.now)
        try it.take([], epoch: "eg2")
        #expect(try it.layer.seal()?.changes.map { "\($0.kind) \($0.id)" } == ["create n"])
        _ = try it.layer.take(filler: ChangeResult(n: 1, status: .gone, revision: nil), because: "refused")
        #expect(try it.layer.outbox().map(\.kind) == [.create, .delete])
        #expect(try it.text("n") == nil)
    }

    /// No other client has written the record, so nothing forbids the undo.
    @Test(arguments: [true, false])
    func aCreationThatIsPutAsideAndWasSentBeforeCanBeMendedOrUndone(isMended: Bool) throws {
        let it = try LayerFixture()
        let receipt = try it.layer.create(note("new"), id: "n", author: nil, at: it.now)
        _ = try it.layer.seal()
        try it.accept(it.grant(), generation: "g2", head: 3)
        try it.take([], epoch: "eg2")
        _ = try it.layer.seal()
        _ = try it.layer.take(filler: ChangeResult(n: 1, status: .gone, revision: nil), because: "refused")
        guard !isMended else {
            let mended = try it.layer.update("n", content: note("better"), at: it.now)
            #expect(try it.layer.outbox().map(\.kind) == [.create] && it.text("n") == "better")
            _ = try it.layer.undo(mended, at: it.now)
            #expect(try it.text("n") == "new")
            return
        }
        _ = try it.layer.undo(receipt, at: it.now)
        #expect(try it.layer.outbox().map(\.kind) == [.create, .delete] && it.text("n") == nil)
    }

    /// They were only appended while the server was looked through, so that the deletion did not take the text up.
    @Test(arguments: [true, false]) func aTextBeforeADeletionThatIsUndoneIsKept(early: Bool) throws {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("one"), at: it.now)
        _ = try it.layer.seal()
        try it.accept(it.grant(), generation: "g2", head: 3)
        try it.layer.update("2", content: note("two"), at: it.now)
        let deletion = try it.layer.delete("2", at: it.now)
        if early { _ = try it.layer.undo(deletion, at: it.now) }
        try it.take([stored("2", "two", 3)], epoch: "eg2")
        let sent = try #require(try it.layer.seal()?.changes)
        #expect(sent.map { $0.content?["text"]?.string } == ["one"])
        _ = try it.layer.take(filler: ChangeResult(n: 1, status: .gone, revision: nil), because: "refused")
        if !early { _ = try it.layer.undo(deletion, at: it.now) }
        #expect(try it.text("2") == "two")
        #expect(try it.layer.outbox().contains { $0.content?["text"]?.string == "two" })
    }

    /// The server lost two applied edits, and a third one waits: the newest text is stored.
    @Test func ofEditsThatTheServerLostTheNewestIsKept() throws {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("one"), at: it.now)
        try it.push((.applied, 4))
        try it.layer.update("2", content: note("two"), at: it.now)
        try it.push((.applied, 5))
        try it.layer.update("2", content: note("three"), at: it.now)
        try it.accept(it.grant(), generation: "g2", head: 3)
        try it.take([stored("2", "before", 3)], epoch: "eg2")
        #expect(try it.layer.conflicts().map { $0.mine?["text"]?.string } == ["three"])
    }

    /// The server was restored while a narrower token was in force: a record missing from the snapshot proves nothing.
    @Test(arguments: [ChangeKind.delete, .update])
    func anEditOfWhatIsOutOfSightOutlivesARestoredServer(kind: ChangeKind) throws {
        let it = try LayerFixture()
        if kind == .delete {
            try it.layer.delete("2", at: it.now)
        } else {
            try it.layer.update("2", content: note("mine"), at: it.now)
        }
        let comments = Permission(.comments, .view, .all)
        try it.accept(it.grant(collaboration: [comments]), generation: "g2", head: 3)
        try it.take([], epoch: "eg2")
        #expect(try it.layer.conflicts().map(\.kind) == [kind])
    }

    /// An edit was not sent because a delete followed, and the delete was undone: only this store has the text.
    @Test func textThatADeleteSwallowedOutlivesARestoredServer() throws {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("mine"), at: it.now)
        let receipt = try it.layer.delete("2", at: it.now)
        try it.push((.applied, 4))
        try it.layer.undo(receipt, at: it.now)
        try it.accept(it.grant(), generation: "g2", head: 3)
        try it.take([stored("2", "two", 3)], epoch: "eg2")
        #expect(try it.layer.conflicts().map { $0.mine?["text"]?.string } == ["mine"])
    }

    /// During recovery nothing cancels out: edit, delete and restore all stay queued.
    @Test func aDeleteTakenBackWhileTheServerIsLookedThroughLosesNoText() throws {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("mine"), at: it.now)
        try it.accept(it.grant(), generation: "g2", head: 3)
        let receipt = try it.layer.delete("2", at: it.now)
        try it.layer.undo(receipt, at: it.now)
        try it.take([stored("2", "theirs", 3)], epoch: "eg2")
        let conflict = try #require(try it.layer.conflicts().first)
        #expect(conflict.mine?["text"]?.string == "mine")
        #expect(conflict.kind == .update)
    }

    /// The edit under a delete was discarded in the meantime: undoing the delete shows and returns the remaining text.
    @Test func takingADeleteBackSaysWhatIsLeft() throws {
        let it = try LayerFixture()
        try it.layer.create(note("first"), id: "n", author: nil, at: it.now)
        try it.accept(it.grant(), generation: "g2", head: 3)
        try it.layer.update("n", content: note("second"), at: it.now)
        let delete = try it.layer.delete("n", at: it.now)
        try it.take([], epoch: "eg2")
        let waiting = try #require(try it.layer.outbox().first { $0.kind == .update })
        try it.layer.discard(waiting.seq)
        let undone = try it.layer.undo(delete, at: it.now)
        #expect(try it.text("n") == "first")
        #expect(undone.after?.content["text"]?.string == "first")
        // This can be undone too.
        try it.layer.undo(undone, at: it.now)
        #expect(try it.text("n") == nil)
    }

    /// A refused create keeps its later edits: undoing one of them sends nothing by itself.
    @Test func takingAnEditBackSendsNoUpdateOfWhatWasRefused() throws {
        let it = try LayerFixture()
        try it.layer.create(note("one"), id: "n", author: nil, at: it.now)
        _ = try it.layer.seal()
        try it.layer.update("n", content: note("two"), at: it.now)
        let third = try it.layer.update("n", content: note("three"), at: it.now)
        try it.push((.denied, nil))
        _ = try? it.layer.undo(third, at: it.now)
        #expect(try it.layer.outbox().map(\.kind) == [.create])
        #expect(try it.layer.seal() == nil)
        let fourth = try it.layer.update("n", content: note("four"), at: it.now)
        #expect(fourth.after?.content["text"]?.string == "four")
        #expect(try it.layer.seal()?.changes.map { "\($0.kind) \($0.id)" } == ["create n"])
    }

    /// A conflict keeps a later edit: undoing that one sends nothing in addition, because the response would overwrite
    /// the next edit.
    @Test func takingAnEditBackSendsNothingBesideItsConflict() throws {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("one"), at: it.now)
        let first = try #require(try it.layer.seal())
        try it.layer.update("2", content: note("two"), at: it.now)
        let third = try it.layer.update("2", content: note("three"), at: it.now)
        let gone = ChangeResult(n: 1, status: .gone, reason: "because")
        _ = try it.layer.take(PushAnswer(results: [gone], delta: nil), to: first, newClientID: "new")
        try it.pull(.removed("2", 4), upTo: 4)
        #expect(throws: EditError.self) { try it.layer.undo(third, at: it.now) }
        try it.layer.update("2", content: note("four"), at: it.now)
        #expect(try it.layer.seal() == nil)
        #expect(try it.layer.conflicts().map { $0.mine?["text"]?.string } == ["four"])
    }

    /// A create was applied and its response lost. Another user deleted the record. The server was restored from a
    /// backup, which drops stored responses, and later pruned the deletion. Neither side knows that the create was ever
    /// applied, so it is sent and applied again.
    @Test func aCreateWhoseAnswerAndDeletionAreForgottenIsAppliedAgain() throws {
        let it = try LayerFixture()
        let server = try SimulatedServer(base: [])
        try it.layer.create(note("new"), id: "n", author: nil, at: it.now)
        let lost = try #require(try it.layer.seal())
        let (mine, other) = (it.grant(), it.grant(user: "bo"))
        var first = lost
        first.cursor = nil
        #expect(try server.push(first, by: mine, at: it.now).results.map(\.status) == [.applied])
        #expect(try server.push(first, by: mine, at: it.now).results.map(\.revision) == [1], "answered as before")
        let delete = Change(n: 1, kind: .delete, id: "n", baseRevision: 1, group: nil)
        let deleting = PushRequest(clientID: "bo", acked: 0, cursor: nil, changes: [delete])
        #expect(try server.push(deleting, by: other, at: it.now).results.map(\.status) == [.applied])
        try server.restore()
        // While the deletion is stored, the id is taken, and the user decides.
        try it.accept(it.grant(), generation: "g2", head: 3)
        try it.take([], epoch: "eg2")
        var again = try #require(try it.layer.seal())
        #expect(again.clientID != lost.clientID)
        again.cursor = nil
        var early = again
        early.clientID = "early"
        #expect(try server.push(early, by: mine, at: it.now).results.map(\.status) == [.gone])
        try server.prune(by: mine, before: it.now + 1)
        #expect(try server.push(again, by: mine, at: it.now).results.map(\.status) == [.applied])
    }

    /// An unsent text was dropped with a delete, was to follow its restore, and was dropped with a second delete while
    /// the restore was in transit.
    @Test func aTextThatWasNeverSentComesBackWithTheSecondUndo() throws {
        let it = try LayerFixture()
        var revision: Revision = 10
        func send(_ kind: ChangeKind) throws -> PushRequest {
            let request = try #require(try it.layer.seal())
            #expect(request.changes.map(\.kind) == [kind])
            return request
        }
        func answer(_ request: PushRequest) throws {
            revision += 1
            let result = ChangeResult(n: request.changes[0].n, status: .applied, revision: revision)
            _ = try it.layer.take(PushAnswer(results: [result], delta: nil), to: request, newClientID: "new")
        }
        try it.layer.update("2", content: note("four"), at: it.now)
        let first = try it.layer.delete("2", at: it.now)
        try answer(try send(.delete))
        try it.layer.undo(first, at: it.now)
        let restoring = try send(.restore)
        let second = try it.layer.delete("2", at: it.now)
        try answer(restoring)
        try answer(try send(.delete))
        try it.layer.undo(second, at: it.now)
        #expect(try it.text("2") == "four")
        try answer(try send(.restore))
        #expect(try send(.update).changes[0].content?["text"]?.string == "four")
    }

    /// The stream was faster than the response: the server lost nothing.
    @Test func aSessionAnswerThatComesLateIsNoRestoredServer() throws {
        let it = try LayerFixture()
        let seen = try it.layer.metadata().cursor?.revision
        try it.pull(item("1", "newer", 4), upTo: 4)
        let answer = SessionAnswer(
            grant: it.grant(), now: it.now, generation: "g", epoch: "e", head: 3, pdfSHA256: "pdf", pdfBytes: 1,
            title: "T")
        let accepted = try it.layer.accept(answer, seen: seen, now: it.now, newClientID: "other")
        #expect(!accepted.changes.startedAnew)
        #expect(try it.layer.metadata().clientID == "me")
        #expect(try it.layer.metadata().cursor?.revision == 4)
    }

    /// A deletion and its undo were only appended during a recovery. Without the deletion, the undo cancelled out the next one, and
    /// the note was sent.
    @Test func aDroppedDeletionTakesItsUndoAlong() throws {
        let it = try LayerFixture()
        try it.accept(it.grant(), generation: "g2", head: 3)
        try it.layer.create(note("new"), id: "n", author: nil, at: it.now)
        let deletion = try it.layer.delete("n", at: it.now)
        try it.layer.undo(deletion, at: it.now)
        #expect(try it.layer.outbox().map(\.kind) == [.create, .delete, .restore])
        try it.layer.discard(it.layer.outbox()[1].seq)
        #expect(try it.layer.outbox().map(\.kind) == [.create])
        #expect(try it.text("n") == "new")
        try it.take([], epoch: "eg2")
        try it.layer.delete("n", at: it.now)
        #expect(try it.layer.outbox().isEmpty)
    }

    /// The server had not found the record, which was out of sight, and the answer was lost. The next token may view it, and the
    /// store has not received it yet: the deletion was taken for done.
    @Test func aDeletionIsNotDoneWhileItsRecordMayStillArrive() throws {
        let it = try LayerFixture()
        try it.layer.delete("2", at: it.now)
        _ = try it.layer.seal()
        try it.pull(.removed("2", 4), upTo: 4)
        let narrow = it.grant(collaboration: [
            Permission(.annotations, .view, .group("a")), Permission(.annotations, .delete, .group("a")),
        ])
        try it.accept(narrow, epoch: "other", head: 4)
        #expect(try it.layer.metadata().cursor == nil)
        _ = try it.layer.take(filler: ChangeResult(n: 1, status: .mismatch, revision: nil), because: "refused")
        #expect(try it.layer.outbox().map { "\($0.kind) \($0.id) \($0.stage)" } == ["delete 2 waiting"])
    }

    /// The deletion that goes with the root joined the conflict: the text was lost, and the comment waited forever.
    @Test func aTextInConflictOutlivesADeletedRootThatNeverArrived() throws {
        let it = try LayerFixture()
        _ = try it.layer.beginThread(note("root"), id: "r", .plain("words"), commentID: "c", author: nil, at: it.now)
        _ = try it.layer.seal()
        let read = try #require(try it.layer.record("c")).content
        try it.layer.update("c", content: read.changing { $0["text"] = "first" }, at: it.now)
        try it.layer.update("c", content: read.changing { $0["text"] = "mine" }, over: read, at: it.now)
        try it.layer.delete("r", at: it.now)
        _ = try it.layer.take(filler: ChangeResult(n: 1, status: .gone, revision: nil), because: "refused")
        #expect(
            try it.layer.outbox().map { "\($0.kind) \($0.id) \($0.stage)" } == [
                "create c sealed", "update c conflict", "delete c waiting",
            ])
        _ = try it.layer.take(filler: ChangeResult(n: 2, status: .gone, revision: nil), because: "refused")
        #expect(try it.layer.outbox().map { "\($0.kind) \($0.id) \($0.stage)" } == ["update c conflict"])
        #expect(try it.layer.conflicts().map { $0.mine?["text"]?.string } == ["mine"])
    }

    /// A restore and the next deletion cancelled each other out although the server had the record again.
    @Test func whatIsBackWithoutTheRestoreIsStillDeleted() throws {
        let it = try LayerFixture()
        let deletion = try it.layer.delete("2", at: it.now)
        try it.push((.applied, 4))
        try it.pull(.removed("2", 4), upTo: 4)
        _ = try it.layer.undo(deletion, at: it.now)
        try it.pull(item("2", "two", 5), upTo: 5)
        try it.layer.delete("2", at: it.now)
        #expect(try it.layer.outbox().last?.kind == .delete)
        #expect(try it.text("2") == nil)
        #expect(try it.layer.seal()?.changes.map(\.kind) == [.restore])
        let request = try #require(try it.layer.seal())
        try it.answer(request, revision: 6)
        #expect(try it.layer.seal()?.changes.map(\.kind) == [.delete])
    }
}
