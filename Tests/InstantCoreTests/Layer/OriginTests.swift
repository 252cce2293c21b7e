import Annotations
import InstantCore
import SyncProtocol
import TestSupport
import Testing

/// Who created a record, when and in which thread stays, whatever an edit contains and whichever way it takes.
@Suite("What an edit does not change") struct OriginTests {
    private static let creation = "2024-01-01T00:00:00.000Z"

    /// A record of the server that Bo created as the root of a thread.
    private static func made(_ text: String, _ revision: Revision) -> StoredRecord {
        var record = stored("2", text, revision, by: "bo")
        record.record.content = note(text).changing {
            $0["creatorName"] = "Bo"
            $0["createdAt"] = .string(creation)
            $0["isCommentThreadRoot"] = true
        }
        return record
    }

    private static func isKept(_ content: Content?) -> Bool {
        content?["creatorName"] == "Bo" && content?["createdAt"] == .string(creation)
            && content?["isCommentThreadRoot"] == true && content?["createdBy"] == nil && content?["updatedBy"] == nil
    }

    private static let forged = note("mine").changing {
        $0["creatorName"] = "Ana"
        $0["createdAt"] = "1990-01-01T00:00:00Z"
        $0["isCommentThreadRoot"] = false
        $0["rootId"] = "1"
        $0["createdBy"] = "ana"
        $0["updatedBy"] = "ana"
    }

    private let it: LayerFixture

    init() throws { it = try LayerFixture(records: [stored("1", "one", 0), Self.made("two", 3)]) }

    @Test func theContentOfAnUpdateNeedsNone() throws {
        for content in [note("mine"), Self.forged] {
            try it.layer.update("2", content: content, at: it.now)
            let shown = try #require(try it.layer.record("2")).content
            #expect(Self.isKept(shown) && shown["text"] == "mine" && shown["rootId"] == nil)
        }
        #expect(Self.isKept(try it.layer.seal()?.changes.first?.content))
        // A record without a known author or time does not get one.
        try it.layer.update("1", content: Self.forged, at: it.now)
        let plain = try #require(try it.layer.record("1")).content
        for member in Content.originMembers.union(Content.userMembers) { #expect(plain[member] == nil, "\(member)") }
    }

    /// The record was not sent yet: the edit is merged into its create.
    @Test func aNewRecordKeepsItsAuthorAndTime() throws {
        try it.layer.create(
            Self.forged.changing { $0["rootId"] = nil }, id: "n", author: nil, at: it.now)
        try it.layer.update("n", content: note("second"), at: it.now + 5000)
        let change = try #require(try it.layer.seal()?.changes.first)
        #expect(change.kind == .create && change.content?["text"] == "second")
        #expect(change.content?["creatorName"] == "Ana" && change.content?["createdAt"] == "1990-01-01T00:00:00Z")
        #expect(change.content?["createdBy"] == nil && change.content?["updatedBy"] == nil)
        #expect(try it.layer.record("n")?.content["createdAt"] == "1990-01-01T00:00:00Z")
    }

    /// What the caller left out is no change, and no conflict with another person's edit.
    @Test func whatIsLeftOutIsNoConflict() throws {
        let read = try #require(try it.layer.record("2")).content
        var other = Self.made("two", 9)
        other.record.content = other.record.content.changing { $0["color"] = "#ff0000" }
        try it.pull(.record(other.record, 9), upTo: 9)
        try it.layer.update("2", content: note("mine"), over: read, at: it.now)
        let shown = try #require(try it.layer.record("2")).content
        #expect(Self.isKept(shown) && shown["text"] == "mine" && shown["color"] == "#ff0000")
        #expect(try it.layer.conflicts().isEmpty)
    }

    @Test(arguments: [false, true]) func aResolvedConflictKeepsIt(isMerged: Bool) throws {
        let read = try #require(try it.layer.record("2")).content
        try it.pull(.record(Self.made("theirs", 9).record, 9), upTo: 9)
        try it.layer.update("2", content: note("mine"), over: read, at: it.now)
        let conflict = try #require(try it.layer.conflicts().first)
        #expect(Self.isKept(conflict.mine))
        try it.layer.resolve(conflict.id, isMerged ? .merged(Self.forged) : .mine, newID: "n", at: it.now)
        #expect(Self.isKept(try it.layer.record("2")?.content))
        #expect(Self.isKept(try it.layer.seal()?.changes.first?.content))
    }

    /// The record is gone: its text is created anew, as what it was.
    @Test func aConflictWithADeletionKeepsIt() throws {
        try it.layer.update("2", content: note("mine"), at: it.now)
        try it.push((.gone, nil))
        try it.pull(.removed("2", 9), upTo: 9)
        let conflict = try #require(try it.layer.conflicts().first)
        #expect(Self.isKept(try it.layer.record("2")?.content), "shown in place of the record")
        try it.layer.resolve(conflict.id, .merged(Self.forged), newID: "n", at: it.now)
        #expect(Self.isKept(try it.layer.record("n")?.content))
        let change = try #require(try it.layer.seal()?.changes.first)
        #expect(change.kind == .create && Self.isKept(change.content))
    }

    @Test func undoAndRedoKeepIt() throws {
        let first = try it.layer.update("2", content: Self.forged, at: it.now)
        try it.push((.applied, 4))
        // The server's row agrees on everything but the times that it stamps.
        var row = Self.made("mine", 4)
        row.record.updatedBy = "ana"
        try it.pull(.record(row.record, 4), upTo: 4)
        let undone = try it.layer.undo(first, at: it.now)
        #expect(try it.text("2") == "two")
        #expect(Self.isKept(try it.layer.record("2")?.content))
        try it.layer.undo(undone, at: it.now)
        #expect(try it.text("2") == "mine")
        #expect(Self.isKept(try it.layer.record("2")?.content))
    }

    /// An earlier version stored edits without what they left out.
    @Test func anEditOfAnEarlierVersionIsShownAsTheServerWillStoreIt() throws {
        let before = try #require(try it.layer.record("2"))
        _ = try it.layer.store.write {
            try $0.append(
                OutboxEntry(
                    id: "2", kind: .update, baseRevision: 3, content: Self.forged, base: before, madeAt: it.now))
        }
        let shown = try #require(try it.layer.record("2")).content
        #expect(Self.isKept(shown) && shown["text"] == "mine" && shown["rootId"] == nil)
        // The server stored the edit, but its answer was lost.
        let request = try #require(try it.layer.seal())
        var row = Self.made("mine", 4)
        row.record.updatedBy = "ana"
        let result = ChangeResult(n: 1, status: .conflict, reason: "because", item: .record(row.record, 4))
        _ = try it.layer.take(PushAnswer(results: [result], delta: nil), to: request, newClientID: "new")
        #expect(try it.layer.conflicts().isEmpty)
    }
}
