import Annotations
import Authorization
import InstantCore
import SyncProtocol
import Testing

/// After the server is restored from a backup, the client searches the server's records for its own writes.
@Suite("Restored backups") struct RecoveryTests {
    @Test func nothingIsSentBeforeASnapshotTellsWhereEverythingStands() throws {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("waits"), at: it.now)
        try it.accept(it.grant(), generation: "g2", head: 2)
        #expect(try it.layer.metadata().clientID == "me-g2")
        #expect(try it.layer.hasUnsent())
        #expect(try it.layer.seal() == nil)
        try it.restore([stored("1", "one", 0), stored("2", "two", 2)])
        // The same text has another revision: the edit uses it as its base.
        #expect(try it.layer.seal()?.changes.map { [$0.n, $0.baseRevision] } == [[1, 2]])
    }

    @Test func anEditOnWhatTheServerNoLongerHasIsAConflict() throws {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("mine"), at: it.now)
        try it.accept(it.grant(), generation: "g2", head: 1)
        try it.restore([stored("1", "one", 0), stored("2", "before two", 1)])
        let conflict = try #require(try it.layer.conflicts().first)
        #expect(conflict.base.map { Annotation($0).text } == "two")
        #expect(conflict.mine?["text"]?.string == "mine")
        #expect(conflict.theirs.map { Annotation($0).text } == "before two")
        #expect(try it.text("2") == "before two")
        #expect(try it.delivery("2") == .conflict)
    }

    /// An edit that was applied, then lost with the restore, whether or not the outbox still lists it.
    @Test(arguments: [true, false])
    func anAppliedEditThatTheServerLostIsAConflict(isForgotten: Bool) throws {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("mine"), at: it.now)
        try it.push((.applied, 4))
        if isForgotten { try it.pull(item("2", "mine", 4, by: "ana"), upTo: 4) }
        try it.accept(it.grant(), generation: "g2", head: 3)
        try it.restore([stored("1", "one", 0), stored("2", "two", 3)])
        #expect(try it.layer.conflicts().map { $0.mine?["text"]?.string } == ["mine"])
        #expect(try it.text("2") == "two")
        // It can be sent again.
        try it.layer.resolve(try #require(try it.layer.conflicts().first).id, .mine, newID: "new", at: it.now)
        #expect(try it.layer.seal()?.changes.map(\.baseRevision) == [3])
    }

    @Test(arguments: [true, false])
    func anAppliedEditThatTheServerKeptIsDone(isForgotten: Bool) throws {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("mine"), at: it.now)
        try it.push((.applied, 4))
        if isForgotten { try it.pull(item("2", "mine", 4, by: "ana"), upTo: 4) }
        try it.accept(it.grant(), generation: "g2", head: 4)
        try it.restore([stored("1", "one", 0), stored("2", "mine", 4, by: "ana")], at: 4)
        #expect(try it.layer.conflicts().isEmpty)
        #expect(try it.layer.backlog() == .none)
        #expect(try it.text("2") == "mine")
    }

    @Test func aRecordThatWasMadeAndLostShowsItsText() throws {
        let it = try LayerFixture()
        try it.layer.create(note("new"), id: "n", author: nil, at: it.now)
        try it.push((.applied, 4))
        try it.pull(item("n", "new", 4, by: "ana"), upTo: 4)
        try it.accept(it.grant(), generation: "g2", head: 3)
        try it.restore([stored("1", "one", 0), stored("2", "two", 3)])
        #expect(try it.text("n") == "new")
        #expect(try it.delivery("n") == .conflict)
        #expect(try it.layer.conflicts().map(\.kind) == [.create])
    }

    @Test func aDeleteThatWasLostIsShownToo() throws {
        let it = try LayerFixture()
        try it.layer.delete("2", at: it.now)
        try it.push((.applied, 4))
        try it.pull(.removed("2", 4), upTo: 4)
        try it.accept(it.grant(), generation: "g2", head: 3)
        try it.restore([stored("1", "one", 0), stored("2", "two", 3)])
        #expect(try it.layer.conflicts().map(\.kind) == [.delete])
        #expect(try it.text("2") == "two")
    }

    @Test func whatOthersChangedSinceIsTheirsToLose() throws {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("mine"), at: it.now)
        try it.push((.applied, 4))
        try it.pull(item("2", "theirs", 5), upTo: 5)
        try it.layer.update("1", content: note("mine too"), at: it.now)
        try it.push((.applied, 6))
        try it.pull(.removed("1", 7), upTo: 7)
        try it.accept(it.grant(), generation: "g2", head: 3)
        try it.restore([stored("1", "one", 0), stored("2", "two", 3)])
        #expect(try it.layer.conflicts().isEmpty)
    }

    /// Sealed and sent, with no response.
    @Test(arguments: [("mine", 0), ("two", 1)])
    func anUnansweredEditIsSentOnlyIfItIsNotThere(text: String, toSend: Int) throws {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("mine"), at: it.now)
        _ = try it.layer.seal()
        try it.accept(it.grant(), generation: "g2", head: 3)
        try it.restore([stored("1", "one", 0), stored("2", text, 3, by: text == "mine" ? "ana" : nil)])
        #expect(try it.layer.seal()?.changes.count ?? 0 == toSend)
        #expect(try it.layer.conflicts().isEmpty)
    }

    @Test func editsOnTopOfALostOneJoinItsConflict() throws {
        let it = try LayerFixture()
        try it.layer.create(note("first"), id: "n", author: nil, at: it.now)
        try it.push((.applied, 4))
        try it.layer.update("n", content: note("second"), at: it.now)
        try it.accept(it.grant(), generation: "g2", head: 3)
        try it.restore([stored("1", "one", 0), stored("2", "two", 3)])
        #expect(try it.layer.conflicts().map { $0.mine?["text"]?.string } == ["second"])
        #expect(try it.layer.seal() == nil)
    }

    @Test func anUndoneDeleteKeepsTheText() throws {
        let it = try LayerFixture()
        let receipt = try it.layer.delete("2", at: it.now)
        try it.push((.applied, 4))
        try it.pull(.removed("2", 4), upTo: 4)
        try it.layer.undo(receipt, at: it.now)
        try it.accept(it.grant(), generation: "g2", head: 4)
        try it.restore([stored("1", "one", 0)], at: 4)
        #expect(try it.layer.conflicts().map { $0.mine?["text"]?.string } == ["two"])
        #expect(try it.text("2") == "two")
    }

    /// A restore without a new generation is detected by a head lower than the one seen before.
    @Test func aHeadThatFellBehindIsARestoredServer() throws {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("mine"), at: it.now)
        try it.push((.applied, 4))
        try it.pull(item("2", "mine", 4, by: "ana"), upTo: 4)
        let accepted = try it.accept(it.grant(), head: 3)
        #expect(accepted.changes.startedAnew)
        #expect(accepted.isCursorLost)
        try it.take([stored("1", "one", 0), stored("2", "two", 3)])
        #expect(try it.layer.conflicts().map { $0.mine?["text"]?.string } == ["mine"])
    }

    /// Its token may not see what it has created: the snapshot does not tell whether the server has it.
    @Test func whatTheSnapshotLacksMayBeHidden() throws {
        let it = try LayerFixture()
        try it.layer.create(note("mine"), id: "n", author: nil, at: it.now)
        _ = try it.layer.seal()
        try it.accept(it.grant(), generation: "g2", head: 3)
        try it.restore([stored("1", "one", 0)])
        try it.layer.delete("n", at: it.now)
        #expect(try it.layer.outbox().map(\.kind) == [.create, .delete])
    }

    @Test func aCrashOnTheWayChangesNothing() throws {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("mine"), at: it.now)
        try it.push((.applied, 4))
        try it.pull(item("2", "mine", 4, by: "ana"), upTo: 4)
        try it.accept(it.grant(), generation: "g2", head: 3)
        let first = try #require(try it.layer.nextPage(epoch: "eg2"))
        let items = [SyncItem.record(stored("1", "one", 0).record, 0)]
        _ = try it.layer.take(SnapshotPage(epoch: "eg2", at: 3, records: items, next: "1"), for: first)
        // Everything except the store is lost; the same response arrives again.
        try it.accept(it.grant(), generation: "g2", head: 3)
        #expect(try it.layer.metadata().isRecovering)
        let next = try #require(try it.layer.nextPage(epoch: "eg2"))
        #expect(next.after == "1")
        let rest = [SyncItem.record(stored("2", "two", 3).record, 3)]
        _ = try it.layer.take(SnapshotPage(epoch: "eg2", at: 3, records: rest, next: nil), for: next)
        #expect(try it.layer.conflicts().count == 1)
        #expect(try !it.layer.metadata().isRecovering)
    }

    @Test func anEmptyLayerRemembersItsDeletes() throws {
        let it = try LayerFixture(records: [stored("2", "two", 3)])
        try it.layer.delete("2", at: it.now)
        try it.push((.applied, 4))
        try it.pull(.removed("2", 4), upTo: 4)
        try it.accept(it.grant(), generation: "g2", head: 3)
        try it.restore([stored("2", "two", 3)])
        #expect(try it.layer.conflicts().map(\.kind) == [.delete])
        #expect(try it.delivery("2") == .conflict)
    }
}

extension LayerFixture {
    /// Applies the snapshot of the restored server.
    @discardableResult
    fileprivate func restore(_ records: [StoredRecord], at revision: Revision = 3) throws -> LayerChanges {
        try take(records, epoch: "eg2", at: revision)
    }
}
