import Annotations
import SyncProtocol
import Testing

@testable import InstantCore

@Suite struct UndoTests {
    /// A receipt as it is read back after a restart.
    private func readBack(_ receipt: EditReceipt) throws -> EditReceipt {
        let text = receipt.json.text
        let read = try #require(EditReceipt(json: JSON(parsing: text)))
        #expect(read == receipt && read.json.text == text)
        return read
    }

    @Test func receiptsReadBackUndoEveryKindOfEdit() throws {
        let it = try LayerFixture()
        let updated = try readBack(it.layer.update("1", content: note("mine"), at: it.now))
        let again = try readBack(it.layer.update("1", content: note("mine, again"), at: it.now))
        let deleted = try readBack(it.layer.delete("1", at: it.now))
        let created = try readBack(it.layer.create(note("new"), id: "n", author: nil, at: it.now))
        let dropped = try readBack(it.layer.delete("n", at: it.now))
        #expect(deleted.previous != nil && dropped.previous?.kind == .create)
        try it.layer.undo(dropped, at: it.now)
        #expect(try it.text("n") == "new")
        try it.layer.undo(created, at: it.now)
        #expect(try it.text("n") == nil)
        try it.layer.undo(deleted, at: it.now)
        #expect(try it.text("1") == "mine, again")
        try it.layer.undo(again, at: it.now)
        try it.layer.undo(updated, at: it.now)
        #expect(try it.text("1") == "one")
        #expect(try it.layer.outbox().isEmpty)
    }

    @Test func aReceiptReadBackRestoresWhatWasSent() throws {
        let it = try LayerFixture()
        let receipt = try readBack(it.layer.delete("2", at: it.now))
        try it.push((.applied, 4))
        try it.pull(.removed("2", 4), upTo: 4)
        try it.layer.undo(receipt, at: it.now)
        #expect(try it.layer.seal()?.changes.map(\.kind) == [.restore])
    }

    @Test func damagedReceiptsAreNotRead() throws {
        let it = try LayerFixture()
        try it.layer.update("1", content: note("mine"), at: it.now)
        let json = try it.layer.delete("1", at: it.now).json
        for member in ["id", "kind", "seq"] {
            var object = try #require(json.object)
            object[member] = "?"
            if member == "id" { object[member] = "a b" }
            #expect(EditReceipt(json: .object(object)) == nil, "\(member)")
        }
        for member in ["before", "previous"] {
            var object = try #require(json.object)
            object[member] = ["id": "1"]
            #expect(EditReceipt(json: .object(object)) == nil, "\(member)")
        }
    }

    /// The numbers of a store that was loaded anew mean other edits.
    @Test func aReceiptFromAnotherStoreTouchesNoOtherRecord() throws {
        let old = try LayerFixture()
        let receipt = try old.layer.update("1", content: note("mine"), at: old.now)
        let it = try LayerFixture(records: [stored("1", "mine", 3), stored("2", "two", 3)])
        let other = try it.layer.update("2", content: note("unsent"), at: it.now)
        #expect(other.seq == receipt.seq)
        #expect(throws: EditError.self) { try it.layer.undo(receipt, at: it.now) }
        #expect(try it.text("2") == "unsent")
        #expect(try it.layer.outbox().count == 1)
    }

    @Test func aDeleteCanBeUndoneAfterTheLayerWasLoadedAnew() throws {
        let it = try LayerFixture()
        let receipt = try it.layer.delete("2", at: it.now)
        try it.push((.applied, 4))
        try it.layer.restartSnapshot()
        try it.take([stored("1", "one", 0)], at: 4)
        #expect(try it.text("2") == nil)
        try it.layer.undo(receipt, at: it.now)
        #expect(try it.layer.seal()?.changes.map(\.kind) == [.restore])
    }

    @Test func aRecordThatSomeoneElseDeletedIsTheirs() throws {
        let it = try LayerFixture()
        let receipt = try it.layer.update("2", content: note("mine"), at: it.now)
        try it.push((.applied, 4))
        try it.pull(item("2", "mine", 4, by: "ana"), upTo: 4)
        try it.pull(.removed("2", .max), upTo: 5)
        #expect(throws: EditError.self) { try it.layer.undo(receipt, at: it.now) }
    }

    @Test func anUnsealedEditIsUndoneAsIfItHadNeverBeen() throws {
        let it = try LayerFixture()
        let receipt = try it.layer.update("1", content: note("mine"), at: it.now)
        let redo = try it.layer.undo(receipt, at: it.now)
        #expect(try it.text("1") == "one")
        #expect(try it.layer.seal() == nil)
        _ = redo
    }

    @Test func eachOfSeveralMergedEditsIsUndoneByItself() throws {
        let it = try LayerFixture()
        let first = try it.layer.update("1", content: note("first"), at: it.now)
        let second = try it.layer.update("1", content: note("second"), at: it.now)
        let third = try it.layer.delete("1", at: it.now)
        try it.layer.undo(third, at: it.now)
        #expect(try it.text("1") == "second")
        try it.layer.undo(second, at: it.now)
        #expect(try it.text("1") == "first")
        try it.layer.undo(first, at: it.now)
        #expect(try it.text("1") == "one")
        #expect(try it.layer.seal() == nil)
    }

    @Test func aCreateThatWasDeletedComesBack() throws {
        let it = try LayerFixture()
        try it.layer.create(note("a"), id: "n", author: nil, at: it.now)
        let receipt = try it.layer.delete("n", at: it.now)
        try it.layer.undo(receipt, at: it.now)
        #expect(try it.text("n") == "a")
        #expect(try it.layer.seal()?.changes.map(\.kind) == [.create])
    }

    /// A record that is created, changed, deleted and undone before anything is sent is still one record.
    @Test func anUnsentRecordIsMadeOnce() throws {
        let it = try LayerFixture()
        let created = try it.layer.create(note("a"), id: "n", author: nil, at: it.now)
        let updated = try it.layer.update("n", content: note("b"), at: it.now)
        let deleted = try it.layer.delete("n", at: it.now)
        try it.layer.undo(deleted, at: it.now)
        #expect(try it.text("n") == "b")
        let redo = try it.layer.undo(updated, at: it.now)
        #expect(try it.text("n") == "a")
        let again = try it.layer.undo(redo, at: it.now)
        #expect(try it.text("n") == "b")
        #expect(try it.layer.outbox().map(\.kind) == [.create])
        try it.layer.undo(again, at: it.now)
        try it.layer.undo(created, at: it.now)
        #expect(try it.layer.outbox().isEmpty)
    }

    @Test func aRecordThatIsOnItsWayIsNotMadeOnceMore() throws {
        let it = try LayerFixture()
        try it.layer.create(note("a"), id: "n", author: nil, at: it.now)
        let updated = try it.layer.update("n", content: note("b"), at: it.now)
        let deleted = try it.layer.delete("n", at: it.now)
        try it.layer.undo(deleted, at: it.now)
        let request = try #require(try it.layer.seal())
        #expect(request.changes.map(\.kind) == [.create])
        try it.layer.undo(updated, at: it.now)
        #expect(try it.text("n") == "a")
        #expect(try it.layer.outbox().map(\.kind) == [.create, .update])
        try it.layer.delete("n", at: it.now)
        try it.answer(request, revision: 11)
        #expect(try it.layer.seal()?.changes.map(\.kind) == [.delete])
    }

    // A restore carries a text that the server has never seen, and an edit waits behind it when the restore is
    // answered. After undoing the edit, that text must still be sent.

    @Test func aTextBehindARestoreIsSentAfterADeleteWasTakenBack() throws {
        let (it, restored, request) = try unsentTextBehindARestore()
        let deleted = try it.layer.undo(restored, at: it.now)
        try it.answer(request, revision: 5)
        let back = try it.layer.undo(deleted, at: it.now)
        #expect(try it.text("2") == "mine")
        #expect(try it.layer.outbox().filter(\.isUnsealed).map(\.kind) == [.update])
        let gone = try it.layer.undo(back, at: it.now)
        #expect(try it.text("2") == nil)
        try it.layer.undo(gone, at: it.now)
        try expectMineIsSent(it)
    }

    @Test func aTextBehindARestoreIsSentAfterADeleteWasDoneAgain() throws {
        let (it, restored, request) = try unsentTextBehindARestore()
        let deleted = try it.layer.undo(restored, at: it.now)
        let back = try it.layer.undo(deleted, at: it.now)
        let deletedAgain = try it.layer.undo(back, at: it.now)
        #expect(try it.text("2") == nil)
        try it.answer(request, revision: 5)
        try it.layer.undo(deletedAgain, at: it.now)
        try expectMineIsSent(it)
    }

    @Test func aTextBehindARestoreIsSentAfterAnEditWasTakenBack() throws {
        let (it, _, request) = try unsentTextBehindARestore()
        let edited = try it.layer.update("2", content: note("newer"), at: it.now)
        try it.answer(request, revision: 5)
        let back = try it.layer.undo(edited, at: it.now)
        #expect(try it.text("2") == "mine")
        try it.layer.undo(back, at: it.now)
        #expect(try it.text("2") == "newer")
    }

    /// Changes by others in the meantime are not overwritten: the server detects the conflict.
    @Test func aTextBehindARestoreIsSentOnTopOfTheRestore() throws {
        let (it, restored, request) = try unsentTextBehindARestore()
        let deleted = try it.layer.undo(restored, at: it.now)
        try it.answer(request, revision: 5)
        try it.pull(item("2", "theirs", 6, by: "ana"), upTo: 6)
        try it.layer.undo(deleted, at: it.now)
        try expectMineIsSent(it)
    }

    /// Record "2" was changed to "mine" and deleted before anything was sent; its restore is in transit.
    private func unsentTextBehindARestore() throws -> (LayerFixture, EditReceipt, PushRequest) {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("mine"), at: it.now)
        let deleted = try it.layer.delete("2", at: it.now)
        try it.push((.applied, 4))
        let restored = try it.layer.undo(deleted, at: it.now)
        return (it, restored, try #require(try it.layer.seal()))
    }

    private func expectMineIsSent(_ it: LayerFixture) throws {
        #expect(try it.text("2") == "mine")
        let change = try #require(try it.layer.seal()?.changes.first)
        #expect(change.kind == .update && change.baseRevision == 5)
        #expect(change.content?["text"]?.string == "mine")
    }

    @Test func anAppliedUpdateIsUndoneByAnother() throws {
        let it = try LayerFixture()
        let receipt = try it.layer.update("2", content: note("mine"), at: it.now)
        try it.push((.applied, 4))
        try it.pull(item("2", "mine", 4, by: "ana"), upTo: 4)
        try it.layer.undo(receipt, at: it.now)
        let change = try #require(try it.layer.seal()?.changes.first)
        #expect(change.kind == .update)
        #expect(change.baseRevision == 4)
        #expect(change.content?["text"]?.string == "two")
    }

    @Test func severalAppliedEditsAreUndoneOneAfterTheOther() throws {
        let it = try LayerFixture()
        let first = try it.layer.update("2", content: note("first"), at: it.now)
        try it.push((.applied, 4))
        let second = try it.layer.update("2", content: note("second"), at: it.now)
        try it.push((.applied, 5))
        try it.layer.undo(second, at: it.now)
        try it.push((.applied, 6))
        try it.layer.undo(first, at: it.now)
        #expect(try it.text("2") == "two")
    }

    @Test func whatSomeoneElseWroteToIsNotUndone() throws {
        let it = try LayerFixture()
        let receipt = try it.layer.update("2", content: note("mine"), at: it.now)
        try it.push((.applied, 4))
        try it.pull(item("2", "mine", 5), upTo: 5)
        #expect(throws: EditError.cannotUndo("someone else has changed it since")) {
            try it.layer.undo(receipt, at: it.now)
        }
        try it.pull(item("2", "theirs", 6), upTo: 6)
        #expect(throws: EditError.cannotUndo("it has been changed since")) {
            try it.layer.undo(receipt, at: it.now)
        }
    }

    @Test func aSentDeleteIsRestored() throws {
        let it = try LayerFixture()
        let receipt = try it.layer.delete("2", at: it.now)
        try it.push((.applied, 4))
        try it.pull(.removed("2", 4), upTo: 4)
        let redo = try it.layer.undo(receipt, at: it.now)
        #expect(try it.text("2") == "two")
        let change = try #require(try it.layer.seal()?.changes.first)
        #expect(change.kind == .restore)
        #expect(change.baseRevision == 4)
        #expect(change.content == nil)
        #expect(redo.after != nil)
    }

    @Test func aDeleteStillInFlightIsRestoredOnceItIsAnswered() throws {
        let it = try LayerFixture()
        let receipt = try it.layer.delete("2", at: it.now)
        let flying = try #require(try it.layer.seal())
        try it.layer.undo(receipt, at: it.now)
        #expect(try it.text("2") == "two")
        #expect(try it.layer.seal()?.changes == flying.changes)
        try it.push((.applied, 8))
        let change = try #require(try it.layer.seal()?.changes.first)
        #expect(change.kind == .restore)
        #expect(change.baseRevision == 8)
    }

    // MARK: Resolved conflicts

    private func conflicting(_ status: ChangeResult.Status, item: SyncItem?) throws -> LayerFixture {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("mine"), at: it.now)
        let request = try #require(try it.layer.seal())
        let result = ChangeResult(n: 1, status: status, item: item)
        _ = try it.layer.take(PushAnswer(results: [result], delta: nil), to: request, newClientID: "new")
        return it
    }

    @Test func undoingAResolutionOpensTheConflictAgain() throws {
        let it = try conflicting(.conflict, item: item("2", "theirs", 9))
        let conflict = try #require(try it.layer.conflicts().first)
        let sent = try #require(try it.layer.resolve(conflict.id, .mine, newID: "x", at: it.now))
        let undone = try it.layer.undo(try readBack(sent), at: it.now)
        #expect(try it.text("2") == "theirs")
        #expect(try it.layer.conflicts().map { $0.mine?["text"]?.string } == ["mine"])
        #expect(try it.layer.seal() == nil)
        #expect(try it.delivery("2") == .conflict)
        let again = try it.layer.undo(try readBack(undone), at: it.now)
        #expect(try it.layer.conflicts().isEmpty)
        #expect(try it.layer.outbox().map { $0.content?["text"]?.string } == ["mine"])
        try it.layer.undo(again, at: it.now)
        #expect(try it.layer.conflicts().map { $0.mine?["text"]?.string } == ["mine"])
        #expect(try it.layer.outbox().count == 1)
    }

    @Test func undoingARecordThatTookThePlaceOfALostOneOpensTheConflictAgain() throws {
        let it = try conflicting(.gone, item: nil)
        try it.pull(.removed("2", 9), upTo: 9)
        let conflict = try #require(try it.layer.conflicts().first)
        let sent = try #require(try it.layer.resolve(conflict.id, .mine, newID: "x", at: it.now))
        let undone = try it.layer.undo(sent, at: it.now)
        #expect(try it.text("x") == nil && it.text("2") == "mine")
        #expect(try it.layer.conflicts().count == 1 && it.layer.outbox().count == 1)
        try it.layer.undo(undone, at: it.now)
        #expect(try it.text("x") == "mine" && it.text("2") == nil)
        #expect(try it.layer.outbox().map(\.id) == ["x"])
    }

    @Test func undoingAMergedResolutionKeepsBothVersions() throws {
        let it = try conflicting(.conflict, item: item("2", "theirs", 9))
        let conflict = try #require(try it.layer.conflicts().first)
        let sent = try #require(try it.layer.resolve(conflict.id, .merged(note("both")), newID: "x", at: it.now))
        try it.layer.undo(sent, at: it.now)
        let open = try #require(try it.layer.conflicts().first)
        #expect(open.mine?["text"]?.string == "mine" && open.theirs?.content["text"]?.string == "theirs")
    }

    /// The delete replaced an update that was never sent, so the server restores an older text.
    @Test func aRestoreBringsBackWhatTheServerNeverSaw() throws {
        let it = try LayerFixture()
        _ = try it.layer.update("2", content: note("mine"), at: it.now)
        let receipt = try it.layer.delete("2", at: it.now)
        try it.push((.applied, 4))
        try it.pull(.removed("2", 4), upTo: 4)
        try it.layer.undo(receipt, at: it.now)
        #expect(try it.text("2") == "mine")
        try it.push((.applied, 5))
        #expect(try it.text("2") == "mine")
        try it.pull(item("2", "two", 5, by: "ana"), upTo: 5)
        #expect(try it.text("2") == "mine")
        let change = try #require(try it.layer.seal()?.changes.first)
        #expect(change.kind == .update)
        #expect(change.baseRevision == 5)
        #expect(change.content?["text"]?.string == "mine")
    }

    @Test func whatWasEditedAfterARestoreIsWhatIsSent() throws {
        let it = try LayerFixture()
        _ = try it.layer.update("2", content: note("mine"), at: it.now)
        let receipt = try it.layer.delete("2", at: it.now)
        try it.push((.applied, 4))
        try it.layer.undo(receipt, at: it.now)
        _ = try it.layer.update("2", content: note("newer"), at: it.now)
        try it.push((.applied, 5))
        #expect(try it.text("2") == "newer")
        #expect(try it.layer.seal()?.changes.map { $0.content?["text"]?.string } == ["newer"])
    }

    /// The delete is undone and repeated while the first one is in transit: the final restore uses the revision from
    /// the first delete's response.
    @Test func aRestoreThatWasTakenBackAndForthFollowsTheAnswer() throws {
        let it = try LayerFixture()
        let first = try it.layer.delete("2", at: it.now)
        let flying = try #require(try it.layer.seal())
        try it.layer.undo(first, at: it.now)
        let second = try it.layer.delete("2", at: it.now)
        #expect(try it.text("2") == nil)
        #expect(try it.layer.seal()?.changes == flying.changes)
        try it.push((.applied, 8))
        try it.layer.undo(second, at: it.now)
        let change = try #require(try it.layer.seal()?.changes.first)
        #expect(change.kind == .restore)
        #expect(change.baseRevision == 8)
    }

    @Test func whatAnUndoLeavesWaitingFollowsTheAnswerToo() throws {
        let it = try LayerFixture()
        _ = try it.layer.update("2", content: note("first"), at: it.now)
        _ = try it.layer.seal()
        _ = try it.layer.update("2", content: note("second"), at: it.now)
        let third = try it.layer.update("2", content: note("third"), at: it.now)
        try it.push((.applied, 8))
        try it.layer.undo(third, at: it.now)
        let change = try #require(try it.layer.seal()?.changes.first)
        #expect(change.content?["text"]?.string == "second")
        #expect(change.baseRevision == 8)
    }

    @Test func anAppliedCreateIsUndoneByADelete() throws {
        let it = try LayerFixture()
        let receipt = try it.layer.create(note("a"), id: "n", author: nil, at: it.now)
        try it.push((.applied, 4))
        try it.layer.undo(receipt, at: it.now)
        #expect(try it.text("n") == nil)
        #expect(try it.layer.seal()?.changes.map(\.kind) == [.delete])
    }

    @Test func anUndoCanBeUndone() throws {
        let it = try LayerFixture()
        let receipt = try it.layer.update("2", content: note("mine"), at: it.now)
        try it.push((.applied, 4))
        let undo = try it.layer.undo(receipt, at: it.now)
        #expect(try it.text("2") == "two")
        try it.layer.undo(undo, at: it.now)
        #expect(try it.text("2") == "mine")
    }
}
