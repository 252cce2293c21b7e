import Annotations
import Authorization
import InstantCore
import SyncProtocol
import Testing

@Suite struct AnswersTests {
    @Test func aLostRaceKeepsAllThreeSides() throws {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("mine"), at: it.now)
        let request = try #require(try it.layer.seal())
        let result = ChangeResult(n: 1, status: .conflict, reason: "bo was first", item: item("2", "theirs", 9))
        _ = try it.layer.take(PushAnswer(results: [result], delta: nil), to: request, newClientID: "new")
        #expect(try it.text("2") == "theirs")
        #expect(try it.delivery("2") == .conflict)
        let conflict = try #require(try it.layer.conflicts().first)
        #expect(conflict.base?.content["text"]?.string == "two")
        #expect(conflict.mine?["text"]?.string == "mine")
        #expect(conflict.theirs?.content["text"]?.string == "theirs")
        #expect(conflict.reason == "bo was first")
    }

    @Test(arguments: [
        (ConflictResolution.mine, "mine"), (.theirs, "theirs"), (.merged(note("both")), "both"),
    ])
    func aConflictIsSettled(_ resolution: ConflictResolution, shows text: String) throws {
        let it = try conflicting()
        let conflict = try #require(try it.layer.conflicts().first)
        try it.layer.resolve(conflict.id, resolution, newID: "x", at: it.now)
        #expect(try it.text("2") == text)
        #expect(try it.layer.conflicts().isEmpty)
        let change = try it.layer.seal()?.changes.first
        #expect((change == nil) == (resolution == .theirs))
        if let change { #expect(change.baseRevision == 9) }
    }

    /// A collaborator changes the record once more, or another window of the user edits it, between looking and deciding.
    @Test(arguments: [false, true], [ConflictResolution.mine, .merged(note("both")), .theirs])
    func aConflictIsSettledBetweenWhatWasSeen(isMine: Bool, _ resolution: ConflictResolution) throws {
        let it = try conflicting()
        let seen = try #require(try it.layer.conflicts().first)
        if isMine {
            try it.layer.update("2", content: note("more"), at: it.now)
        } else {
            try it.pull(item("2", "newer", 10), upTo: 10)
        }
        #expect(throws: EditError.resolvedUnseen) {
            try it.layer.resolve(seen.id, resolution, between: seen.sides, newID: "x", at: it.now)
        }
        let now = try #require(try it.layer.conflicts().first)
        #expect(now.mine?["text"]?.string == (isMine ? "more" : "mine"))
        #expect(now.theirs?.content["text"]?.string == (isMine ? "theirs" : "newer"))
        #expect(try it.layer.seal() == nil)
        try it.layer.resolve(now.id, resolution, between: now.sides, newID: "x", at: it.now)
        #expect(try it.layer.conflicts().isEmpty)
    }

    @Test func laterEditsJoinAConflict() throws {
        let it = try conflicting()
        try it.layer.update("2", content: note("more"), at: it.now)
        #expect(try it.layer.conflicts().map { $0.mine?["text"]?.string } == ["more"])
        #expect(try it.layer.seal() == nil)
    }

    @Test func anEditMadeWhileTheLoserWasInFlightJoinsIt() throws {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("mine"), at: it.now)
        let request = try #require(try it.layer.seal())
        try it.layer.update("2", content: note("mine, longer"), at: it.now)
        let result = ChangeResult(n: 1, status: .conflict, item: item("2", "theirs", 9))
        _ = try it.layer.take(PushAnswer(results: [result], delta: nil), to: request, newClientID: "new")
        #expect(try it.layer.conflicts().map { $0.mine?["text"]?.string } == ["mine, longer"])
        #expect(try it.layer.seal() == nil)
    }

    @Test func anUpdateOfWhatIsGoneKeepsItsTextInSight() throws {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("mine"), at: it.now)
        try it.push((.gone, nil))
        try it.pull(.removed("2", 9), upTo: 9)
        #expect(try it.text("2") == "mine")
        #expect(try it.delivery("2") == .conflict)
        let conflict = try #require(try it.layer.conflicts().first)
        try it.layer.resolve(conflict.id, .mine, newID: "new", at: it.now)
        #expect(try it.text("2") == nil)
        #expect(try it.text("new") == "mine")
    }

    @Test(arguments: [ChangeResult.Status.denied, .invalid])
    func aRefusedChangeLeavesTheQueueWithItsReasonAndItsText(_ status: ChangeResult.Status) throws {
        let it = try LayerFixture()
        try it.layer.create(note("mine"), id: "n", author: nil, at: it.now)
        try it.layer.update("1", content: note("next"), at: it.now)
        try it.push((status, nil), (.applied, 4))
        #expect(try it.text("n") == "mine")
        #expect(try it.delivery("n") == .refused)
        #expect(try it.layer.conflicts().map(\.reason) == ["because"])
        // It does not block later entries, and can be retried.
        #expect(try it.layer.seal() == nil)
        try it.layer.update("n", content: note("better"), at: it.now)
        #expect(try it.layer.seal()?.changes.map(\.kind) == [.create])
    }

    @Test func deletingWhatIsGoneIsDone() throws {
        let it = try LayerFixture()
        try it.layer.delete("2", at: it.now)
        try it.push((.gone, nil))
        #expect(try it.layer.conflicts().isEmpty)
        #expect(try it.layer.tally().values.reduce(0, +) == 0)
    }

    @Test(arguments: [ChangeResult.Status.gap, .mismatch])
    func aServerThatLostTrackIsGivenANewName(_ status: ChangeResult.Status) throws {
        let it = try LayerFixture()
        try it.layer.update("1", content: note("a"), at: it.now)
        try it.layer.update("2", content: note("b"), at: it.now)
        let (_, changes) = try it.push((status, nil), (status, nil))
        #expect(changes.startedAnew)
        // The server may have lost data: the client first reads its state.
        #expect(try it.layer.seal() == nil)
        try it.take([stored("1", "one", 0), stored("2", "two", 3)])
        let again = try #require(try it.layer.seal())
        #expect(again.clientID == "new")
        #expect(again.changes.map(\.n) == [1, 2])
        #expect(again.changes.map(\.id) == ["1", "2"])
    }

    @Test func anAnswerToldTwiceCountsOnce() throws {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("a"), at: it.now)
        let request = try #require(try it.layer.seal())
        let answer = PushAnswer(results: [ChangeResult(n: 1, status: .applied, revision: 4)], delta: nil)
        _ = try it.layer.take(answer, to: request, newClientID: "x")
        try it.layer.update("2", content: note("b"), at: it.now)
        _ = try it.layer.take(answer, to: request, newClientID: "x")
        #expect(try it.layer.seal()?.changes.map(\.baseRevision) == [4])
    }

    @Test func anAppliedChangeWithoutARevisionIsNoAnswer() throws {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("a"), at: it.now)
        #expect(throws: InvalidServerData.self) { try it.push((.applied, nil)) }
        #expect(try it.layer.tally()[.sealed] == 1)
    }

    @Test(arguments: [0, 1], [ConflictResolution.mine, .merged(note("both")), .theirs])
    func resolvingOneOfTwoConflictsLeavesTheOther(index: Int, _ resolution: ConflictResolution) throws {
        let it = try conflicting()
        try it.layer.update("2", content: note("also"), over: note("two"), at: it.now)
        let all = try it.layer.conflicts()
        #expect(all.map { $0.mine?["text"]?.string } == ["mine", "also"])
        try it.layer.resolve(all[index].id, resolution, newID: "x", at: it.now)
        let other = all[1 - index].mine?["text"]?.string
        #expect(try it.layer.conflicts().map { $0.mine?["text"]?.string } == [other])
        guard resolution != .theirs else { return }
        // The server rejects the resolution, too.
        let sent = try #require(try it.layer.seal())
        let result = ChangeResult(n: sent.changes[0].n, status: .conflict, item: item("2", "newer", 12))
        _ = try it.layer.take(PushAnswer(results: [result], delta: nil), to: sent, newClientID: "new")
        let texts = try it.layer.conflicts().map { $0.mine?["text"]?.string }
        #expect(texts.count == 2 && texts.contains(other))
    }

    /// While the layer recovers, nothing is merged: the delete and the restore wait behind the create.
    @Test(arguments: [ChangeResult.Status.gone, .denied])
    func whatWasDeletedAndRestoredKeepsItsText(_ status: ChangeResult.Status) throws {
        let it = try LayerFixture()
        try it.accept(it.grant(), generation: "g2", head: 3)
        try it.layer.create(note("mine"), id: "n", author: nil, at: it.now)
        let deleted = try it.layer.delete("n", at: it.now)
        try it.layer.undo(deleted, at: it.now)
        #expect(try it.layer.outbox().map(\.kind) == [.create, .delete, .restore])
        try it.take([stored("1", "one", 0)], epoch: "eg2")
        try it.push((status, nil))
        #expect(try it.layer.conflicts().map { $0.mine?["text"]?.string } == ["mine"])
        #expect(try it.layer.outbox().count == 1)
    }

    @Test func anEditOfAReplacedPDFIsOneConflictForEachRecord() throws {
        let it = try LayerFixture()
        try it.accept(it.grant(), generation: "g2", head: 3, version: "v1")
        try it.layer.create(note("mine"), id: "n", author: nil, at: it.now)
        let deleted = try it.layer.delete("n", at: it.now)
        try it.layer.discard(try #require(try it.layer.outbox().first).seq)
        try it.layer.undo(deleted, at: it.now)
        #expect(try it.layer.outbox().map(\.kind) == [.delete, .restore])
        try it.accept(it.grant(), generation: "g2", head: 3, version: "v2", pdf: "other")
        #expect(try it.layer.conflicts().map { $0.mine?["text"]?.string } == ["mine"])
    }

    /// Under a new clientID an edit may be on the server already, so that a delete must be sent too.
    @Test func whatMayHaveBeenAppliedIsDeletedOnTheServer() throws {
        let it = try LayerFixture()
        let created = try it.layer.create(note("mine"), id: "n", author: nil, at: it.now)
        _ = try it.layer.seal()
        _ = try it.layer.startAnew(newClientID: "me-2")
        try it.layer.undo(created, at: it.now)
        #expect(try it.text("n") == nil)
        #expect(try it.layer.outbox().map(\.kind) == [.create, .delete])
        try it.push((.applied, 4))
        #expect(try it.layer.seal()?.changes.map(\.kind) == [.delete])
    }

    private func conflicting() throws -> LayerFixture {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("mine"), at: it.now)
        let request = try #require(try it.layer.seal())
        let result = ChangeResult(n: 1, status: .conflict, item: item("2", "theirs", 9))
        _ = try it.layer.take(PushAnswer(results: [result], delta: nil), to: request, newClientID: "new")
        return it
    }
}
