import Annotations
import Authorization
import InstantCore
import SyncProtocol
import TestSupport
import Testing

@Suite struct EditingTests {
    @Test func aNewRecordIsStampedAndShownAsUnsent() throws {
        let it = try LayerFixture()
        try it.layer.create(note("hello"), id: "n", author: "Someone", at: it.now)
        let record = try #require(try it.layer.record("n"))
        #expect(record.createdBy == "ana")
        // The name in the token overrides the typed one.
        #expect(record.content["creatorName"]?.string == "Ana")
        #expect(record.content["createdAt"]?.string == "1970-01-01T00:16:40.000Z")
        #expect(try it.delivery("n") == .unsent)
        #expect(try it.layer.hasUnsent())
    }

    @Test func editsOfOneRecordCoalesceUntilTheyAreSealed() throws {
        let it = try LayerFixture()
        try it.layer.create(note("a"), id: "n", author: nil, at: it.now)
        try it.layer.update("n", content: note("b"), at: it.now)
        try it.layer.update("1", content: note("c"), at: it.now)
        try it.layer.delete("1", at: it.now)
        let request = try #require(try it.layer.seal())
        #expect(request.changes.map(\.kind) == [.create, .delete])
        #expect(request.changes.map(\.n) == [1, 2])
        #expect(request.changes[0].content?["text"]?.string == "b")
        #expect(request.changes[1].baseRevision == 0)
    }

    @Test func anEditKeepsWhatChangedInOtherMembersSinceItWasRead() throws {
        let it = try LayerFixture()
        let read = try #require(try it.layer.record("2")).content
        var record = stored("2", "two", 9, by: "bo").record
        record.content = read.changing {
            $0["color"] = "#ff0000"
            $0["pdfObjectId"] = 7
        }
        _ = try it.pull(.record(record, 9), upTo: 9)
        try it.layer.update("2", content: read.changing { $0["text"] = "mine" }, over: read, at: it.now)
        let now = try #require(try it.layer.record("2")).content
        #expect(now["text"]?.string == "mine" && now["color"]?.string == "#ff0000")
        #expect(try it.layer.conflicts().isEmpty)
        #expect(try it.layer.seal()?.changes.map(\.baseRevision) == [9])
    }

    @Test func anEditOfATextThatChangedSinceItWasReadBecomesAConflict() throws {
        let it = try LayerFixture()
        let read = try #require(try it.layer.record("2")).content
        _ = try it.pull(item("2", "theirs", 9), upTo: 9)
        let receipt = try it.layer.update("2", content: note("mine"), over: read, at: it.now)
        #expect(try it.text("2") == "theirs")
        #expect(try it.delivery("2") == .conflict)
        let conflict = try #require(try it.layer.conflicts().first)
        #expect(conflict.base?.content["text"]?.string == "two")
        #expect(conflict.mine?["text"]?.string == "mine")
        #expect(conflict.theirs?.content["text"]?.string == "theirs")
        #expect(try it.layer.seal() == nil)
        try it.layer.undo(receipt, at: it.now)
        #expect(try it.layer.conflicts().isEmpty)
        #expect(try it.text("2") == "theirs")
    }

    /// Members of another kind mean other things.
    @Test func anEditOfARecordThatBecameAnotherKindIsAConflict() throws {
        let it = try LayerFixture()
        let read = try #require(try it.layer.record("2")).content
        var record = stored("2", "two", 9, by: "bo").record
        record.content = read.changing { $0["type"] = "pspdfkit/text" }
        _ = try it.pull(.record(record, 9), upTo: 9)
        try it.layer.update("2", content: read.changing { $0["color"] = "#ff0000" }, over: read, at: it.now)
        #expect(try it.delivery("2") == .conflict)
        #expect(try it.layer.record("2")?.content["color"]?.string != "#ff0000")
    }

    /// Another window of the same person: its edit is not sent yet.
    @Test func anEditDoesNotReplaceAWaitingOneThatItsAuthorHasNotSeen() throws {
        let it = try LayerFixture()
        let read = try #require(try it.layer.record("2")).content
        try it.layer.update("2", content: note("first"), over: read, at: it.now)
        try it.layer.update("2", content: note("second"), over: read, at: it.now)
        #expect(try it.text("2") == "first")
        #expect(try it.layer.conflicts().map { $0.mine?["text"]?.string } == ["second"])
        #expect(try it.layer.seal()?.changes.map { $0.content?["text"]?.string } == ["first"])
        // A window whose author saw the first edit continues it as usual.
        let other = try LayerFixture()
        try other.layer.update("2", content: note("first"), over: read, at: other.now)
        let seen = try #require(try other.layer.record("2")).content
        try other.layer.update("2", content: note("second"), over: seen, at: other.now)
        #expect(try other.text("2") == "second" && other.layer.conflicts().isEmpty)
    }

    /// Swift's `==` takes both ids for the same text.
    @Test func recordsWhoseIDsLookAlikeAreSentAtOnceAndRefusedApart() throws {
        let it = try LayerFixture()
        let ids = ["cafe\u{301}", "caf\u{E9}"]
        for id in ids { try it.layer.create(note("mine"), id: id, author: nil, at: it.now) }
        let (request, changes) = try it.push((.invalid, nil), (.invalid, nil))
        #expect((request.changes.count, changes.ids.count) == (2, 2))
        let conflicts = try it.layer.conflicts()
        #expect(ids.map { conflicts.first(of: $0).map { ByteOrdered($0.recordID) } } == ids.map { ByteOrdered($0) })
    }

    @Test func aNewRecordThatIsDeletedAgainIsNeverSent() throws {
        let it = try LayerFixture()
        try it.layer.create(note("a"), id: "n", author: nil, at: it.now)
        try it.layer.delete("n", at: it.now)
        #expect(try it.layer.seal() == nil)
        #expect(try it.layer.row("n") == nil)
    }

    @Test func aSealedChangeIsSentAgainExactlyAsItWas() throws {
        let it = try LayerFixture()
        try it.layer.update("1", content: note("first"), at: it.now)
        let first = try #require(try it.layer.seal())
        try it.layer.update("1", content: note("second"), at: it.now)
        try it.layer.update("2", content: note("other"), at: it.now)
        let again = try #require(try it.layer.seal())
        // The second edit of a record waits for the response; the other record's edit is sent with the retry.
        #expect(again.changes.map(\.id) == ["1", "2"])
        #expect(again.changes[0].canonicalBytes == first.changes[0].canonicalBytes)
        #expect(try it.text("1") == "second")
    }

    @Test func theNextEditIsBasedOnTheRevisionOfTheOneBefore() throws {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("first"), at: it.now)
        _ = try it.layer.seal()
        try it.layer.update("2", content: note("second"), at: it.now)
        try it.push((.applied, 4))
        let request = try #require(try it.layer.seal())
        #expect(request.changes.map(\.baseRevision) == [4])
        #expect(request.acked == 1)
    }

    @Test func anAppliedEditStaysVisibleUntilTheServersRowsCatchUp() throws {
        let it = try LayerFixture()
        try it.layer.update("2", content: note("mine"), at: it.now)
        try it.push((.applied, 5))
        #expect(try it.text("2") == "mine")
        #expect(try it.delivery("2") == .delivered)
        try it.pull(item("1", "theirs", 4), upTo: 4)
        #expect(try it.text("2") == "mine")
        try it.pull(item("2", "mine", 5, by: "ana"), upTo: 5)
        #expect(try it.text("2") == "mine")
        #expect(try it.layer.tally().values.reduce(0, +) == 0)
    }

    @Test func everyDenialNamesItsReason() throws {
        let reader = try LayerFixture(general: [.readDocument])
        #expect(throws: EditError.denied(.lacks(.write))) {
            try reader.layer.update("1", content: note("x"), at: reader.now)
        }
        let own = try LayerFixture(collaboration: [
            Permission(.annotations, .view, .all), Permission(.annotations, .edit, .own),
        ])
        #expect(throws: EditError.self) { try own.layer.delete("1", at: own.now) }
        #expect(throws: EditError.noSuchRecord("x")) { try own.layer.delete("x", at: own.now) }
        #expect(throws: EditError.invalid(.badBox)) {
            try own.layer.create(note("a").changing { $0["bbox"] = nil }, id: "n", author: nil, at: own.now)
        }
        #expect(try own.layer.tally().isEmpty)
    }

    @Test func nothingMayBeChangedBeforeATokenWasEverAccepted() throws {
        let identity = LayerIdentity(server: "s", documentID: "doc", layer: "", userID: nil)
        let layer = Layer(store: MemoryStore(LayerMetadata(identity: identity, clientID: "me")))
        #expect(throws: EditError.noGrant) {
            try layer.create(note("a"), id: "n", author: nil, at: Timestamp(seconds: 1))
        }
    }

    @Test func theGroupOfNewRecordsIsTheTokensOrTheOverride() throws {
        let it = try LayerFixture()
        var grant = it.grant()
        grant.defaultGroup = "crew"
        try it.accept(grant)
        try it.layer.create(note("a"), id: "a", author: nil, at: it.now)
        try it.layer.overrideGroup(LayerMetadata.GroupChoice(group: nil))
        try it.layer.create(note("b"), id: "b", author: nil, at: it.now)
        try it.layer.overrideGroup(nil)
        try it.layer.create(note("c"), id: "c", author: nil, at: it.now)
        #expect(try it.layer.seal()?.changes.map(\.group) == ["crew", .some(nil), "crew"])
    }

    @Test func aDeletedRootNamesTheNewestCommentThePersonSaw() throws {
        let it = try LayerFixture()
        let reply = Record(id: "c", content: comment("reply", under: "1"), createdBy: "bo")
        try it.pull(.record(reply, 7), upTo: 7)
        try it.layer.delete("1", at: it.now)
        let change = try #require(try it.layer.seal()?.changes.first)
        #expect(change.threadRevision == 7)
        #expect(change.baseRevision == 0)
    }
}
