import Annotations
import Authorization
import InstantCore
import SyncProtocol
import Testing

/// What a deletion also deletes, what the user is told, and what the client requests.
@Suite("Deleting threads") struct ThreadDeletionTests {
    private static let mark = CommentingTests.highlight
    private static let threadMark = mark.asCommentThreadRoot

    private static func said(_ id: String, under root: String, _ revision: Revision, by user: String = "ana")
        -> StoredRecord
    {
        StoredRecord(
            Record(id: id, content: comment(id, under: root), createdBy: user, updatedBy: user), revision)
    }

    /// A mark `t` created for its thread, with ana's only comment `tc`; a mark `h` with bo's comment `c` and cy's `d`.
    private static func fixture(_ root: Content = threadMark, by user: String? = "ana", at revision: Revision = 1)
        throws -> LayerFixture
    {
        try LayerFixture(records: [
            StoredRecord(Record(id: "t", content: root, createdBy: user), revision), said("tc", under: "t", 2),
            StoredRecord(Record(id: "h", content: mark, createdBy: "ana"), 1), said("c", under: "h", 2, by: "bo"),
            said("d", under: "h", 3, by: "cy"),
        ])
    }

    private func rows(_ it: LayerFixture) throws -> [String] {
        try it.layer.rows(ListQuery(), offset: 0, limit: 9).map { $0.isDeletedRoot ? "(\($0.id))" : $0.id }.sorted()
    }

    /// Answers the only change of the next push, and reports what the server did.
    private func push(_ it: LayerFixture, _ items: SyncItem..., upTo revision: Revision) throws {
        let request = try #require(try it.layer.seal())
        let result = ChangeResult(n: try #require(request.changes.first).n, status: .applied, revision: revision)
        let delta = Delta(epoch: "e", changes: items, upTo: revision, more: false)
        _ = try it.layer.take(PushAnswer(results: [result], delta: delta), to: request, newClientID: "new")
    }

    // MARK: What a deletion hides

    /// A deletion that leaves the root was undone too late. The user deletes the text that is kept of it, too: that is a
    /// conflict, which sends nothing before it is decided.
    @Test func aDeletionInConflictHidesNoRoot() throws {
        let it = try Self.fixture(by: "cy")
        let receipt = try it.layer.delete("tc", with: [], at: it.now)
        let deletion = try #require(try it.layer.seal())
        #expect(deletion.changes.map(\.threadRevision) == [Change.leavesRoot])
        try it.layer.undo(receipt, at: it.now)
        let applied = ChangeResult(n: 1, status: .applied, revision: 6)
        _ = try it.layer.take(PushAnswer(results: [applied], delta: nil), to: deletion, newClientID: "new")
        let restore = try #require(try it.layer.seal())
        let gone = ChangeResult(n: 2, status: .gone, reason: "no such record")
        _ = try it.layer.take(PushAnswer(results: [gone], delta: nil), to: restore, newClientID: "new")
        try it.layer.delete("tc", at: it.now)
        #expect(try rows(it) == ["h", "t"])
        try it.pull(.removed("tc", 6), upTo: 6)
        #expect(try rows(it) == ["h", "t"])
    }

    // MARK: Headings

    /// A PDF that replaces another may use the id of a comment for something else.
    @Test func aHeadingGoesWhenItsLastCommentBecomesAnotherRecord() throws {
        let it = try Self.fixture()
        try it.pull(.removed("t", 4), upTo: 4)
        #expect(try rows(it) == ["(t)", "h"])
        try it.pull(.record(Record(id: "tc", content: Self.mark, createdBy: "ana"), 5), upTo: 5)
        #expect(try rows(it) == ["h", "tc"])
        try it.pull(
            .record(Record(id: "d", content: comment("d", under: "t"), createdBy: "cy", updatedBy: "cy"), 6), upTo: 6)
        #expect(try rows(it) == ["(t)", "h", "tc"])
    }

    // MARK: News

    @Test func whatGoesAndComesBackWithOnesOwnEditIsNoNews() throws {
        let it = try Self.fixture()
        let receipt = try it.layer.delete("h", at: it.now)
        let gone = try #require(try it.layer.seal())
        var changes = try it.layer.take(
            PushAnswer(
                results: [ChangeResult(n: gone.changes[0].n, status: .applied, revision: 6)],
                delta: Delta(
                    epoch: "e", changes: [.removed("c", 4), .removed("d", 5), .removed("h", 6)], upTo: 6, more: false)),
            to: gone, newClientID: "new")
        #expect(changes.byOthers.isEmpty)
        try it.layer.undo(receipt, at: it.now)
        let back = try #require(try it.layer.seal())
        let news = StoredRecord(
            Record(
                id: "new", content: comment("new", under: "h").changing { $0["createdAt"] = "2040-01-01T00:00:00Z" },
                createdBy: "bo", updatedBy: "bo"), 10)
        let items =
            [Self.said("c", under: "h", 7, by: "bo"), Self.said("d", under: "h", 8, by: "cy")]
            + [StoredRecord(Record(id: "h", content: Self.mark, createdBy: "cy", updatedBy: "cy"), 9), news]
        changes = try it.layer.take(
            PushAnswer(
                results: [ChangeResult(n: back.changes[0].n, status: .applied, revision: 9)],
                delta: Delta(
                    epoch: "e", changes: items.map { .record($0.record, $0.revision) }, upTo: 10, more: false)),
            to: back, newClientID: "new")
        // A comment made since is news.
        #expect(changes.byOthers.map(\.text) == ["new"])
        #expect(try it.layer.record("c") != nil && it.layer.row("h")?.isUnread == false)
    }

    @Test func aRootThatGoesAndComesBackWithItsLastCommentIsNoNews() throws {
        let it = try Self.fixture(by: "cy")
        let receipt = try it.layer.delete("tc", at: it.now)
        let gone = try #require(try it.layer.seal())
        var changes = try it.layer.take(
            PushAnswer(
                results: [ChangeResult(n: gone.changes[0].n, status: .applied, revision: 5)],
                delta: Delta(epoch: "e", changes: [.removed("t", 4), .removed("tc", 5)], upTo: 5, more: false)),
            to: gone, newClientID: "new")
        #expect(changes.byOthers.isEmpty)
        try it.layer.undo(receipt, at: it.now)
        let back = try #require(try it.layer.seal())
        let root = Record(id: "t", content: Self.threadMark, createdBy: "cy", updatedBy: "cy")
        changes = try it.layer.take(
            PushAnswer(
                results: [ChangeResult(n: back.changes[0].n, status: .applied, revision: 7)],
                delta: Delta(
                    epoch: "e",
                    changes: [.record(root, 6), .record(Self.said("tc", under: "t", 7).record, 7)], upTo: 7, more: false
                )),
            to: back, newClientID: "new")
        #expect(changes.byOthers.isEmpty)
        #expect(try it.layer.row("t")?.isUnread == false)
    }

    // MARK: A root

    @Test func aDeletedRootTakesItsThreadOutOfSight() throws {
        let it = try Self.fixture()
        let receipt = try it.layer.delete("h", at: it.now)
        #expect(receipt.along == ["c", "d"])
        #expect(try rows(it) == ["t"])
        for id in ["h", "c", "d"] { #expect(try it.layer.record(id) == nil && it.layer.shown(id) == nil, "\(id)") }
        #expect(throws: EditError.noSuchRecord("c")) { try it.layer.delete("c", at: it.now) }
        #expect(throws: EditError.noSuchRecord("c")) { try it.layer.reword("c", "x", at: it.now) }
        #expect(try it.layer.operations(on: "c") == [])
        #expect(try it.layer.seal()?.changes.first?.threadRevision == 3)
        try it.layer.undo(receipt, at: it.now)
        #expect(try rows(it) == ["h", "t"])
        #expect(try it.layer.record("c") != nil)
    }

    @Test func aConflictBringsRootAndThreadBack() throws {
        let it = try Self.fixture()
        try it.layer.delete("h", at: it.now)
        try it.push((.conflict, nil))
        #expect(try rows(it) == ["h", "t"])
        #expect(try it.layer.thread(under: "h").map(\.id) == ["c", "d"])
        #expect(try it.layer.record("c") != nil)
    }

    @Test func aThreadWithNewCommentsByOthersIsNotDeleted() throws {
        let it = try Self.fixture()
        let named = try it.layer.deletions(of: ["h"])[0].records.dropFirst().map(\.id)
        let late = Self.said("e", under: "h", 4, by: "bo")
        try it.pull(.record(late.record, 4), upTo: 4)
        #expect(throws: EditError.threadGrew) { try it.layer.delete("h", with: named, at: it.now) }
        #expect(try it.layer.tally().isEmpty)
        #expect(try it.layer.delete("h", with: named + ["e"], at: it.now).along == ["c", "d", "e"])
        // The user's own comment is not named.
        let own = try Self.fixture()
        try own.layer.reply(to: "h", .plain("mine"), id: "m", author: nil, at: own.now)
        #expect(try own.layer.delete("h", with: named, at: own.now).along.contains("m"))
    }

    // MARK: A last comment

    @Test func theLastCommentTakesItsRootAtOnce() throws {
        let it = try Self.fixture()
        #expect(try it.layer.deletions(of: ["tc"]).first?.root?.id == "t")
        let receipt = try it.layer.delete("tc", at: it.now)
        #expect(receipt.along == ["t"])
        #expect(try rows(it) == ["h"])
        #expect(try it.layer.record("t") == nil && it.layer.shown("t") == nil)
        #expect(throws: EditError.rootGone) {
            try it.layer.reply(to: "t", .plain("late"), id: "n", author: nil, at: it.now)
        }
        try it.layer.undo(receipt, at: it.now)
        #expect(try rows(it) == ["h", "t"])
        try it.layer.delete("tc", at: it.now)
        #expect(try it.layer.seal()?.changes.map(\.threadRevision) == [1])
    }

    @Test(
        "Where the root stays, the server is asked to leave it",
        arguments: [
            ("a mark that was there before", mark, "ana", 1), ("a mark of the PDF, unchanged", threadMark, nil, 0),
            ("one that was changed", threadMark.changing { $0["pdfObjectId"] = 14 }, nil, 1),
        ] as [(String, Content, String?, Revision)])
    func rootsThatStay(_ what: String, _ root: Content, _ user: String?, _ revision: Revision) throws {
        let id = root["pdfObjectId"] == nil ? "t" : "14"
        let it = try LayerFixture(records: [
            StoredRecord(Record(id: id, content: root, createdBy: user), revision), Self.said("tc", under: id, 2),
        ])
        #expect(try it.layer.deletions(of: ["tc"]).first?.root == nil)
        #expect(try it.layer.delete("tc", at: it.now).along.isEmpty)
        #expect(try rows(it) == [id])
        #expect(try it.layer.seal()?.changes.first?.threadRevision == Change.leavesRoot)
    }

    @Test func aMarkerCountsAsMadeForItsThread() throws {
        let marker = Content.commentMarker(onPage: 0, at: Point(x: 9, y: 9)).changing {
            $0["isCommentThreadRoot"] = nil
        }
        let it = try Self.fixture(marker)
        #expect(try it.layer.delete("tc", at: it.now).along == ["t"])
    }

    @Test func aRootStaysWithoutTheRightToDeleteIt() throws {
        let it = try Self.fixture(by: "bo")
        try it.accept(
            it.grant(collaboration: [
                Permission(.annotations, .view, .all), Permission(.comments, .view, .all),
                Permission(.annotations, .delete, .own), Permission(.comments, .delete, .own),
            ]))
        #expect(try it.layer.delete("tc", at: it.now).along.isEmpty)
        #expect(try rows(it).contains("t"))
    }

    @Test func aRootStaysUnderAnotherComment() throws {
        let it = try Self.fixture()
        try it.pull(.record(Self.said("te", under: "t", 4, by: "bo").record, 4), upTo: 4)
        #expect(try it.layer.delete("tc", at: it.now).along.isEmpty)
        #expect(try it.layer.seal()?.changes.first?.threadRevision == Change.leavesRoot)
        // After that is deleted too, this one was the last.
        #expect(try it.layer.delete("te", at: it.now).along == ["t"])
        #expect(try rows(it) == ["h"])
    }

    @Test func aCommentThatArrivesMeanwhileBringsTheRootBack() throws {
        let it = try Self.fixture()
        try it.layer.delete("tc", at: it.now)
        try it.pull(.record(Self.said("te", under: "t", 4, by: "bo").record, 4), upTo: 4)
        #expect(try rows(it) == ["h", "t"])
        #expect(try it.layer.thread(under: "t").map(\.id) == ["te"])
    }

    @Test func aRootThatTheUserWasNotToldAboutStays() throws {
        let it = try Self.fixture()
        #expect(try it.layer.delete("tc", with: [], at: it.now).along.isEmpty)
        #expect(try rows(it) == ["h", "t"])
        #expect(try it.layer.seal()?.changes.first?.threadRevision == Change.leavesRoot)
    }

    @Test func aCommentThatWasNeverSentTakesNothingAlong() throws {
        let it = try Self.fixture()
        _ = try it.layer.beginThread(
            Self.mark, id: "n", .plain("first"), commentID: "n1", author: nil, at: it.now)
        #expect(try it.layer.record("n")?.content["isCommentThreadRoot"] == true)
        #expect(try it.layer.delete("n1", at: it.now).along.isEmpty)
        #expect(try rows(it).contains("n"))
        #expect(try it.layer.seal()?.changes.map(\.id) == ["n"])
    }

    @Test func theServerMayKeepTheRoot() throws {
        let it = try Self.fixture()
        try it.layer.delete("tc", at: it.now)
        // The root has a comment that this user does not see.
        try push(it, .removed("tc", 4), upTo: 4)
        #expect(try rows(it) == ["h", "t"])
        #expect(try it.layer.tally().isEmpty)
    }

    @Test func bothComeBackTogether() throws {
        let it = try Self.fixture()
        let receipt = try it.layer.delete("tc", at: it.now)
        try push(it, .removed("t", 4), .removed("tc", 5), upTo: 5)
        #expect(try rows(it) == ["h"])
        let undone = try it.layer.undo(receipt, at: it.now)
        #expect(try rows(it) == ["h"], "no heading for what is on its way back")
        let request = try #require(try it.layer.seal())
        #expect(request.changes.map(\.kind) == [.restore])
        let root = SyncItem.record(Record(id: "t", content: Self.threadMark, createdBy: "ana"), 6)
        let back = SyncItem.record(Self.said("tc", under: "t", 7).record, 7)
        let result = ChangeResult(n: request.changes[0].n, status: .applied, revision: 7)
        _ = try it.layer.take(
            PushAnswer(results: [result], delta: Delta(epoch: "e", changes: [root, back], upTo: 7, more: false)),
            to: request, newClientID: "new")
        #expect(try rows(it) == ["h", "t"])
        #expect(try it.layer.row("t")?.replies == 1)
        // Redo.
        #expect(try it.layer.undo(undone, at: it.now).kind == .delete)
        #expect(try it.layer.seal()?.changes.first?.threadRevision == Change.leavesRoot, "an undo asks nobody")
    }

    @Test func aRefusedDeletionShowsTheRootAgain() throws {
        let it = try Self.fixture()
        try it.layer.delete("tc", at: it.now)
        try it.push((.denied, nil))
        #expect(try rows(it) == ["h", "t"])
        let conflict = try #require(try it.layer.conflicts().first)
        try it.layer.resolve(conflict.id, .mine, newID: "x", at: it.now)
        #expect(try rows(it) == ["h"])
        #expect(try it.layer.seal()?.changes.first?.threadRevision == 1, "the user was told of the root")
    }

    @Test(arguments: [false, true]) func aDiscardedDeletionShowsTheRootAgain(_ isCommentGone: Bool) throws {
        let it = try Self.fixture()
        try it.layer.delete("tc", at: it.now)
        if isCommentGone { try it.pull(.removed("tc", 4), upTo: 4) }
        let entry = try #require(try it.layer.outbox().first)
        try it.layer.discard(entry.seq)
        #expect(try rows(it) == ["h", "t"])
    }

    /// The deletion is being sent, was undone, and the restored record was edited. Then only the restore is discarded: the
    /// screen shows the edit that waits, and the comments with it, until the server has deleted the record.
    @Test func anEditOfARestoredRecordIsShownAlsoWithoutItsRestore() throws {
        let it = try Self.fixture()
        let deletion = try it.layer.delete("t", at: it.now)
        _ = try it.layer.seal()
        try it.layer.undo(deletion, at: it.now)
        let edit = Self.threadMark.changing { $0["color"] = "#123456" }
        try it.layer.update("t", content: edit, at: it.now)
        let restore = try #require(try it.layer.outbox().first { $0.kind == .restore })
        try it.layer.discard(restore.seq)
        #expect(try rows(it) == ["h", "t"])
        #expect(try it.layer.thread(under: "t").map(\.id) == ["tc"])
        #expect(try it.layer.record("tc") != nil)
        #expect(try it.layer.outbox().map(\.kind) == [.delete, .update])
    }

    @Test func aCommentThatIsGoneAlreadyShowsTheRootAgain() throws {
        let it = try Self.fixture()
        try it.layer.delete("tc", at: it.now)
        try it.push((.gone, nil))
        #expect(try rows(it) == ["h", "t"])
    }

    /// The revisions of another history say nothing about what the user saw.
    @Test func afterARestoredBackupTheRootIsThatOfTheNewHistory() throws {
        let it = try Self.fixture()
        try it.layer.delete("tc", at: it.now)
        try it.layer.delete("d", at: it.now)
        try it.accept(it.grant(), generation: "two", head: 9)
        try it.take(
            [
                StoredRecord(Record(id: "t", content: Self.threadMark, createdBy: "ana"), 7),
                Self.said("tc", under: "t", 8), StoredRecord(Record(id: "h", content: Self.mark, createdBy: "ana"), 4),
                Self.said("c", under: "h", 5, by: "bo"), Self.said("d", under: "h", 6, by: "cy"),
            ], epoch: "etwo", at: 9)
        let changes = try #require(try it.layer.seal()).changes
        #expect(changes.map(\.baseRevision) == [8, 6])
        #expect(changes.map(\.threadRevision) == [7, Change.leavesRoot])
    }

    // MARK: The plan

    @Test func aPlanNamesEachRecordOnce() throws {
        let it = try Self.fixture()
        func plan(_ ids: [String]) throws -> [[String]] {
            try it.layer.deletions(of: ids).map { $0.records.map(\.id) }
        }
        #expect(try plan(["h", "c", "none", "tc"]) == [["h", "c", "d"], ["tc", "t"]])
        #expect(try plan(["c", "h"]) == [["c"], ["h", "d"]])
        #expect(try plan(["t", "tc"]) == [["t", "tc"]])
        try it.pull(.record(Self.said("te", under: "t", 4, by: "bo").record, 4), upTo: 4)
        #expect(try plan(["tc", "te"]) == [["tc"], ["te", "t"]])
    }

    @Test func anUndoDeletesNobodyElsesComments() throws {
        let it = try Self.fixture()
        let made = try it.layer.create(Self.mark, id: "n", author: nil, at: it.now)
        try push(it, .record(try #require(try it.layer.record("n")), 4), upTo: 4)
        try it.pull(.record(Self.said("n1", under: "n", 5, by: "bo").record, 5), upTo: 5)
        #expect(throws: EditError.cannotUndo("others have commented on it; delete it instead")) {
            try it.layer.undo(made, at: it.now)
        }
        #expect(try rows(it).contains("n"))
    }

    // MARK: What is left

    @Test func commentsWithoutARootHaveAHeading() throws {
        let it = try Self.fixture()
        try it.pull(.removed("h", 4), .removed("d", 5), upTo: 5)
        #expect(try rows(it) == ["(h)", "t"])
        #expect(try it.layer.row("h")?.replies == 1)
        #expect(try it.layer.record("h") == nil)
        #expect(try it.layer.thread(under: "h").map(\.id) == ["c"])
        #expect(try it.layer.shownWithoutRoot().map(\.record.id) == ["c"])
        #expect(try it.layer.rows(onPage: 0).map(\.id) == ["t"], "nothing on the page")
        #expect(throws: EditError.rootGone) {
            try it.layer.reply(to: "h", .plain("late"), id: "n", author: nil, at: it.now)
        }
        #expect(try it.layer.operations(on: "c") == [.edit, .delete, .setGroup])
        try it.layer.reword("c", "changed", at: it.now)
        #expect(try it.layer.thread(under: "h").map { Annotation($0).text } == ["changed"])
        let receipt = try it.layer.delete("c", at: it.now)
        #expect(receipt.along.isEmpty)
        #expect(try rows(it) == ["t"])
        try it.layer.undo(receipt, at: it.now)
        #expect(try rows(it) == ["(h)", "t"])
        // The root returns.
        try it.pull(.record(Record(id: "h", content: Self.mark, createdBy: "ana"), 6), upTo: 6)
        #expect(try rows(it) == ["h", "t"])
        #expect(try it.layer.row("h")?.isDeletedRoot == false)
    }

    @Test func commentsOfAHiddenRootHaveAHeadingToo() throws {
        let it = try Self.fixture()
        try it.accept(
            it.grant(collaboration: [Permission(.annotations, .view, .group("x")), Permission(.comments, .view, .all)]))
        #expect(try rows(it) == ["(h)", "(t)"])
    }

    /// The root is on a later page, or nowhere.
    @Test func aSnapshotAddsHeadingsAtItsEnd() throws {
        let it = try LayerFixture(records: [])
        try it.layer.restartSnapshot()
        let first = SnapshotPage(
            epoch: "e", at: 9,
            records: [
                .record(Self.said("a", under: "z", 2).record, 2), .record(Self.said("b", under: "none", 3).record, 3),
            ], next: "b")
        _ = try it.layer.take(first, for: Layer.NextPage())
        #expect(try rows(it) == [])
        let asked = try #require(try it.layer.nextPage(epoch: "e"))
        let last = SnapshotPage(
            epoch: "e", at: 9, records: [.record(Record(id: "z", content: Self.mark), 1)], next: nil)
        _ = try it.layer.take(last, for: asked)
        #expect(try rows(it) == ["(none)", "z"])
        // A second snapshot is staged next to these rows.
        try it.layer.restartSnapshot()
        try it.take([Self.said("a", under: "z", 2), Self.said("c", under: "z", 8)], at: 10)
        #expect(try rows(it) == ["(z)"])
        #expect(try it.layer.row("z")?.replies == 2)
    }

    @Test func aReplyThatCameTooLateIsShownWhereItWasMeant() throws {
        let it = try Self.fixture()
        try it.layer.reply(to: "t", .plain("too late"), id: "n", author: nil, at: it.now)
        try it.pull(.removed("t", 4), .removed("tc", 5), upTo: 5)
        try it.push((.gone, nil))
        #expect(try rows(it) == ["(t)", "h"])
        #expect(try it.layer.thread(under: "t").map { Annotation($0).text } == ["too late"])
        let conflict = try #require(try it.layer.conflicts().first)
        try it.layer.resolve(conflict.id, .theirs, newID: "x", at: it.now)
        #expect(try rows(it) == ["h"])
    }
}
