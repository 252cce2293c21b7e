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
        (80, "hotos17 › review|page 1 of 3|● ana  ● ben"), (44, "hotos17 › review|page 1 of 3|● ana +1"),
        (40, "hotos17 › review|page 1 of 3|+2"), (34, "hotos17 › review|page 1 of 3|"), (30, "review|page 1 of 3|"),
        (18, "|page 1 of 3|"), (12, "|page 1|"), (8, "|p1|"),
    ])
    func theTitleDropsInOrder(columns: Int, parts: String) throws {
        let state = stage().state
        let document = try #require(state.document)
        let line = TitleLine(state, document, columns: columns, art: .unicode)
        #expect("\(line.left.string)|\(line.page.string)|\(line.people.string)" == parts)
    }

    @Test func whatWarnsIsNeverDropped() throws {
        let stage = stage()
        stage.send(.status(SyncStatus(connection: .needsToken(.expired), grant: .hotos([.readDocument]), unsent: 2)))
        let document = try #require(stage.state.document)
        var line = StatusLine(stage.state, document, art: .unicode, hasTitle: false)
        line.fit(columns: 34)
        #expect(line.parts.map(\.forms[0].string) == ["p1", "RO", "TOKEN? T, unsent: 2"])
        #expect(line.parts.map(\.isLoud) == [false, true, true])
    }

    @Test func aFileThatIsBeingSent() throws {
        let stage = Stage(Sample.services())
        stage.send(.status(SyncStatus(connection: .live, grant: .hotos(), unsent: 1, isSyncing: true)))
        let file = try #require(AttachmentID(String(repeating: "a", count: 64)))
        let transfer = TransferStatus(done: 2_150_000, total: 5_000_000, bytesPerSecond: 98_000)
        stage.send(.upload(UploadStatus(file: file, transfer: transfer)))
        #expect(stage.statusLine.contains("  Sending a file: 43%  2.1 MB of 5.0 MB  98 kB/s  30s left"))
        let line = StatusLine(stage.state, try #require(stage.state.document), art: .unicode, hasTitle: false)
        let forms = try #require(line.parts.map(\.forms).first { $0[0].string.hasPrefix("Sending") })
        #expect(
            forms.dropFirst().map(\.string).prefix(3) == [
                "Sending a file: 43%  30s left", "Sending 43%", "Unsent: 1, sending",
            ])
        stage.send(.status(SyncStatus(connection: .offline(retryAt: .noon + 7500), grant: .hotos(), unsent: 1)))
        #expect(stage.statusLine.contains("offline, retry in 8 s, unsent: 1"))
        stage.send(.status(SyncStatus(connection: .live, grant: .hotos(), unsent: 1, isSyncing: true)))
        stage.send(.upload(nil))
        #expect(stage.statusLine.contains("Unsent: 1, sending"))
    }

    @Test(arguments: [
        (SyncStatus(connection: .live, grant: .hotos()), "✓ synced"),
        (SyncStatus(connection: .live, grant: .hotos(), unsent: 3), "Unsent: 3"),
        (
            SyncStatus(connection: .live, grant: .hotos(), unsent: 1, unsentBecause: "the server's disk is full"),
            "Unsent: 1, the server's disk is full"
        ),
        (
            SyncStatus(
                connection: .live, grant: .hotos(), unsent: 1, isSyncing: true,
                unsentBecause: "the server's disk is full"), "Unsent: 1, sending"
        ),
        (SyncStatus(connection: .live, grant: .hotos(), isSyncing: true), "syncing"),
        (
            SyncStatus(connection: .offline(retryAt: .noon + 7500), grant: .hotos(), unsent: 3),
            "offline, retry in 8 s, unsent: 3"
        ),
        (SyncStatus(connection: .idle, grant: .hotos()), "offline"),
        (SyncStatus(connection: .connecting, grant: .hotos()), "connecting"),
        (SyncStatus(connection: .connecting, grant: .hotos(), lastSync: .noon), "local copy from 12:00, connecting"),
        (SyncStatus(connection: .live, grant: .hotos(), parked: 2), "connected"),
    ])
    func syncState(status: SyncStatus, words: String) {
        let stage = Stage(Sample.services())
        stage.send(.status(status))
        #expect(stage.statusLine.contains("  " + words))
    }

    /// What a token does not allow and what something on the way refuses are two things.
    @Test(arguments: [
        (2, 0, "2 edits held: no permission"), (3, 1, "2 edits held: no permission"),
        (1, 1, "1 edit put aside"), (2, 2, "2 edits put aside"),
    ])
    func heldAndPutAside(parked: Int, aside: Int, words: String) {
        let stage = Stage(Sample.services())
        stage.send(.status(SyncStatus(connection: .live, grant: .hotos(), parked: parked, aside: aside)))
        #expect(stage.statusLine.contains(words), "\(stage.statusLine)")
        #expect(stage.statusLine.contains("no permission") == (parked > aside))
    }

    @Test func theOutboxNamesWhatIsPutAsideByItsReason() throws {
        let stage = Stage(Sample.services())
        try stage.press("O")
        let reason = "put aside: something between here and example.org answers 403"
        stage.send(
            .outbox([
                OutboxItem(
                    id: "a", action: .create, kind: .note, pageIndex: 0, delivery: .parked, reason: reason,
                    isAside: true),
                OutboxItem(
                    id: "b", action: .create, kind: .note, pageIndex: 0, delivery: .parked, reason: "needs write"),
            ]))
        let screen = stage.screen
        #expect(screen.contains("  put aside: something between") && screen.contains("held: needs write"), "\(screen)")
        #expect(!stage.screen.contains("held: put aside"))
    }

    /// A narrow terminal still says how much is unsent.
    @Test(arguments: [
        (SyncStatus.Connection.offline(retryAt: .noon + 7500), 3, 30, "offline, unsent: 3"),
        (.offline(retryAt: .noon + 7500), 3, 20, "unsent: 3"), (.offline(retryAt: .noon + 7500), 0, 18, "offline"),
        (.connecting, 0, 20, "connecting"), (.connecting, 2, 30, "connecting, unsent: 2"),
    ])
    func theSyncStateIsCutInWords(connection: SyncStatus.Connection, unsent: Int, columns: Int, words: String) throws {
        let stage = Stage(Sample.services())
        stage.send(.status(SyncStatus(connection: connection, grant: .hotos(), unsent: unsent, lastSync: .noon)))
        let document = try #require(stage.state.document)
        var line = StatusLine(stage.state, document, art: .unicode, hasTitle: false)
        line.fit(columns: columns)
        #expect(line.parts.last?.forms[0].string == words)
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
        #expect(stage.screen.contains(" · 1 new by ana ──"))
        try stage.press("mj")
        #expect(!stage.screen.contains(" new by"))
    }
}
