import Annotations
import App
import Authorization
import InstantCore
import Screen
import Testing

/// Presenting, following, and who else is present.
@Suite struct PresenceTests {
    private static let ana = LayerPerson(id: "1", userID: "ana", name: "Ana Alba")
    private static let ben = LayerPerson(id: "2", userID: "ben")

    private static func ana(page: Int, selection: [Rect] = []) -> LayerPerson {
        var ana = ana
        ana.whereabouts = Location(
            pageIndex: page, selection: selection.isEmpty ? [] : [PageArea(pageIndex: page, rects: selection)])
        ana.isPresenting = true
        return ana
    }

    private func stage(_ people: LayerPerson...) -> Stage {
        let stage = Stage(Sample.services())
        stage.send(.presence(LayerPresence(people: people)))
        return stage
    }

    // MARK: Presenting

    @Test func thePresenterIsOnThePageTheyShowAndTheirWordsAreTold() throws {
        let stage = stage(Self.ana, Self.ben)
        #expect(stage.services.announced == [OwnPresence(Location(pageIndex: 0))])
        try stage.press("P")
        #expect(stage.foot.contains("Presenting your page and selection. P to stop"))
        stage.send(.presence(LayerPresence(people: [Self.ana, Self.ben], own: stage.services.announced.last)))
        #expect(stage.statusLine.contains("PRESENTING to 2 · P to stop"))
        try stage.press("<tab>jv$")
        let selection = try #require(stage.services.announced.last?.whereabouts.selection)
        #expect(selection.map(\.pageIndex) == [0])
        #expect(selection[0].rects.map(\.top) == [86])
        try stage.press("<esc>J")
        #expect(stage.services.announced.last == OwnPresence(Location(pageIndex: 1), isPresenting: true))
        try stage.press("P")
        #expect(stage.services.announced.last == OwnPresence(Location(pageIndex: 1)))
        #expect(!stage.statusLine.contains("PRESENTING"))
    }

    /// With room for one pane only, following must show the page.
    @Test(arguments: [40, 80]) func whoFollowsSeesThePage(columns: Int) throws {
        let stage = Stage(Sample.services(), rows: 20, columns: columns)
        stage.send(.presence(LayerPresence(people: [Self.ana(page: 1)])))
        try stage.press("F")
        #expect(stage.lines[0].contains("page 2 of 3"))
        #expect(stage.statusLine.contains("FOLLOWING Ana"))
        // With both panes visible, keys still go to the list.
        try stage.press("j")
        #expect(stage.statusLine.contains("FOLLOWING Ana") == (columns == 80))
    }

    @Test func whoPresentsWithoutAConnectionIsToldThatNobodySeesIt() throws {
        let stage = stage(Self.ana)
        try stage.press("P")
        stage.send(.presence(LayerPresence(people: [Self.ana], own: stage.services.announced.last)))
        #expect(stage.statusLine.contains("PRESENTING to 1"))
        var status = SyncStatus.live(.hotos())
        status.connection = .offline(retryAt: stage.now + 5000)
        stage.send(.status(status))
        #expect(stage.statusLine.contains("PRESENTING, offline"))
    }

    /// A person who is alone is shown how others can join, if the program knows how.
    @Test func whoIsAloneIsToldHowOthersJoin() throws {
        let line = "postilla open http://127.0.0.1:5000 --token-file colleague.jwt"
        let stage = Stage(Sample.services(), columns: 100, invitation: line)
        try stage.press("P")
        #expect(stage.foot == " Presenting, no audience yet; :who shows how to join")
        try stage.press(":who<enter>")
        #expect(stage.screen.contains("No one else has this layer open."))
        #expect(stage.screen.contains("To join from a second terminal:\n \(line)"))
    }

    @Test func whatIsSelectedIsToldByPresentersOnly() throws {
        let stage = stage(Self.ana)
        try stage.press("<tab>jv$")
        #expect(stage.services.announced == [OwnPresence(Location(pageIndex: 0))])
    }

    @Test func movingOnAPageTellsNothingNew() throws {
        let stage = stage(Self.ana)
        try stage.press("<tab>jjwwkk<tab>k")
        #expect(stage.services.announced.count == 1)
    }

    @Test func presentingNeedsTheRightToWrite() throws {
        let services = Sample.services()
        services.opened.status.grant = .hotos([.readDocument])
        let stage = Stage(services)
        try stage.press("P")
        #expect(stage.foot.contains(#"Read-only: this token lacks "write""#))
        #expect(stage.services.announced.allSatisfy { !$0.isPresenting })
    }

    @Test func presentingNeedsTheServer() throws {
        let stage = stage()
        stage.send(.status(SyncStatus(connection: .idle, grant: .hotos())))
        try stage.press("P")
        #expect(stage.foot.contains("Not connected; presenting needs the server"))
    }

    @Test func aSecondPresenterIsToldWhoPresents() throws {
        let stage = stage(Self.ana(page: 1))
        try stage.press("P")
        #expect(stage.foot.contains("Another person is already presenting: Ana Alba"))
        #expect(stage.services.announced.allSatisfy { !$0.isPresenting })
    }

    @Test func ofTwoWhoBeginAtOnceOneIsRefused() throws {
        let stage = stage(Self.ana)
        try stage.press("P")
        // A state from before the response does not answer it.
        stage.send(.presence(LayerPresence(people: [Self.ana])))
        #expect(stage.statusLine.contains("PRESENTING?"))
        stage.send(.presence(LayerPresence(people: [Self.ana(page: 1)], own: OwnPresence())))
        #expect(stage.foot.contains("Not presenting: Ana Alba is already presenting"))
        #expect(stage.statusLine.contains("NOT FOLLOWING · F to follow Ana Alba"))
        #expect(stage.services.announced.last?.isPresenting == false)
    }

    @Test func whoIsNoLongerAllowedToPresentIsTold() throws {
        let stage = stage(Self.ana)
        try stage.press("P")
        stage.send(.presence(LayerPresence(people: [Self.ana], own: stage.services.announced.last)))
        stage.send(.presence(LayerPresence(people: [Self.ana], own: OwnPresence())))
        #expect(stage.foot.contains("Stopped presenting"))
        #expect(!stage.statusLine.contains("PRESENTING"))
    }

    // MARK: Following

    @Test func aSpectatorFollowsBreaksAwayAndComesBack() throws {
        let services = Sample.services()
        services.opened.status.grant = .hotos([.readDocument])
        let stage = Stage(services)
        try stage.press("F")
        #expect(stage.foot.contains("No one is presenting"))
        stage.send(.presence(LayerPresence(people: [Self.ana(page: 1)])))
        #expect(stage.foot.contains("Ana Alba is presenting; F to follow"))
        #expect(
            stage.statusLine.contains("NOT FOLLOWING · F to follow Ana Alba") && stage.lines[0].contains("page 1 of 3"))
        try stage.press("F")
        #expect(stage.statusLine.contains("FOLLOWING Ana Alba") && stage.lines[0].contains("page 2 of 3"))
        stage.send(.presence(LayerPresence(people: [Self.ana(page: 2)])))
        #expect(stage.statusLine.contains("FOLLOWING Ana Alba") && stage.lines[0].contains("page 3 of 3"))
        try stage.press("K")
        #expect(
            stage.statusLine.contains("NOT FOLLOWING · F to follow Ana Alba") && stage.lines[0].contains("page 2 of 3"))
        stage.send(.presence(LayerPresence(people: [Self.ana(page: 0)])))
        #expect(stage.lines[0].contains("page 2 of 3"))
        try stage.press("F")
        #expect(stage.statusLine.contains("FOLLOWING Ana Alba") && stage.lines[0].contains("page 1 of 3"))
        try stage.press("<C-o>")
        #expect(
            stage.statusLine.contains("NOT FOLLOWING · F to follow Ana Alba") && stage.lines[0].contains("page 2 of 3"))
    }

    @Test(arguments: ["<tab>j", "<tab>l", "<tab>v", "J", ":page 3<enter>", "jjjgp", "<tab>/paper<enter>"])
    func anyMotionOnThePageBreaksAway(keys: String) throws {
        let stage = stage(Self.ana(page: 0))
        try stage.press("F")
        #expect(stage.statusLine.contains(" FOLLOWING Ana"))
        try stage.press(keys)
        #expect(stage.statusLine.contains("NOT FOLLOWING"))
    }

    @Test(arguments: ["j", "jk", "m", "?<esc>", "<tab>", "s", "a<esc>", "/kind:h<enter>", "F"])
    func whatLeavesThePageAloneGoesOnFollowing(keys: String) throws {
        let stage = stage(Self.ana(page: 0))
        try stage.press("F" + keys)
        #expect(stage.statusLine.contains(" FOLLOWING Ana"))
    }

    @Test func thePresentersWordsStandInBraces() throws {
        let stage = Stage(Sample.services(), depth: .mono)
        let words = Rect(left: 72 + 6 * 24, top: 86, width: 6 * 22, height: 12)
        stage.send(.presence(LayerPresence(people: [Self.ana(page: 0, selection: [words])])))
        #expect(stage.screen.contains("highlight {[some of the challenges]}"))
        try stage.press("F<tab>")
        #expect(stage.underCursor.hasPrefix("some"))
        stage.send(.presence(LayerPresence(people: [Self.ana(page: 0)])))
        #expect(stage.screen.contains("highlight [some of the challenges]"))
        #expect(stage.underCursor.hasPrefix("some"))
    }

    @Test func whatOthersDoWhileOneFollowsMovesNothing() throws {
        let stage = stage(Self.ana(page: 0))
        try stage.press("F<tab>")
        let before = stage.canvas.cursor
        stage.send(.presence(LayerPresence(people: [Self.ana(page: 0), Self.ben])))
        #expect(stage.canvas.cursor == before)
        #expect(stage.statusLine.contains(" FOLLOWING Ana"))
    }

    @Test func whenThePresenterLeavesOneStaysWhereOneIs() throws {
        let stage = stage(Self.ana(page: 1))
        try stage.press("F")
        stage.send(.presence(LayerPresence()))
        #expect(stage.foot.contains("Ana Alba stopped presenting; you stay on page 2"))
        #expect(stage.lines[0].contains("page 2 of 3"))
        #expect(!stage.statusLine.contains("FOLLOWING"))
    }

    /// As when the server was restarted, or the presenter's connection was away for longer.
    @Test func whoFollowedFollowsAgainUnlessTheyMoved() throws {
        let stage = stage(Self.ana(page: 1))
        try stage.press("F")
        stage.send(.presence(LayerPresence()))
        var back = Self.ana(page: 2)
        back.id = "n1-9"
        stage.send(.presence(LayerPresence(people: [back])))
        #expect(stage.foot.contains("Ana Alba is presenting again, and you follow; any motion on the page stops it"))
        #expect(stage.lines[0].contains("page 3 of 3"))
        #expect(stage.statusLine.contains(" FOLLOWING Ana"))
        stage.send(.presence(LayerPresence()))
        try stage.press("K")
        stage.send(.presence(LayerPresence(people: [back])))
        #expect(stage.foot.contains("Ana Alba is presenting; F to follow"))
        #expect(!stage.statusLine.contains(" FOLLOWING Ana"))
    }

    @Test func aPresenterInBetweenEndsTheWaiting() throws {
        let stage = stage(Self.ana(page: 1))
        try stage.press("F")
        stage.send(.presence(LayerPresence()))
        var ben = Self.ben
        ben.isPresenting = true
        stage.send(.presence(LayerPresence(people: [ben])))
        #expect(!stage.statusLine.contains(" FOLLOWING ben"))
        stage.send(.presence(LayerPresence()))
        stage.send(.presence(LayerPresence(people: [Self.ana(page: 2)])))
        #expect(!stage.statusLine.contains(" FOLLOWING Ana"))
    }

    @Test func aLostConnectionIsNoEndOfPresenting() throws {
        let stage = stage(Self.ana(page: 1))
        try stage.press("F")
        stage.send(.status(SyncStatus(connection: .offline(retryAt: .noon + 5000), grant: .hotos())))
        stage.send(.presence(LayerPresence()))
        #expect(stage.statusLine.contains(" FOLLOWING Ana"))
        stage.send(.status(.live()))
        var again = Self.ana(page: 2)
        again.id = "7"
        stage.send(.presence(LayerPresence(people: [again])))
        #expect(stage.statusLine.contains("FOLLOWING Ana Alba") && stage.lines[0].contains("page 3 of 3"))
    }

    @Test func anotherPresenterIsNotFollowedUnasked() throws {
        let stage = stage(Self.ana(page: 1))
        try stage.press("F")
        var ben = Self.ben
        (ben.isPresenting, ben.whereabouts.pageIndex) = (true, 2)
        stage.send(.presence(LayerPresence(people: [Self.ana, ben])))
        #expect(stage.foot.contains("ben is presenting; F to follow"))
        #expect(stage.statusLine.contains("NOT FOLLOWING · F to follow ben") && stage.lines[0].contains("page 2 of 3"))
    }

    @Test func aPageThatIsNotInThisDocumentIsTheLastOne() throws {
        let stage = stage(Self.ana(page: 900))
        try stage.press("F")
        #expect(stage.lines[0].contains("page 3 of 3"))
    }

    // MARK: Who is present

    @Test(arguments: [
        ([LayerPerson](), nil), ([ana], "Ana Alba"), ([ana, ben], "● Ana Alba  ● ben"),
        ([ana, LayerPerson(id: "3", name: "Zoe", isPresenting: true)], "● Zoe  ● Ana Alba"),
        ([LayerPerson(id: "4")], "someone"),
    ])
    func theStatusLineNamesOneAndCountsTheRest(people: [LayerPerson], words: String?) {
        let stage = Stage(Sample.services(), columns: 120)
        let before = stage.lines[0]
        stage.send(.presence(LayerPresence(people: people)))
        guard let words else {
            #expect(stage.lines[0] == before)
            return
        }
        #expect(stage.lines[0].hasSuffix(words))
    }

    @Test func whoNamesEverybodyInFull() throws {
        let stage = stage(Self.ana(page: 4), Self.ben)
        try stage.press(":who<enter>")
        #expect(stage.screen.contains("─ Other participants: 2 (Esc to close) ──"))
        #expect(stage.screen.contains(" Ana Alba (ana)  on page 5  presenting"))
        #expect(stage.lines.contains { $0.contains(" ben") })
        try stage.press("<esc>")
        #expect(!stage.screen.contains("Other participants"))
    }

    @Test func aCrowdIsCounted() throws {
        let stage = Stage(Sample.services())
        stage.send(.presence(LayerPresence(people: (0..<20).map { LayerPerson(id: "\($0)", name: "p\($0)") })))
        try stage.press(":who<enter>")
        #expect(stage.screen.contains("and 13 more"))
    }

    @Test func namesOfOthersAreCleaned() throws {
        let stage = stage(LayerPerson(id: "1", name: "\u{1B}[2Jx\u{202E}", isPresenting: true))
        try stage.press("F:who<enter>")
        #expect(stage.screen.contains("[2Jx"))
        #expect(!stage.screen.unicodeScalars.contains("\u{1B}") && !stage.screen.unicodeScalars.contains("\u{202E}"))
    }
}
