import Annotations
import InstantCore
import Screen
import Testing

@testable import App

/// Unsent edits, and conflicts between two people.
@Suite struct OutboxTests {
    private func note(_ text: String) -> Content { Self.note(text) }
    static func note(_ text: String) -> Content { .note(onPage: 0, at: Point(x: 0, y: 0), text: text) }

    private func stage() -> Stage { Stage(Self.services()) }

    static func services() -> FakeServices {
        let services = Sample.services()
        services.outbox = [
            OutboxItem(
                id: "h2", action: .update, kind: .highlight, pageIndex: 0, delivery: .unsent, since: .noon + -60_000,
                mine: note("waiting")),
            OutboxItem(
                id: "n1", action: .update, kind: .note, pageIndex: 1, delivery: .conflict, since: .noon + -120_000,
                base: note("the base"), mine: note("my text"), theirs: note("her text"), theirAuthor: "ana"),
            OutboxItem(
                id: "u1", action: .delete, kind: .underline, pageIndex: 0, delivery: .refused,
                reason: "needs annotations:delete:self"),
        ]
        services.opened.status.unsent = 1
        services.opened.status.conflicts = 1
        services.opened.status.refused = 1
        return services
    }

    static func sides(of id: Record.ID) -> Conflict.Sides {
        services().outbox.first { $0.id.isExactly(id) }?.sides ?? Conflict.Sides(mine: nil, theirs: nil)
    }

    @Test func aConflictIsToldOnceWithTheWayToIt() throws {
        let stage = Stage(Sample.services())
        var status = SyncStatus.live()
        status.conflicts = 1
        stage.send(.status(status))
        #expect(stage.foot == " One of your edits is in conflict; O to compare (nothing is lost)")
        stage.now = .noon + 5_000
        try stage.press("j")
        stage.send(.status(status))
        #expect(!stage.foot.contains("conflict"))
        status.conflicts = 3
        stage.send(.status(status))
        #expect(stage.foot.hasPrefix(" 2 of your edits are in conflict; O to compare"))
    }

    @Test func withoutAScreenAConflictIsToldWithItsWord() {
        let stage = PlainStage(Sample.services())
        var status = SyncStatus.live()
        status.conflicts = 1
        stage.send(.status(status))
        #expect(stage.type("next").contains("One of your edits is in conflict; outbox to compare (nothing is lost)"))
    }

    @Test func theList() throws {
        let stage = stage()
        #expect(stage.statusLine.hasPrefix(" 1 in conflict   1 refused  ") && stage.statusLine.contains("Unsent: 1"))
        try stage.press("O")
        #expect(
            stage.lines[1...4] == [
                "─ Unsent: 3 " + String(repeating: "─", count: 68),
                "▌ ^H  1  highlight changed      1m   unsent  waiting",
                "  !N  2  note changed           2m   conflict, Enter to compare  my text",
                "  !U  1  underline deleted           refused: needs annotations:delete:self",
            ])
        try stage.press("q")
        #expect(stage.lines[0].contains("page 1"))
    }

    @Test func anEditWhoseFileIsBeingSentSaysHowFarItIs() throws {
        let services = Self.services()
        let file = try #require(AttachmentID(String(repeating: "a", count: 64)))
        services.outbox[0].mine = Self.note("waiting").changing { $0["imageAttachmentId"] = .string(file.hex) }
        let stage = Stage(services)
        try stage.press("O")
        #expect(stage.lines[2].contains("1m   unsent  waiting"))
        let transfer = TransferStatus(done: 1_000_000, total: 5_000_000, bytesPerSecond: 100_000)
        stage.send(.upload(UploadStatus(file: file, transfer: transfer)))
        #expect(stage.lines[2].contains("1m   sending its file  20%  40s left  waiting"), "\(stage.lines[2])")
        stage.send(.upload(nil))
        #expect(stage.lines[2].contains("1m   unsent  waiting"))
    }

    @Test func enterGoesToTheRecord() throws {
        let stage = stage()
        try stage.press("O<enter>")
        #expect(stage.state.document?.list.cursorID == "h2")
        #expect(stage.state.document?.outbox.isOpen == false)
    }

    @Test func aRefusedEditCanBeDroppedAWaitingOneNot() throws {
        let stage = stage()
        try stage.press("OGt")
        #expect(stage.asked.contains(.resolve("u1", .theirs, of: Self.sides(of: "u1"))))
        try stage.press("ggt")
        #expect(stage.foot == " Not refused, only unsent; u undoes your last edit")
        try stage.press("s")
        #expect(stage.asked.last == .saveUnsent(.hotos))
    }

    /// A key that does nothing is dim.
    @Test func keysFollowTheEditAtTheCursor() throws {
        let stage = stage()
        try stage.press("O")
        let column = try #require(stage.lines[23].firstRange(of: "t keep theirs")).lowerBound
        let place = stage.lines[23].distance(from: stage.lines[23].startIndex, to: column)
        #expect(stage.canvas[23, place].style == stage.state.theme.dimmed)
        try stage.press("j")
        #expect(stage.canvas[23, place].style == stage.state.theme.footerKey)
    }

    /// On the smallest screen, too, the card says how it is closed, and that there is more of it.
    @Test func theConflictCardFitsTheSmallestScreen() throws {
        let stage = Stage(Self.services(), rows: 8, columns: 30)
        try stage.press("Oj<enter>")
        #expect(stage.lines[7].contains("Esc close"))
        #expect(stage.lines[7].contains("? help"))
        #expect(stage.lines[1...6].contains { $0.hasSuffix("█") })
        try stage.press("G")
        #expect(stage.screen.contains("my text"))
    }

    @Test func theConflictCardShowsAllThree() throws {
        let stage = stage()
        try stage.press("Oj<enter>")
        #expect(stage.boxTitle == "ana changed the same note on page 2")
        #expect(
            stage.box.filter { !$0.isEmpty } == [
                "was", "  the base", "theirs · ana", "  her text", "yours", "  my text",
            ])
        #expect(stage.boxKeys == " m keep mine  t keep theirs  e merge  Esc close  ? help")
    }

    @Test(arguments: [("m", Resolution.mine), ("t", .theirs)])
    func aConflictIsResolved(key: String, resolution: Resolution) throws {
        let stage = stage()
        try stage.press("Oj<enter>\(key)")
        #expect(stage.asked.contains(.resolve("n1", resolution, of: Self.sides(of: "n1"))))
        #expect(stage.state.document?.conflict == nil)
    }

    /// The outbox is read again while the card is open: what the key decides is what the card shows.
    @Test(arguments: ["m", "t", "e"])
    func aDecisionIsAboutWhatTheCardShows(key: String) throws {
        let stage = stage()
        try stage.press("Oj<enter>")
        var items = Self.services().outbox
        items[1].theirs = note("her next text")
        items[1].sides.theirs = items[1].theirs
        stage.send(.outbox(items))
        try stage.press(key)
        if key == "e" {
            for _ in 0..<200 { try stage.press("<backspace>") }
            try stage.press("both<enter>")
        }
        let decided = stage.asked.compactMap { effect in
            if case .resolve("n1", _, let sides) = effect { sides } else { nil }
        }
        #expect(decided == [Self.sides(of: "n1")])
    }

    @Test func bothTextsAreMerged() throws {
        let stage = stage()
        try stage.press("Oj<enter>e")
        let text = "<<<<<<< theirs: ana\nher text\n=======\nmy text\n>>>>>>> yours"
        #expect(stage.state.document?.editor?.input.text == text)
        try stage.press("<enter>")
        #expect(stage.foot.contains("Not saved: the line <<<<<<< theirs: ana remains"))
        #expect(!stage.asked.contains { if case .resolve = $0 { true } else { false } })
        for _ in 0..<200 { try stage.press("<backspace>") }
        try stage.press("her text and mine<enter>")
        #expect(stage.asked.contains(.resolve("n1", .merged(note("her text and mine")), of: Self.sides(of: "n1"))))
    }

    /// Side by side where it is wide, with the changed words marked; a long text can be scrolled to its end.
    @Test func aWideConflictHasThreeColumns() throws {
        let stage = Stage(Self.services(), rows: 30, columns: 120)
        try stage.press("Oj<enter>")
        let titles = try #require(stage.lines.first { $0.contains("was ") && $0.contains("yours") })
        #expect(titles.contains("theirs · ana"))
        let row = try #require(stage.lines.firstIndex { $0.contains("her text") })
        #expect(stage.lines[row].contains("the base") && stage.lines[row].contains("my text"))
        let place = try #require(stage.lines[row].firstRange(of: "her text"))
        let column = stage.lines[row].distance(from: stage.lines[row].startIndex, to: place.lowerBound)
        #expect(stage.canvas[row, column].style.attributes.contains(.underline))
    }

    @Test func aLongConflictScrolls() throws {
        let services = Self.services()
        let long = (1...60).map { "line \($0)" }.joined(separator: "\n")
        services.outbox[1].mine = note(long)
        let stage = Stage(services, rows: 24, columns: 80)
        try stage.press("Oj<enter>")
        #expect(!stage.screen.contains("line 60"))
        try stage.press("G")
        #expect(stage.screen.contains("line 60"))
        try stage.press("gg")
        #expect(stage.screen.contains("the base"))
    }

    // MARK: A record changes while it is edited

    private func overtaken() throws -> Stage {
        let stage = Stage(Sample.services())
        try stage.press("e mine")
        stage.services.records[0].content = stage.services.records[0].content.changing { $0["note"] = "theirs" }
        stage.send(.recordsChanged(["h1"], author: "ana"))
        return stage
    }

    @Test func itIsSaidAndTheTextStays() throws {
        let stage = try overtaken()
        #expect(stage.foot == " ana changed this meanwhile; Enter to compare (nothing is lost)")
        #expect(stage.state.document?.editor?.input.text == "Which ones? mine")
        try stage.press("<enter>")
        #expect(!stage.asked.contains { if case .perform = $0 { true } else { false } })
        #expect(stage.box.contains("theirs · ana") && stage.box.contains("  theirs"))
        #expect(stage.box.contains("yours") && stage.box.contains("  Which ones? mine"))
    }

    @Test func mineAgainIsWrittenOverTheirs() throws {
        let stage = try overtaken()
        try stage.press("<enter>m")
        #expect(stage.services.records[0].content["note"] == "Which ones? mine")
        #expect(stage.state.document?.editor == nil)
        // What comes after theirs is in conflict with it.
        let seen = stage.asked.compactMap { if case .perform(let step) = $0 { step.seen.values.first } else { nil } }
        #expect(seen.map { $0["note"] } == ["theirs"])
    }

    @Test func theirsKeepsMineAsADraft() throws {
        let stage = try overtaken()
        try stage.press("<enter>t")
        #expect(stage.services.records[0].content["note"] == "theirs")
        #expect(stage.asked.last == .saveDraft(.record("h1"), "Which ones? mine"))
    }

    @Test func merging() throws {
        let stage = try overtaken()
        try stage.press("<enter>e")
        let text = "<<<<<<< theirs: ana\ntheirs\n=======\nWhich ones? mine\n>>>>>>> yours"
        #expect(stage.state.document?.editor?.input.text == text)
        for _ in 0..<200 { try stage.press("<backspace>") }
        try stage.press("both<enter>")
        #expect(stage.services.records[0].content["note"] == "both")
    }

    // MARK: Edits made under another address

    @Test func editsOfAnotherAddressAreSentAfterAYesThatNamesBoth() throws {
        let stage = stage()
        stage.send(.otherCopies([OutboxCopy(server: "http://127.0.0.1:8080", unsent: 2)]))
        #expect(
            stage.foot
                == " 2 edits of this layer unsent under http://127.0.0.1:8080; O to see them")
        try stage.press("OG")
        #expect(stage.screen.contains("Under other addresses: 2"))
        #expect(stage.screen.contains("-  2 edits"))
        #expect(stage.screen.contains("made under http://127.0.0.1:8080, Enter"))
        try stage.press("t")
        #expect(stage.foot == " Made under another address; Enter sends it here")
        try stage.press("<enter>")
        let server = LayerReference.hotos.server
        #expect(
            stage.foot.hasPrefix(
                "Is http://127.0.0.1:8080 the same server? Send its 2 edits to \(server)? y/N"))
        try stage.press("n")
        #expect(!stage.asked.contains(.takeCopy("http://127.0.0.1:8080")))
        try stage.press("<enter>y")
        #expect(stage.asked.last == .takeCopy("http://127.0.0.1:8080"))
        stage.send(.otherCopies([]))
        #expect(!stage.screen.contains("other addresses"))
    }

    @Test func unsentEditsOfAnotherAddressAreNotCalledSent() throws {
        let stage = Stage(Sample.services())
        stage.send(.otherCopies([OutboxCopy(server: "http://127.0.0.1:8080", unsent: 2)]))
        try stage.press("Os")
        #expect(stage.foot == " What is unsent was made under another address; Enter sends it here")
    }

    @Test func theCursorStaysOnTheEditsOfAnotherAddress() throws {
        let stage = stage()
        let copies = ["http://a", "http://b"].map { OutboxCopy(server: $0, unsent: 1) }
        stage.send(.otherCopies(copies))
        try stage.press("OG")
        stage.send(.outbox([]))
        #expect(stage.state.document?.outbox.currentCopy?.server == "http://b")
        stage.send(.otherCopies([OutboxCopy(server: "http://b", unsent: 3)]))
        #expect(stage.state.document?.outbox.currentCopy == OutboxCopy(server: "http://b", unsent: 3))
    }

    @Test func withoutAScreenEditsOfAnotherAddressAreNamed() {
        let stage = PlainStage(Sample.services())
        stage.send(.otherCopies([OutboxCopy(server: "http://127.0.0.1:8080", unsent: 1)]))
        #expect(
            stage.type("outbox").prefix(1) == [
                "1 edit made under http://127.0.0.1:8080, not sent: postilla sync --from http://127.0.0.1:8080 sends it here"
            ])
    }

    // MARK: Losing access

    @Test func lostAccessOffersThreeThings() throws {
        let stage = stage()
        var status = try #require(stage.state.document?.status)
        status.connection = .lost("the layer was deleted")
        stage.send(.status(status))
        #expect(stage.screen.contains("You no longer have access to hotos17 / review (the layer was deleted)."))
        try stage.press("s")
        #expect(stage.asked.last == .saveUnsent(.hotos))
        try stage.press("x")
        #expect(stage.foot.hasPrefix("Remove hotos17 / review of mia and 3 unsent edits?"))
        try stage.press("nr")
        #expect(!stage.screen.contains("You no longer have access"))
        #expect(stage.statusLine.contains("NO ACCESS"))
    }
}
