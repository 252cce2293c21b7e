import Annotations
import Authorization
import InstantCore
import SyncProtocol
import Testing

/// Saying something under an annotation, without a server in reach.
@Suite("Commenting") struct CommentingTests {
    static let highlight = note("marked").changing { $0["type"] = "pspdfkit/markup/highlight" }

    /// A highlight `h` of the PDF, one of ana's own `own`, a note `n`, and bo's comment `c` under `h`.
    static func fixture(_ collaboration: [Permission]? = nil) throws -> LayerFixture {
        try LayerFixture(
            collaboration: collaboration,
            records: [
                StoredRecord(Record(id: "h", content: highlight), 0),
                StoredRecord(Record(id: "own", content: highlight, createdBy: "ana"), 1),
                stored("n", "a note", 2),
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
        // The highlight is of version 1, and so is what is said under it.
        #expect((record.content["v"], record.content["text"]) == (1, "second"))
        #expect(try it.layer.seal()?.changes.map(\.kind) == [.create])
    }

    @Test func aRootAndItsFirstCommentAreMadeTogetherOrNotAtAll() throws {
        let it = try Self.fixture()
        let marker = Content.commentMarker(onPage: 0, at: Point(x: 50, y: 50))
        _ = try it.layer.beginThread(
            marker, id: "m", .plain("look"), commentID: "m1", author: nil, at: it.now)
        #expect(try it.layer.seal()?.changes.map(\.id) == ["m", "m1"])
        #expect(throws: EditProblem.noThread(.isKind(.note))) {
            try it.layer.beginThread(note("x"), id: "q", .plain("q"), commentID: "q1", author: nil, at: it.now)
        }
        #expect(try it.layer.record("q") == nil)
    }

    @Test(
        "Where nothing can be said, with the reason",
        arguments: [
            ("n", EditProblem.noThread(.isKind(.note))), ("c", .noThread(.isComment)), ("x", .rootGone),
        ])
    func refusals(root: String, why: EditProblem) throws {
        let it = try Self.fixture()
        #expect(throws: why) { try it.layer.reply(to: root, .plain("a"), id: "d", author: nil, at: it.now) }
        // The same by hand, past the convenience.
        #expect(throws: why) {
            try it.layer.create(comment("a", under: root), id: "d", author: nil, at: it.now)
        }
        #expect(try it.layer.tally().isEmpty)
    }

    @Test func aCommentWithoutARootIsNone() throws {
        let it = try Self.fixture()
        let lone = comment("a", under: "h").changing { $0["rootId"] = nil }
        #expect(throws: EditProblem.noRoot) { try it.layer.create(lone, id: "d", author: nil, at: it.now) }
    }

    @Test func aCommentStaysInItsThread() throws {
        let it = try Self.fixture()
        for other in [comment("a", under: "own"), note("a")] {
            #expect(throws: EditProblem.otherKind) { try it.layer.update("c", content: other, at: it.now) }
        }
    }

    @Test(
        "What the keys say is what the server will say",
        arguments: [
            (["annotations:view:all"], ["own": true, "h": false, "c": false]),
            (["comments:reply:all"], ["own": true, "h": true, "c": true, "n": false]),
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
            #expect(try (it.layer.replyProblem(id) == nil) == may, "\(id)")
        }
    }

    @Test func onlyTheFirstCommentOnOnesOwnRootIsFree() throws {
        let it = try Self.fixture([])
        try it.layer.reply(to: "own", .plain("first"), id: "d", author: nil, at: it.now)
        #expect(throws: EditProblem.denied(.needs([Permission(.comments, .reply, .own)]))) {
            try it.layer.reply(to: "own", .plain("second"), id: "e", author: nil, at: it.now)
        }
        #expect(try it.layer.replyProblem("own")?.description == "needs comments:reply:self")
    }
}
