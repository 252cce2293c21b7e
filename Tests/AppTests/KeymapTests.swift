import Annotations
import InstantCore
import PDFPages
import PageLayout
import Screen
import Testing

@testable import App

/// The keymap is the only place that defines keys, and its descriptions are correct.
@Suite struct KeymapTests {
    private let keymap = Keymap.standard

    @Test func everyKeyCanBeReadAndEveryCommandHasOne() {
        for binding in keymap.bindings { #expect(!binding.sequences.isEmpty, "\(binding.command)") }
        let bound = Set(keymap.bindings.map(\.command))
        #expect(Set(Command.allCases).subtracting(bound).isEmpty)
    }

    @Test(arguments: KeyContext.allCases)
    func noKeyHasTwoMeaningsInOnePlace(context: KeyContext) {
        var seen: Set<[Key]> = []
        for sequence in keymap.bindings(in: [context]).flatMap(\.sequences) {
            #expect(seen.insert(sequence).inserted, "\(sequence.map(\.notation).joined())")
        }
        // A sequence that is a prefix of another could never be recognised.
        for sequence in seen {
            #expect(!seen.contains { $0 != sequence && sequence.starts(with: $0) })
        }
    }

    @Test(arguments: Keymap.standard.bindings)
    func helpSaysSomethingShort(binding: Binding) {
        #expect((2...60).contains(binding.help.count))
        #expect((binding.footer?.count ?? 1) <= 14)
        #expect(binding.keyNames.count <= 20)
    }

    /// Keys that terminals, tmux, screen or docker intercept.
    @Test func nothingIsReachableOnlyByKeysThatNeverArrive() throws {
        let taken = try Set(["<C-s>", "<C-q>", "<C-]>", "<C-\\>", "<C-b>"].map { try Key($0) })
        for command in Command.allCases {
            let sequences = keymap.bindings.filter { $0.command == command }.flatMap(\.sequences)
            #expect(sequences.contains { Set($0).isDisjoint(with: taken) }, "\(command)")
        }
    }

    /// In some state where its context applies, every key changes the state or makes a request.
    @Test func eachKeyInTheHelpDoesSomething() throws {
        let scenes = try Self.scenes()
        var idle: [String] = []
        for binding in keymap.bindings {
            for sequence in binding.sequences {
                let works = scenes.contains { scene in
                    scene.contexts.contains(binding.context) && Self.does(sequence, in: scene)
                }
                if !works { idle.append("\(binding.context): \(sequence.map(\.notation).joined())") }
            }
        }
        #expect(idle == [])
    }

    private static func does(_ keys: [Key], in scene: AppState) -> Bool {
        var state = scene
        state.notice = nil
        let before = state
        var effects: [Effect] = []
        for key in keys { effects += update(&state, .key(key)) }
        state.notice = before.notice
        return !effects.isEmpty || state != before
    }

    /// The program in every situation with its own keys.
    private static func scenes() throws -> [AppState] {
        let scripts = [
            "", "j", "jd u", "/hi<enter>", "<tab>", "<tab>jww", "<tab>jwwL", "<tab>LG$zl", "aone<C-j>two", "<tab>J",
            "<tab>/the<enter>", "<tab>jwvee",
            "jj<enter>", "jjgp", "jjgp<C-o>", "T@/tmp", "jz", "gv", "?", ":requests<enter>", "?jj",
            "aone two<left><C-j>three<left><left><up>",
            "O", "Oj", "OG", "<tab>i", "<tab>i++", "<tab>Ji",
            "Oj<enter>", "jjd", "jjdu", "d", "<tab>L+", ":some thing<left><left>", ":fo", "<C-p>", "<C-p><pgdn>",
        ]
        var scenes = try scripts.map { script in
            let services = OutboxTests.services()
            services.pages[0] = Sample.page(
                (0..<40).map {
                    "The line with number \($0). It has \(String(repeating: "long ", count: $0 % 20)) text."
                })
            services.pages[0].words[3].text = "https://example.com"
            services.navigation = PDFNavigation(outline: [.init(title: "Opening", depth: 0, pageIndex: 0)])
            let stage = Stage(services)
            try stage.press(script)
            return stage.state
        }
        for script in ["<enter>", "<enter>G", "<enter>n"] {
            let services = Sample.services()
            services.records[0] = Sample.note("h1", page: 0, top: 1, text: ReaderTests.text, by: "ana", minutes: 1)
            let reader = Stage(services)
            try reader.press(script)
            scenes.append(reader.state)
        }
        let look = Stage(try LookAtTests.services())
        try look.press("<tab>wwwwgr")
        scenes.append(look.state)
        let following = Stage(Sample.services())
        let presenter = LayerPerson(id: "1", whereabouts: .init(pageIndex: 1), isPresenting: true)
        following.send(.presence(LayerPresence(people: [presenter])))
        scenes.append(following.state)
        let tabs = Stage(Sample.services())
        try tabs.press(":open notes.pdf<enter>")
        scenes.append(tabs.state)
        for status in [
            SyncStatus(connection: .needsToken(.expired), grant: .hotos()), .init(connection: .lost("gone")),
        ] {
            let stage = Stage(Sample.services())
            stage.send(.status(status))
            scenes.append(stage.state)
            stage.send(.key(.paste(TokenTests.readOnly)))
            scenes.append(stage.state)
        }
        let lost = Stage(Sample.services())
        lost.send(.status(SyncStatus(connection: .lost("gone"), unsent: 2)))
        try lost.press("x")
        scenes.append(lost.state)
        for script in ["<tab>", "<tab>j"] {
            let stage = Stage(ThreadTests.services())
            try stage.press(script)
            scenes.append(stage.state)
        }
        let services = Sample.services()
        services.opened.hasPDF = false
        scenes.append(Stage(services).state)
        let stopped = Stage(services)
        stopped.send(.downloadFailed(nil))
        scenes.append(stopped.state)
        let library = FakeServices()
        library.entries = (0..<40).map {
            LibraryEntry(
                id: LayerReference(server: "s", documentID: "\($0)"), state: "clean", isDownloaded: true)
        }
        library.files = FileTests.files
        for script in ["", "G", "20gg"] {
            let stage = Stage(library, begin: .library)
            try stage.press(script)
            scenes.append(stage.state)
        }
        return scenes
    }

    // MARK: Reading keys

    @Test(arguments: [
        ("gg", KeyReader.Outcome.command(.first, count: nil)), ("12gg", .command(.first, count: 12)),
        ("g", .unfinished), ("gx", .nothing), ("10j", .command(.down, count: 10)), ("0", .nothing),
        ("3<esc>", .nothing),
        ("99999999999999999999j", .command(.down, count: 999_999)),
    ])
    func sequencesAndCounts(script: String, outcome: KeyReader.Outcome) throws {
        var reader = KeyReader()
        var last = KeyReader.Outcome.nothing
        for key in try Key.sequence(script) {
            last = reader.read(key, in: [.list, .moving, .everywhere], of: keymap)
        }
        #expect(last == outcome)
        if outcome != .unfinished { #expect(reader.isEmpty) }
    }

    @Test func zeroIsAKeyOfThePageUnlessACountHasBegun() throws {
        let stage = Stage(Sample.services())
        try stage.press("<tab>ww0")
        #expect(stage.underCursor == "This")
        try stage.press("10l")
        #expect(stage.state.document?.page.cursor.glyph == 10)
    }
}
