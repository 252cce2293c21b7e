import Annotations
import Authorization
import InstantCore
import Screen
import Testing

@testable import App

/// Snapshots of every screen at a wide, a typical, a narrow and the smallest size.
@Suite struct EveryScreenTests {
    struct Scene: CustomTestStringConvertible, Sendable {
        var name: String
        var make: @Sendable (Int, Int) throws -> Stage
        var testDescription: String { name }
    }

    static let scenes = [
        Scene(name: "page") { rows, columns in
            try stage(rows, columns).press("<tab>jjw")
        },
        Scene(name: "selection") { rows, columns in
            try stage(rows, columns).press("<tab>jwvjee")
        },
        Scene(name: "editor") { rows, columns in
            try stage(rows, columns).press(
                "e<C-j>A second line that is long enough to need more than one row of a narrow screen.")
        },
        Scene(name: "filter") { rows, columns in try stage(rows, columns).press("/kind:h") },
        Scene(name: "token") { rows, columns in
            let stage = stage(rows, columns)
            stage.send(.status(SyncStatus(connection: .needsToken(.expired), grant: .hotos(minutes: -1), unsent: 1)))
            stage.send(.key(.paste(TokenTests.readOnly)))
            return stage
        },
        Scene(name: "outbox") { rows, columns in try stage(rows, columns).press("O") },
        Scene(name: "conflict") { rows, columns in try stage(rows, columns).press("Oj<enter>") },
        Scene(name: "lost") { rows, columns in
            let stage = stage(rows, columns)
            stage.send(.status(SyncStatus(connection: .lost("the layer was deleted"), unsent: 2)))
            return stage
        },
        Scene(name: "download") { rows, columns in
            let services = Sample.services()
            services.opened.hasPDF = false
            let stage = Stage(services, rows: rows, columns: columns)
            if columns < 60 { try stage.press("<tab>") }
            stage.send(.download(TransferStatus(done: 130_000, total: 309_000, bytesPerSecond: 45_000)))
            return stage
        },
        Scene(name: "help") { rows, columns in try stage(rows, columns).press("?") },
        Scene(name: "library") { rows, columns in
            let services = FakeServices()
            services.entries = LibraryTests.entries
            return Stage(services, begin: .library, rows: rows, columns: columns)
        },
        Scene(name: "tabs") { rows, columns in
            let services = OutboxTests.services()
            services.entries = LibraryTests.entries
            let stage = Stage(services, begin: .library, rows: rows, columns: columns)
            return try stage.press("<enter>[j<enter>")
        },
        Scene(name: "palette") { rows, columns in try stage(rows, columns).press("<C-p>ne") },
        Scene(name: "who") { rows, columns in
            let stage = stage(rows, columns)
            let people = [
                LayerPerson(
                    id: "1", userID: "ana", name: "Ana Alba", whereabouts: Location(pageIndex: 1),
                    isPresenting: true),
                LayerPerson(id: "2", userID: "ben", whereabouts: Location(pageIndex: 0)), LayerPerson(id: "3"),
            ]
            stage.send(.presence(LayerPresence(people: people)))
            return try stage.press(":who<enter>")
        },
        Scene(name: "requests") { rows, columns in
            let services = OutboxTests.services()
            services.requests = [
                SentRequest(at: .noon + 2000, method: "GET", path: "events"),
                SentRequest(
                    at: .noon + 1000, method: "POST", path: "changes", outcome: "200",
                    milliseconds: 12),
                SentRequest(at: .noon, method: "GET", path: "session", outcome: "401 token_expired", milliseconds: 3),
            ]
            return try Stage(services, rows: rows, columns: columns).press(":requests<enter>")
        },
        Scene(name: "file") { rows, columns in try FileTests.stage(rows: rows, columns: columns).press("j") },
        Scene(name: "file-missing") { rows, columns in
            let stage = FileTests.stage(rows: rows, columns: columns)
            stage.send(.file(FileStatus(path: "paper.pdf", condition: .missing, unwritten: 3)))
            return stage
        },
        Scene(name: "file-refused") { rows, columns in
            let stage = FileTests.stage(rows: rows, columns: columns)
            stage.send(.fileRefused(FileTests.refusal))
            return try stage.press("?")
        },
        Scene(name: "folder") { rows, columns in
            let services = FakeServices()
            services.entries = LibraryTests.entries
            services.files = FileTests.files
            return Stage(services, begin: .library, rows: rows, columns: columns)
        },
        Scene(name: "thread") { rows, columns in
            try Stage(ThreadTests.services(), rows: rows, columns: columns).press("<tab>j")
        },
    ]

    private static func stage(_ rows: Int, _ columns: Int) -> Stage {
        Stage(OutboxTests.services(), rows: rows, columns: columns)
    }

    @Test(arguments: scenes, [(40, 140), (24, 80), (20, 45), (8, 30)])
    func picture(scene: Scene, size: (rows: Int, columns: Int)) throws {
        let stage = try scene.make(size.rows, size.columns)
        #expect(stage.canvas.size == Size(rows: size.rows, columns: size.columns))
        try expectSnapshot(stage.screen, "\(scene.name)-\(size.columns)x\(size.rows)")
    }

    /// The last row always shows the key for help or a way out.
    @Test(arguments: scenes)
    func theLastRowTellsHowToGoOn(scene: Scene) throws {
        let foot = try scene.make(24, 80).lines.last ?? ""
        #expect(["? help", "Esc", "Filter:", "Command:"].contains { foot.contains($0) }, "\(foot)")
    }

    @Test(arguments: scenes)
    func tooSmallIsSaidAndNothingIsLost(scene: Scene) throws {
        let stage = try scene.make(24, 80)
        let before = stage.canvas
        stage.send(.resize(Size(rows: 5, columns: 20)))
        #expect(stage.lines.prefix(2) == ["Too small: 20x5,", "minimum 30x8"])
        stage.send(.resize(Size(rows: 24, columns: 80)))
        #expect(stage.canvas == before)
    }

    @Test(arguments: scenes)
    func escPeelsOneThingAPressAndNeverLeaves(scene: Scene) throws {
        let stage = try scene.make(24, 80)
        let isOpen = stage.state.document != nil
        for _ in 0..<10 {
            let before = stage.state
            try stage.press("<esc>")
            #expect(!stage.state.hasQuit)
            #expect((stage.state.document != nil) == isOpen)
            if stage.state == before { break }
        }
        #expect(stage.state.prompt == nil && stage.state.help == nil && stage.state.token == nil)
        #expect(stage.state.document?.editor == nil && stage.state.document?.conflict == nil)
        try stage.press("<C-c>")
        #expect(
            ["to quit", "to close this"].contains { stage.foot.contains($0) } || stage.asked.last == .cancelDownload)
    }
}
