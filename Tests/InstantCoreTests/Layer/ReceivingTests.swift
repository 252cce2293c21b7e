import Annotations
import Authorization
import InstantCore
import SyncProtocol
import Testing

@Suite struct ReceivingTests {
    @Test func knownEventsAreIgnoredFollowingOnesAppliedAndGapsTold() throws {
        let it = try LayerFixture()
        func event(_ previous: Revision, _ revision: Revision, _ items: SyncItem...) throws -> LayerChanges {
            try it.layer.take(ChangeEvent(epoch: "e", revision: revision, previous: previous, changes: items)).changes
        }
        #expect(try event(0, 3, item("2", "old", 3)) == LayerChanges())
        #expect(try event(3, 4, item("2", "new", 4)).byOthers.map(\.text) == ["2"])
        #expect(try it.text("2") == "new")
        #expect(try event(5, 6, item("1", "later", 6)).needsPull)
        #expect(try it.text("1") == "one")
        #expect(try event(2, 3, item("2", "backwards", 3)) == LayerChanges())
        #expect(try it.layer.metadata().cursor == Cursor(epoch: "e", revision: 4))
    }

    /// A reply has no row in the list, so whoever is mentioned in it finds its annotation there.
    @Test func aMentionByOthersMakesItsAnnotationUnread() throws {
        let it = try LayerFixture()
        func comment(_ id: String, naming user: String, _ revision: Revision, by author: String) throws -> SyncItem {
            let text = #"<p><span data-user-id=\"\#(user)\">@A</span></p>"#
            let content = try Content(
                #"{"v":2,"type":"pspdfkit/comment","rootId":"1","text":{"format":"xhtml","value":"\#(text)"}}"#)
            return .record(Record(id: id, content: content, createdBy: author, updatedBy: author), revision)
        }
        func hear(_ revision: Revision, _ item: SyncItem) throws {
            _ = try it.layer.take(
                ChangeEvent(epoch: "e", revision: revision, previous: revision - 1, changes: [item]))
        }
        try hear(4, comment("c1", naming: "bo", 4, by: "bo"))
        try hear(5, comment("c2", naming: "ana", 5, by: "ana"))
        #expect(try it.layer.unreadCount() == 0)
        #expect(try it.layer.mentions().map(\.isUnread) == [false])
        try hear(6, comment("c3", naming: "ana", 6, by: "bo"))
        #expect(try it.layer.unreadCount() == 1)
        #expect(try it.layer.row("1")?.isUnread == true)
        #expect(try it.layer.mentions().filter(\.isUnread) == [MentioningComment(id: "c3", root: "1", isUnread: true)])
        // Reading another row does not end it.
        try it.layer.markRead(["2"])
        #expect(try it.layer.mentions().contains(where: \.isUnread))
        try it.layer.markRead(["1"])
        #expect(try it.layer.unreadCount() == 0 && !it.layer.mentions().contains(where: \.isUnread))
        try hear(7, comment("c4", naming: "ana", 7, by: "bo"))
        try it.layer.markAllRead(ListQuery())
        #expect(try it.layer.unreadCount() == 0 && !it.layer.mentions().contains(where: \.isUnread))
    }

    @Test func anEventOfAnotherEpochIsNotTaken() throws {
        let it = try LayerFixture()
        let event = ChangeEvent(epoch: "other", revision: 4, previous: 3, changes: [item("2", "x", 4)])
        #expect(try it.layer.take(event).changes.needsPull)
        #expect(try it.text("2") == "two")
    }

    @Test func anEventTellsWhatOfOursIsNotAtTheServer() throws {
        let it = try LayerFixture()
        func event(_ revision: Revision, _ items: SyncItem...) throws -> Backlog? {
            try it.layer.take(ChangeEvent(epoch: "e", revision: revision, previous: revision - 1, changes: items))
                .backlog
        }
        #expect(try event(4, item("2", "new", 4)) == Backlog.none)
        try it.layer.update("1", content: note("mine"), at: it.now)
        #expect(try event(5, item("2", "newer", 5)) == .sendable)
        #expect(try event(5, item("2", "newer", 5)) == nil)
        #expect(try event(6) == nil)
        #expect(try event(9, item("2", "behind a gap", 9)) == nil)
        try it.accept(it.grant(general: [.readDocument]), head: 6)
        #expect(try event(7, item("2", "newest", 7)) == .kept)
    }

    @Test func whatWaitsLiesOverWhatIsHeard() throws {
        let it = try LayerFixture()
        try it.layer.update("1", content: note("mine"), at: it.now)
        let event = ChangeEvent(
            epoch: "e", revision: 5, previous: 3, changes: [item("1", "theirs", 4), item("2", "new", 5)])
        #expect(try it.layer.take(event).changes.ids.map(\.text).sorted() == ["1", "2"])
        #expect(try it.text("1") == "mine")
        #expect(try it.delivery("1") == .unsent)
        #expect(try it.delivery("2") == .delivered)
    }

    @Test func whatIsHeardEndsWhatWasApplied() throws {
        let it = try LayerFixture()
        try it.layer.update("1", content: note("mine"), at: it.now)
        try it.layer.update("2", content: note("mine as well"), at: it.now)
        try it.push((.applied, 4), (.applied, 6))
        #expect(try it.layer.tally() == [.applied: 2])
        // The server reports one of them, with a change by another user.
        let event = ChangeEvent(
            epoch: "e", revision: 5, previous: 3, changes: [item("1", "mine", 4, by: "ana"), item("3", "new", 5)])
        #expect(try it.layer.take(event).backlog == Backlog.none)
        #expect(try it.layer.tally() == [.applied: 1])
        #expect(try it.text("2") == "mine as well")
        _ = try it.layer.take(ChangeEvent(epoch: "e", revision: 6, previous: 5, changes: []))
        #expect(try it.layer.tally() == [:])
        #expect(try it.text("2") == "two")
    }

    @Test func whatIsHeardOfARecordTwiceIsShownAsItStands() throws {
        let it = try LayerFixture()
        try it.pull(
            .removed("1", 4), item("1", "again", 5), item("2", "new", 6), item("2", "newest", 7), item("3", "three", 8),
            .removed("3", 9), .removed("4", 10), upTo: 10)
        for (id, text) in [("1", "again"), ("2", "newest"), ("3", nil), ("4", nil)] {
            #expect(try it.text(id) == text)
            #expect(try it.layer.row(id)?.text == text)
        }
    }

    @Test func aRowIsNeverReplacedByAnOlderOneAndTheCursorNeverFalls() throws {
        let it = try LayerFixture()
        try it.pull(item("2", "new", 8), upTo: 8)
        try it.pull(item("2", "old", 5), upTo: 5)
        #expect(try it.text("2") == "new")
        #expect(try it.layer.metadata().cursor?.revision == 8)
    }

    @Test func whatIsGoneDoesNotComeBackWithALateAnswer() throws {
        let it = try LayerFixture()
        try it.pull(.removed("2", 8), upTo: 8)
        try it.pull(item("2", "old", 7), upTo: 7)
        #expect(try it.text("2") == nil)
    }

    @Test func othersChangesAreUnreadAndOwnOnesAreNot() throws {
        let it = try LayerFixture()
        #expect(try it.layer.unreadCount() == 0)
        try it.pull(item("1", "theirs", 4), item("2", "mine elsewhere", 5, by: "ana"), upTo: 5)
        #expect(try it.layer.row("1")?.isUnread == true)
        #expect(try it.layer.row("2")?.isUnread == false)
        try it.layer.markRead(["1"])
        #expect(try it.layer.unreadCount() == 0)
    }

    @Test func theNextUnreadIsFoundBehindTheCursorThenFromTheTop() throws {
        let records = (10..<30).map { stored("\($0)", "text", 0) }
        let it = try LayerFixture(records: records)
        try it.pull(item("12", "a", 4), item("25", "b", 5), upTo: 5)
        func nextUnread(behind index: Int) throws -> Int? {
            try it.layer.store.read { try $0.nextUnread(ListQuery(), behind: index) }
        }
        #expect(try nextUnread(behind: 0) == 2)
        #expect(try nextUnread(behind: 2) == 15)
        #expect(try nextUnread(behind: 15) == 2)
        try it.layer.markRead(["12", "25"])
        #expect(try nextUnread(behind: 3) == nil)
    }

    @Test func anImpossibleRecordIsRefusedWhole() throws {
        let it = try LayerFixture()
        for id in ["", "a b", "a\u{0}", String(repeating: "x", count: 300)] {
            #expect(throws: InvalidServerData.self) { try it.pull(item("1", "fine", 4), item(id, "x", 5), upTo: 5) }
        }
        #expect(try it.text("1") == "one")
    }

    @Test func aFirstSnapshotIsShownPageByPage() throws {
        let it = try LayerFixture(records: [])
        try it.layer.restartSnapshot()
        let first = try #require(try it.layer.nextPage(epoch: "e"))
        _ = try it.layer.take(
            SnapshotPage(epoch: "e", at: 9, records: [item("a", "A", 1)], next: "a"), for: first)
        #expect(try it.text("a") == "A")
        #expect(try it.layer.metadata().cursor == nil)
        let second = try #require(try it.layer.nextPage(epoch: "e"))
        #expect(second == Layer.NextPage(after: "a", at: 9, epoch: "e"))
        _ = try it.layer.take(SnapshotPage(epoch: "e", at: 9, records: [item("b", "B", 2)], next: nil), for: second)
        #expect(try it.layer.metadata().cursor == Cursor(epoch: "e", revision: 9))
        #expect(try it.layer.unreadCount() == 0)
        #expect(try it.layer.nextPage(epoch: "e") == nil)
    }

    @Test func aLaterSnapshotIsLoadedBesideTheOldRowsAndSwapped() throws {
        let it = try LayerFixture()
        try it.layer.update("1", content: note("mine"), at: it.now)
        try it.layer.restartSnapshot()
        let first = try #require(try it.layer.nextPage(epoch: "e2"))
        _ = try it.layer.take(
            SnapshotPage(epoch: "e2", at: 9, records: [item("1", "theirs", 8)], next: "1"), for: first)
        #expect(try it.text("2") == "two")
        let second = try #require(try it.layer.nextPage(epoch: "e2"))
        let changes = try it.layer.take(
            SnapshotPage(epoch: "e2", at: 9, records: [item("3", "three", 5)], next: nil), for: second)
        #expect(changes.ids.map(\.text).sorted() == ["1", "2", "3"])
        #expect(try it.text("2") == nil)
        #expect(try it.text("3") == "three")
        // The queue stays.
        #expect(try it.text("1") == "mine")
    }

    @Test func aSnapshotThatGoesInCirclesIsNotFollowed() throws {
        let it = try LayerFixture()
        try it.layer.restartSnapshot()
        let first = try #require(try it.layer.nextPage(epoch: "e"))
        _ = try it.layer.take(SnapshotPage(epoch: "e", at: 9, records: [], next: "m"), for: first)
        let second = try #require(try it.layer.nextPage(epoch: "e"))
        #expect(throws: InvalidServerData.self) {
            try it.layer.take(SnapshotPage(epoch: "e", at: 9, records: [], next: "m"), for: second)
        }
    }

    /// Swift's `==` takes both ids for the same text.
    @Test func recordsWhoseIDsLookAlikeAreBothShown() throws {
        let it = try LayerFixture()
        let ids = ["cafe\u{301}", "caf\u{E9}"]
        let changes = try it.pull(item(ids[0], "first", 4), item(ids[1], "second", 5), upTo: 5)
        #expect((changes.ids.count, changes.byOthers.count) == (2, 2))
        let rows = try ids.map { try it.layer.row($0) }
        #expect(rows.map { $0?.text } == ["first", "second"])
        #expect(rows.allSatisfy { $0?.isUnread == true })
    }

    @Test func aUserWhoseNameLooksLikeOursIsSomeoneElse() throws {
        let it = try LayerFixture(user: "caf\u{E9}")
        #expect(try it.pull(item("2", "theirs", 4, by: "cafe\u{301}"), upTo: 4).byOthers.count == 1)
        #expect(try it.pull(item("2", "ours", 5, by: "caf\u{E9}"), upTo: 5).byOthers.isEmpty)
    }
}
