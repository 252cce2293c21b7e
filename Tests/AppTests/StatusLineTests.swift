import Annotations
import Authorization
import InstantCore
import Screen
import Testing

@testable import App

/// What the status line shows, and what it omits first.
@Suite struct StatusLineTests {
    private func stage() -> Stage {
        let services = Sample.services()
        services.opened.status.unsent = 1
        services.opened.status.isSyncing = true
        let stage = Stage(services)
        let here = [LayerPerson(id: "1", name: "ana"), LayerPerson(id: "2", name: "ben")]
        stage.send(.presence(LayerPresence(people: here)))
        return stage
    }

    @Test(arguments: [
        (80, " hotos17 / review   p1/3   1 unsent, sending   token 12m   ana +1   1 new"),
        (70, " hotos17 / review   p1/3   1 unsent, sending   token 12m   +2   1 new"),
        (66, " hotos17 / review   p1/3   1 unsent, sending   token 12m   1 new"),
        (62, " review   p1/3   1 unsent, sending   token 12m   1 new"),
        (48, " p1/3   1 unsent, sending   token 12m   1 new"), (42, " p1/3   1 unsent, sending   token 12m"),
        (36, " p1   1 unsent, sending   token 12m"),
    ])
    func dropsInOrder(columns: Int, line: String) throws {
        let state = stage().state
        let document = try #require(state.document)
        #expect(StatusLine(state, document).text(columns: columns).string == line)
    }

    @Test func whatWarnsIsNeverDropped() throws {
        let stage = stage()
        stage.send(.status(SyncStatus(connection: .needsToken(.expired), grant: .hotos([.readDocument]), unsent: 2)))
        let document = try #require(stage.state.document)
        #expect(StatusLine(stage.state, document).text(columns: 34).string == " RO   p1   TOKEN? T, 2 unsent")
    }

    @Test(arguments: [
        (SyncStatus(connection: .live, grant: .hotos()), "synced"),
        (SyncStatus(connection: .live, grant: .hotos(), unsent: 3), "3 unsent"),
        (SyncStatus(connection: .live, grant: .hotos(), isSyncing: true), "syncing"),
        (
            SyncStatus(connection: .offline(retryAt: .noon + 7500), grant: .hotos(), unsent: 3),
            "offline, retry in 8 s, 3 unsent"
        ),
        (SyncStatus(connection: .idle, grant: .hotos()), "offline"),
        (SyncStatus(connection: .connecting, grant: .hotos()), "connecting"),
        (SyncStatus(connection: .connecting, grant: .hotos(), lastSync: .noon), "local copy from 12:00, connecting"),
        (SyncStatus(connection: .live, grant: .hotos(), parked: 2), "synced   2 edits held: no permission"),
    ])
    func syncState(status: SyncStatus, words: String) {
        let stage = Stage(Sample.services())
        stage.send(.status(status))
        #expect(stage.statusLine.contains("p1/3   " + words))
    }

    @Test func theCountdownWakesOnceASecondAndTheRestOnceAMinute() {
        let stage = Stage(Sample.services())
        #expect(stage.state.wakeAfter == 60_000)
        stage.send(.status(SyncStatus(connection: .offline(retryAt: .noon + 7500), grant: .hotos())))
        #expect(stage.state.wakeAfter == 500)
        #expect(Stage(FakeServices(), begin: .library).state.wakeAfter == nil)
    }

    @Test func newsGoWhenAllIsRead() throws {
        let stage = stage()
        stage.send(.recordsChanged(["h1"], author: "ana"))
        #expect(stage.screen.contains(" 1 new by ana --"))
        try stage.press("mj")
        #expect(!stage.screen.contains(" new by"))
    }
}
