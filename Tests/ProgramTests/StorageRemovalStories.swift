import Foundation
import GRDB
import Glibc
import TestSupport
import TestThreads
import Testing

/// Local data goes only while no other program uses it, and only with consent to lose what the server does not have.
@Suite(.onOwnThreads)
struct StorageRemovalStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    private var data: String { ana.home.path + "/.local/share/postilla" }

    private func plain(_ input: String) throws -> Program.Outcome {
        try ana.run(
            ["open", engine.url, "--token-file", ana.tokenFile, "--plain"], input: input,
            environment: ["TERM": "dumb"])
    }

    private func addOffline(_ text: String) throws -> Program.Outcome {
        try ana.run(["add", "--note", text, "--page", "1", "--offline"])
    }

    @Test func aLayerThatAnotherWindowUsesStays() throws {
        let window = try ana.open()
        try window.press(":offline<enter>")
        try window.see("offline")
        let other = try plain("remove\ny\nquit\n")
        let said = other.output + other.messages
        #expect(said.contains("open in another process (pid \(window.processID))"), "\(said)")
        try window.addNote("Made while the other wanted to remove it")
        #expect(try window.quit() == [])
        let outbox = try ana.run(["outbox"])
        #expect(outbox.output.contains("Made while the other"), "\(outbox.output)\(outbox.messages)")
    }

    @Test func theStepsThatCouldBeUndoneAreRemovedWithTheirLayer() throws {
        let window = try ana.open()
        try window.addNote("Kept for undo")
        try window.see("✓ synced")
        #expect(try window.quit() == [])
        let folder = ana.home.path + "/.local/state/postilla/undo"
        func kept() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder) }
        #expect(try kept().contains { $0.hasSuffix(".json") })
        let run = try ana.run(["storage", "remove", "--all"])
        #expect(run.status == 0, "\(run.messages)")
        #expect(try kept() == [])
    }

    @Test func anEditThatIsMadeDuringTheQuestionStays() throws {
        _ = try ana.script("sync")
        #expect(try addOffline("Listed").status == 0)
        let terminal = try ana.start(["storage", "remove", "--document", "paper"], columns: 120)
        try terminal.see("Remove them? y/N")
        #expect(try addOffline("Made meanwhile").status == 0)
        terminal.send(text: "y\n")
        try terminal.see("edited meanwhile")
        #expect(try terminal.waitForExit() == 1)
        #expect(try ana.run(["outbox", "--format", "ndjson"]).lines.count == 2)
    }

    @Test func aWindowWhoseFilesAreGoneAcceptsNoEdit() throws {
        let window = try ana.open(columns: 160)
        try window.press(":offline<enter>")
        try window.see("offline")
        try FileManager.default.removeItem(atPath: data + "/layers")
        try window.see("was removed from this machine")
        // The card gets every key: `r` keeps reading.
        try window.press("ra")
        window.send(text: "Nowhere")
        try window.press("<enter>")
        try window.see("NO ACCESS")
        #expect(!window.text.contains("Added note"))
    }

    /// The files are gone, or an older copy of them was put back: the program still has its edits.
    @Test(arguments: [false, true])
    func editsOfAWindowWhoseFilesAreGoneAreSaved(isReplaced: Bool) throws {
        let window = try ana.open(columns: 160)
        try window.press(":offline<enter>")
        try window.see("offline")
        try window.addNote("First without a copy")
        let copy = ana.home.path + "/copy"
        try FileManager.default.copyItem(atPath: data + "/layers", toPath: copy)
        try window.addNote("Second without a copy")
        try FileManager.default.removeItem(atPath: data + "/layers")
        if isReplaced { try FileManager.default.moveItem(atPath: copy, toPath: data + "/layers") }
        try window.see("2 unsent edits are gone when you close it, unless you save them now.")
        // Quitting asks.
        try window.press("rq")
        try window.see("Lose 2 unsent edits of ")
        try window.press("s")
        try window.see("2 unsent edits saved in ")
        #expect(try window.quit() == [])
        let state = ana.home.path + "/.local/state/postilla"
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: state).first { $0.hasPrefix("unsent-") })
        let saved = try String(contentsOfFile: "\(state)/\(name)", encoding: .utf8)
        #expect(saved.contains("First without a copy") && saved.contains("Second without a copy"), "\(saved)")
    }

    /// A narrow token's edit waits in a store of its own, whose program was killed.
    private func damagedSideStore() throws -> String {
        let own = ["view", "edit", "delete"].map { "annotations:\($0):self" } + ["comments:view:self"]
        let narrow = try ana.home.write("narrow.jwt", try engine.token { $0.collaboration = own })
        let wide = try ana.open()
        let window = try ana.start(["open", engine.url, "--token-file", narrow])
        try window.see("No annotations")
        try window.see("synced")
        try window.press(":offline<enter>")
        try window.see("offline")
        try window.addNote("Only in the second store")
        wide.signal(SIGKILL)
        window.signal(SIGKILL)
        _ = try (wide.waitForExit(), window.waitForExit())
        let side = try #require(Folder.paths(below: data, named: "layer.sqlite").first { $0.contains("/views/") })
        let database = try DatabaseQueue(path: side)
        try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        try database.close()
        for end in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: side + end) }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: side))
        try file.write(contentsOf: Data(repeating: 0x5A, count: 100))
        try file.close()
        return side
    }

    @Test func editsThatCannotBeReadAreNamedAndGoOnlyWithConsent() throws {
        let side = try damagedSideStore()
        for command in [["outbox"], ["sync"], ["storage", "remove", "--document", "paper"]] {
            let run = try ana.run(command, environment: ana.scripting)
            #expect(run.status == 1 && run.messages.contains(side), "\(command): \(run.status) \(run.messages)")
            #expect(!run.messages.contains("no unsent edits\n"))
            #expect(FileManager.default.fileExists(atPath: side))
        }
        let said = try plain("remove\ny\nquit\n")
        #expect((said.output + said.messages).contains("the layer stays"), "\(said.output)\(said.messages)")
        #expect(try ana.run(["storage", "repair", "--offline"]).status == 0)
        #expect(try ana.run(["outbox"]).output.contains("Only in the second store"))
        #expect(try ana.script("sync").status == 0)
        #expect(try engine.records().contains("Only in the second store"))
        #expect(try ana.run(["storage", "remove", "--document", "paper"]).status == 0)
        #expect(Folder.paths(below: data, named: "layer.sqlite") == [])
    }

    @Test func consentRemovesWhatCannotBeRead() throws {
        _ = try damagedSideStore()
        #expect(try ana.run(["storage", "remove", "--document", "paper", "--discard-unsent"]).status == 0)
        #expect(Folder.paths(below: data, named: "layer.sqlite") == [])
    }

    /// The repair of a layer was stopped before it replaced the store.
    @Test func aLayerThatIsBeingRepairedTakesNoEdit() throws {
        _ = try ana.script("sync")
        let store = try #require(Folder.paths(below: data, named: "layer.sqlite").first)
        let descriptor = open(store.replacingOccurrences(of: ".sqlite", with: ".lock"), O_RDWR | O_CREAT | O_CLOEXEC)
        var request = Glibc.flock()
        request.l_type = Int16(F_WRLCK)
        try #require(fcntl(descriptor, 37, &request) == 0)
        let run = try addOffline("Lost?")
        #expect(run.status == 1 && run.messages.contains("being repaired by another process (pid \(getpid()))"))
        #expect(run.output.isEmpty, "\(run.output) \(run.messages)")
        #expect(try ana.run(["storage", "remove", "--all", "--discard-unsent"]).status == 1)
        close(descriptor)
        #expect(try addOffline("Kept").status == 0)
        #expect(try ana.run(["outbox", "--format", "ndjson"]).lines.count == 1)
    }

    @Test func whatIsSavedBeforeARemovalIncludesTheOtherStores() throws {
        let own = ["view", "edit", "delete"].map { "annotations:\($0):self" } + ["comments:view:self"]
        let narrow = try ana.home.write("narrow.jwt", try engine.token { $0.collaboration = own })
        let wide = try ana.open()
        let window = try ana.start(["open", engine.url, "--token-file", narrow])
        try window.see("No annotations")
        try window.see("synced")
        try window.press(":offline<enter>")
        try window.see("offline")
        try window.addNote("Only in the second store")
        #expect(try window.quit() == [])
        #expect(try wide.quit() == [])
        let library = try ana.start([])
        try library.see("1 unsent")
        try library.press("x")
        try library.see("and 1 unsent edit?")
        try library.press("s")
        try library.see("1 unsent edit saved in")
        #expect(try library.quit() == [])
        let folder = ana.home.path + "/.local/state/postilla"
        let saved = Folder.files(below: folder, holding: "Only in the second store")
        #expect(saved.contains { $0.hasPrefix("unsent-") }, "\(saved)")
    }
}
