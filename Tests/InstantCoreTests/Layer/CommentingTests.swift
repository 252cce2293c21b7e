import Annotations
import Authorization
import InstantCore
import SyncProtocol
import Testing

/// Commenting on an annotation, offline.
@Suite("Commenting") struct CommentingTests {
    static let highlight = note("marked").changing { $0["type"] = "pspdfkit/markup/highlight" }

    static let link = note("x").changing { $0["type"] = "pspdfkit/link" }

    /// A highlight `h` of the PDF, ana's own highlight `own`, a note `n`, a link `k`, and bo's comment `c` under `h`.
    static func fixture(_ collaboration: [Permission]? = nil) throws -> LayerFixture {
        try LayerFixture(
            collaboration: collaboration,
            records: [
                StoredRecord(Record(id: "h", content: highlight), 0),
                StoredRecord(Record(id: "own", content: highlight, createdBy: "ana"), 1),
                stored("n", "a note", 2),
                StoredRecord(Record(id: "k", content: link), 0),
                StoredRecord(Record(id: "c", content: comment("first", under: "h"), createdBy: "bo"), 3),
            ])
    }

    @Test func aReplyStandsInItsThreadAtOnceAndIsSentWithItsRoot() throws {
        let it = try Self.fixture()
        let receipt = try it.layer.reply(to: "h", .plain("second"), id: "d", author: nil, at: it.now)
        #expect(try it.layer.thread(under: "h").map { Annotation($0).text } == ["first", "second"])
        #expect(try it.layer.row("h")?.replies == 2)
        let record = try #require(receipt.after)
        #expect((record.createdBy, record.content["creatorName"]) == ("ana", "Ana"))
        #expect(record.content["createdAt"]?.string == record.content["updatedAt"]?.string)
        // The highlight has format version 1, so its comments have it too.
        #expect((record.content["v"], record.content["text"]) == (1, "second"))
        #expect(try it.layer.seal()?.changes.map(\.kind) == [.create])
    }

    @Test func aRootAndItsFirstCommentAreMadeTogetherOrNotAtAll() throws {
        let it = try Self.fixture()
        let marker = Content.commentMarker(onPage: 0, at: Point(x: 50, y: 50))
        _ = try it.layer.beginThread(
            marker, id: "m", .plain("look"), commentID: "m1", author: nil, at: it.now)
        #expect(try it.layer.seal()?.changes.map(\.id) == ["m", "m1"])
        #expect(throws: EditError.noThread(.isKind(.link))) {
            try it.layer.beginThread(Self.link, id: "q", .plain("q"), commentID: "q1", author: nil, at: it.now)
        }
        #expect(try it.layer.record("q") == nil)
    }

    @Test(
        "Roots that take no reply, with the reason",
        arguments: [
            ("k", EditError.noThread(.isKind(.link))), ("c", .noThread(.isComment)), ("x", .rootGone),
        ])
    func refusals(root: String, why: EditError) throws {
        let it = try Self.fixture()
        #expect(throws: why) { try it.layer.reply(to: root, .plain("a"), id: "d", author: nil, at: it.now) }
        // The same through the general create call.
        #expect(throws: why) {
            try it.layer.create(comment("a", under: root), id: "d", author: nil, at: it.now)
        }
        #expect(try it.layer.tally().isEmpty)
    }

    @Test func aCommentWithoutARootIsNone() throws {
        let it = try Self.fixture()
        let lone = comment("a", under: "h").changing { $0["rootId"] = nil }
        #expect(throws: EditError.noRoot) { try it.layer.create(lone, id: "d", author: nil, at: it.now) }
    }

    @Test func aCommentStaysInItsThread() throws {
        let it = try Self.fixture()
        for other in [comment("a", under: "own"), note("b"), comment("c", under: "h").changing { $0["rootId"] = nil }] {
            try it.layer.update("c", content: other, at: it.now)
            let now = try #require(try it.layer.record("c")).content
            #expect(now["rootId"] == "h" && now["type"] == "pspdfkit/comment" && now["text"] == other["text"])
        }
    }

    @Test(
        "The offered operations are those that the server will allow",
        arguments: [
            (["annotations:view:all"], ["own": true, "h": false, "c": false]),
            (["comments:reply:all"], ["own": true, "h": true, "c": true, "n": true, "k": false]),
            (["comments:reply:self"], ["own": true, "h": false]),
            (["comments:reply:createdBy="], ["h": true, "c": true]),
        ])
    func operations(rules: [String], replies: [String: Bool]) throws {
        let permissions = rules.compactMap { rule -> Permission? in
            if case .granted(let permission) = Permission.read(rule) { permission } else { nil }
        }
        let it = try Self.fixture(permissions)
        for (id, may) in replies {
            #expect(try it.layer.operations(on: id).contains(.reply) == may, "\(id)")
            #expect(try (it.layer.problem(with: .reply, on: id) == nil) == may, "\(id)")
        }
    }

    @Test func onlyTheFirstCommentOnOnesOwnRootIsFree() throws {
        let it = try Self.fixture([])
        try it.layer.reply(to: "own", .plain("first"), id: "d", author: nil, at: it.now)
        #expect(throws: EditError.denied(.needs([Permission(.comments, .reply, .own)]))) {
            try it.layer.reply(to: "own", .plain("second"), id: "e", author: nil, at: it.now)
        }
        #expect(try it.layer.problem(with: .reply, on: "own")?.description == "needs comments:reply:self")
    }

    @Test func rewordingKeepsWhatIsInTheCommentBesides() throws {
        let it = try Self.fixture()
        let rich = comment("", under: "h").changing {
            $0["text"] = ["format": "xhtml", "value": "<p>see <b>this</b></p>"]
            $0["mentions"] = ["bo"]
        }
        try it.pull(.record(Record(id: "r", content: rich, createdBy: "bo"), 4), upTo: 4)
        let receipt = try it.layer.reword("r", "see that", at: it.now)
        #expect(receipt.after?.content["text"]?["value"] == "<p>see <b>that</b></p>")
        #expect(receipt.after?.content["mentions"] == ["bo"])
        #expect(throws: EditError.formatted(FormattingConflict())) {
            try it.layer.reword("r", "gone", at: it.now)
        }
        #expect(throws: EditError.notAComment) { try it.layer.reword("h", "a", at: it.now) }
        #expect(throws: EditError.noSuchRecord("x")) { try it.layer.reword("x", "a", at: it.now) }
    }

    // MARK: States

    @Test func aStateIsACommentThatItsPersonAloneMayChange() throws {
        let it = try Self.fixture()
        let set = try it.layer.setState(.accepted, of: "n", id: "s", author: nil, at: it.now)
        let content = try #require(set.after?.content)
        #expect(
            (content.state, content["rootId"], Annotation(id: "s", content: content).text) == (
                .accepted, "n", "Accepted"
            ))
        #expect(try it.layer.states(of: "n").isResolved)
        // A change of mind is another comment.
        try it.layer.setState(.unset, of: "n", id: "t", author: nil, at: it.now + 1)
        #expect(try it.layer.states(of: "n").entries.map(\.state) == [.unset])
        #expect(try !it.layer.states(of: "n").isResolved)
        try it.layer.update("s", content: content.changing { $0["postilla"] = nil }, at: it.now)
        #expect(try it.layer.record("s")?.content.state == .accepted)
        let other = Record(id: "b", content: comment("Rejected", under: "h").setting(.rejected), createdBy: "bo")
        try it.pull(.record(other, 4), upTo: 4)
        #expect(throws: EditError.denied(.stateOfAnother)) {
            try it.layer.update("b", content: other.content.setting(.accepted), at: it.now)
        }
        #expect(try it.layer.operations(on: "b") == [.delete, .reply, .setGroup])
        #expect(try it.layer.operations(on: "s").contains(.edit))
    }

    @Test func aStateOnOnesOwnRootNeedsTheRightToReply() throws {
        let it = try Self.fixture([])
        #expect(throws: EditError.denied(.needs([Permission(.comments, .reply, .own)]))) {
            try it.layer.setState(.completed, of: "own", id: "s", author: nil, at: it.now)
        }
        try it.layer.reply(to: "own", .plain("first"), id: "d", author: nil, at: it.now)
    }

    // MARK: Root and thread

    @Test func aThreadGoesOutOfSightWithItsRootAndComesBackWithIt() throws {
        let it = try Self.fixture()
        let receipt = try it.layer.delete("h", at: it.now)
        #expect(try it.layer.thread(under: "h").isEmpty)
        try it.layer.undo(receipt, at: it.now)
        #expect(try it.layer.thread(under: "h").count == 1)
    }

    @Test func commentsUnderARootThatIsTakenBackUnsentAreNeverSent() throws {
        let it = try Self.fixture()
        let marker = Content.commentMarker(onPage: 0, at: Point(x: 50, y: 50))
        let made = try it.layer.beginThread(marker, id: "m", .plain("1"), commentID: "m1", author: nil, at: it.now)
        try it.layer.reply(to: "m", .plain("2"), id: "m2", author: nil, at: it.now)
        for takeBack in [
            { try it.layer.delete("m", at: it.now) }, { try it.layer.undo(made.root, at: it.now) },
        ] {
            let gone = try takeBack()
            #expect(try it.layer.tally().isEmpty)
            try it.layer.undo(gone, at: it.now)
            #expect(try it.layer.thread(under: "m").map(\.id) == ["m1", "m2"])
        }
        #expect(try it.layer.seal()?.changes.map(\.id) == ["m", "m1", "m2"])
    }

    @Test func aDeletedCommentNamesTheStateOfItsRootThatThePersonSaw() throws {
        let it = try Self.fixture()
        let root = Self.highlight.asCommentThreadRoot
        try it.pull(.record(Record(id: "h", content: root, updatedBy: "bo"), 9), upTo: 9)
        try it.layer.delete("c", at: it.now)
        let change = try #require(try it.layer.seal()?.changes.first)
        #expect((change.baseRevision, change.threadRevision) == (3, 9))
    }

    @Test func takingBackACommentThatWasSentLeavesItsRoot() throws {
        let it = try Self.fixture()
        let receipt = try it.layer.reply(to: "h", .plain("a"), id: "d", author: nil, at: it.now)
        try it.push((.applied, 4))
        try it.layer.undo(receipt, at: it.now)
        #expect(try it.layer.seal()?.changes.first?.threadRevision == Change.leavesRoot)
    }

    @Test func aReplyToARootThatIsGoneKeepsItsText() throws {
        let it = try Self.fixture()
        try it.layer.reply(to: "h", .plain("too late"), id: "d", author: nil, at: it.now)
        try it.pull(.removed("h", 4), .removed("c", 4), upTo: 4)
        try it.push((.gone, nil))
        let conflict = try #require(try it.layer.conflicts().first)
        #expect(conflict.mine?["text"] == "too late")
        #expect(throws: EditError.rootGone) {
            try it.layer.resolve(conflict.id, .mine, newID: "e", at: it.now)
        }
        #expect(try it.layer.conflicts().count == 1, "still there")
    }

    /// The server refuses a note, and with it the reply that was sent along.
    @Test func aRefusedRootKeepsItsIDAndItsRepliesFollow() throws {
        let it = try Self.fixture()
        try it.layer.create(note("mine"), id: "m", author: nil, at: it.now)
        try it.layer.reply(to: "m", .plain("sent"), id: "d", author: nil, at: it.now)
        try it.push((.denied, nil), (.gone, nil))
        let reasons = try it.layer.conflicts().map { [$0.recordID, $0.reason] }
        #expect(reasons == [["m", "because"], ["d", "the annotation was not accepted"]])
        let root = try #require(try it.layer.conflicts().first)
        let receipt = try #require(try it.layer.resolve(root.id, .mine, newID: "x", at: it.now))
        #expect(receipt.id == "m")
        #expect(try it.layer.conflicts().isEmpty && it.layer.thread(under: "m").map(\.id) == ["d"])
        // Not sent again after all: both wait for a decision, as before.
        let undone = try it.layer.undo(receipt, at: it.now)
        #expect(try it.layer.conflicts().map(\.recordID).sorted() == ["d", "m"] && it.layer.seal() == nil)
        try it.layer.undo(undone, at: it.now)
        #expect(try it.layer.seal()?.changes.map(\.id) == ["m", "d"])
        #expect(try it.layer.conflicts().isEmpty)
    }

    /// Someone else deleted the annotation, so it is created again under a new id.
    @Test func theRepliesToARootThatIsMadeAgainFollowIt() throws {
        let it = try Self.fixture()
        try it.layer.update("own", content: Self.highlight.changing { $0["note"] = "mine" }, at: it.now)
        try it.layer.reply(to: "own", .plain("too late"), id: "d", author: nil, at: it.now)
        try it.pull(.removed("own", 4), upTo: 4)
        try it.push((.gone, nil), (.gone, nil))
        let root = try #require(try it.layer.conflicts().first(of: "own"))
        try it.layer.resolve(root.id, .mine, newID: "x", at: it.now)
        #expect(try it.layer.conflicts().isEmpty)
        let changes = try it.layer.seal()?.changes ?? []
        #expect(changes.map(\.id) == ["x", "d"] && changes.last?.content?["rootId"] == "x")
    }

    /// The reply was sent, so its next text waits behind it as an edit of its own. Then the server is restored from a backup.
    @Test func theEditsOfAReplyFollowItToo() throws {
        let it = try Self.fixture()
        try it.layer.update("own", content: Self.highlight.changing { $0["note"] = "mine" }, at: it.now)
        try it.layer.reply(to: "own", .plain("sent"), id: "d", author: nil, at: it.now)
        _ = try it.layer.seal()
        try it.layer.update("d", content: comment("and changed", under: "own"), at: it.now)
        try it.accept(it.grant(), generation: "g2", head: 3)
        try it.take([], epoch: "eg2")
        let root = try #require(try it.layer.conflicts().first(of: "own"))
        let receipt = try #require(try it.layer.resolve(root.id, .mine, newID: "x", at: it.now))
        let waiting = try it.layer.outbox()
        #expect(waiting.map { "\($0.kind) \($0.id)" } == ["create x", "create d", "update d"])
        #expect(waiting.dropFirst().allSatisfy { $0.content?["rootId"] == "x" })
        _ = try it.layer.undo(receipt, at: it.now)
        let reply = try #require(try it.layer.conflicts().first(of: "d"))
        #expect(reply.mine?["text"] == "and changed" && reply.mine?["rootId"] == "own" && reply.kind == .create)
    }

    /// Each edit of the PDF before is reviewed, the reply after its annotation, which has another id by then.
    @Test func aReplyThatWaitsForItsOwnDecisionFollowsItsRoot() throws {
        let it = try Self.fixture()
        try it.layer.create(note("mine"), id: "m", author: nil, at: it.now)
        try it.layer.reply(to: "m", .plain("and more"), id: "d", author: nil, at: it.now)
        try it.accept(it.grant(), pdf: "another")
        #expect(try it.layer.conflicts().map(\.recordID) == ["m", "d"])
        try it.layer.resolve(try #require(it.layer.conflicts().first).id, .mine, newID: "x", at: it.now)
        let reply = try #require(try it.layer.conflicts().first)
        #expect(reply.recordID == "d" && reply.mine?["rootId"] == "x")
        try it.layer.resolve(reply.id, .mine, newID: "y", at: it.now)
        #expect(try it.layer.conflicts().isEmpty)
        #expect(try it.layer.outbox().map(\.id) == ["x", "y"])
    }

    @Test func aRootThatSomebodyAnsweredMeanwhileIsAConflictOfTheRoot() throws {
        let it = try Self.fixture()
        try it.layer.delete("h", at: it.now)
        let request = try #require(try it.layer.seal())
        let root = SyncItem.record(Record(id: "h", content: Self.highlight), 0)
        let newer = SyncItem.record(Record(id: "d", content: comment("wait", under: "h"), createdBy: "bo"), 4)
        let result = ChangeResult(n: 1, status: .conflict, reason: "someone else added to its thread", item: root)
        _ = try it.layer.take(
            PushAnswer(
                results: [result], delta: Delta(epoch: "e", changes: [newer], upTo: 4, more: false)),
            to: request, newClientID: "new")
        #expect(try it.delivery("h") == .conflict)
        #expect(try it.layer.thread(under: "h").map(\.id) == ["c", "d"])
        let conflict = try #require(try it.layer.conflicts().first)
        // The retry names the last comment seen.
        try it.layer.resolve(conflict.id, .mine, newID: "x", at: it.now)
        #expect(try it.layer.seal()?.changes.first?.threadRevision == 4)
    }

    // MARK: Rights that change while a comment is queued

    @Test func theFirstCommentOnOnesOwnRootIsNotItsOwnPredecessor() throws {
        let it = try Self.fixture()
        for id in ["d", "e"] { try it.layer.reply(to: "own", .plain(id), id: id, author: nil, at: it.now) }
        try it.accept(it.grant(collaboration: [Permission(.annotations, .view, .all)]))
        #expect(try it.delivery("d") == .unsent)
        #expect(try it.delivery("e") == .parked)
    }

    @Test func aCommentWaitsForARootThatMayNotBeSent() throws {
        let it = try Self.fixture()
        let marker = Content.commentMarker(onPage: 0, at: Point(x: 50, y: 50))
        let all = [ContentType.annotations, .comments].flatMap { type in
            [Permission(type, .view, .all), Permission(type, .setGroup, .all)]
        }
        try it.accept(it.grant(collaboration: all))
        try it.layer.overrideGroup(LayerMetadata.GroupChoice(group: "crew"))
        _ = try it.layer.beginThread(marker, id: "m", .plain("1"), commentID: "m1", author: nil, at: it.now)
        try it.accept(it.grant(collaboration: all.filter { $0.contentType == .comments }))
        #expect(try it.layer.tally() == [.parked: 2])
        try it.accept(it.grant(collaboration: all))
        #expect(try it.layer.seal()?.changes.map(\.id) == ["m", "m1"])
    }
}
