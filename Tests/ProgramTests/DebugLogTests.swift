import App
import Foundation
import InstantCore
import Screen
import TestSupport
import TestThreads
import Testing

@testable import postilla

/// The file of `--log`.
@Suite struct DebugLogTests {
    private func lines(_ path: String) throws -> [String] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test func eachEventIsOneLine() throws {
        let folder = try Folder()
        defer { withExtendedLifetime(folder) {} }
        let path = folder.path + "/log"
        let log = try DebugLog(path)
        log.note("one", ["fact": "a b\nc\u{1B}[31m"])
        log.note("two")
        log.flush()
        let found = try lines(path)
        #expect(found.count == 2)
        #expect(found[0].contains(#/^\d{4}-\d\d-\d\dT\S+Z \d+ one fact=a_b_c\S+$/#) && !found[0].contains("\u{1B}"))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func anExistingFileBecomesPrivateAndIsContinued() throws {
        let folder = try Folder()
        let path = try folder.write("log", "earlier\n")
        chmod(path, 0o644)
        let log = try DebugLog(path)
        log.note("later")
        log.flush()
        #expect(try lines(path).first == "earlier" && lines(path).count == 2)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    @Test func onlyRegularFilesAreWritten() throws {
        let folder = try Folder()
        let (pipe, link, target) = (folder.path + "/pipe", folder.path + "/link", folder.path + "/target")
        mkfifo(pipe, 0o600)
        symlink(target, link)
        for path in [folder.path, pipe, link, "/dev/null", folder.path + "/no/such/file"] {
            #expect(throws: CommandFailure.self, "\(path)") { try DebugLog(path) }
        }
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    @Test func theFileIsBounded() throws {
        let folder = try Folder()
        defer { withExtendedLifetime(folder) {} }
        let path = folder.path + "/log"
        let log = try DebugLog(path, limit: 2_000)
        let other = try DebugLog(path, limit: 2_000)
        for number in 0..<200 {
            log.note("event", ["number": "\(number)"])
            log.flush()
            other.note("other", ["number": "\(number)"])
            other.flush()
        }
        for name in [path, path + ".1"] {
            let size = try FileManager.default.attributesOfItem(atPath: name)[.size] as? Int ?? .max
            // Another process may add a line before it notices.
            #expect(size <= 4_000, "\(name)")
        }
        #expect(try lines(path).last?.hasSuffix("other number=199") == true)
        #expect(
            try Set(FileManager.default.contentsOfDirectory(atPath: (path as NSString).deletingLastPathComponent)) == [
                "log", "log.1",
            ])
    }

    /// Messages and effects are named, and nothing that they hold is written, whatever they are.
    @Test func noTextGetsIn() throws {
        let folder = try Folder()
        defer { withExtendedLifetime(folder) {} }
        let path = folder.path + "/log"
        let log = try DebugLog(path)
        let reference = LayerReference(server: "SECRET", documentID: "SECRET", layer: "SECRET", userID: "SECRET")
        let messages: [Message] = [
            .key(.character("§")), .key(.paste("SECRET")), .notice("SECRET"), .externallyEdited("SECRET"),
            .tokenRead(TokenText("SECRET")), .tokenRefused("SECRET"), .at(reference, .titled("SECRET")),
            .openFailed("SECRET"), .history(["SECRET"]), .pathsFound("SECRET", ["SECRET"]), .tokenAccepted,
            .recordsChanged(["SECRET"], author: "SECRET", byOthers: ["SECRET"]), .status(SyncStatus()),
            .people([RecordCreator(userID: "SECRET", name: "SECRET")]), .editFailed(step: 1, "SECRET"),
        ]
        for message in messages { log.note(message) }
        let step = EditStep(
            id: 7, edits: [.beginThread(.note(onPage: 0, at: .init(x: 1, y: 1), text: "SECRET"), .plain("SECRET"))])
        let effects: [Effect] = [
            .perform(step), .saveDraft(.record("SECRET"), "SECRET"), .supplyToken(TokenText("SECRET")),
            .join(server: "SECRET", token: TokenText("SECRET")), .editExternally("SECRET"), .openFile("SECRET"),
            .remember(line: "SECRET"), .copy("SECRET", isAddress: true), .runHook(.new(["SECRET"], author: "SECRET")),
            .notifyDesktop("SECRET"), .loadPage(3), .quit,
        ]
        for effect in effects { log.note(effect) }
        log.flush()
        let found = try lines(path)
        #expect(found.count == messages.count + effects.count)
        #expect(!found.joined().contains("SECRET") && !found.joined().contains("§"))
        #expect(found.contains { $0.hasSuffix("effect name=perform step=7 edits=beginThread count=1") })
        #expect(
            found.contains { $0.hasSuffix("effect name=quit") } && found.contains { $0.hasSuffix("name=tokenAccepted") }
        )
    }
}

/// The log of the real program.
@Suite(.onOwnThreads)
struct DebugLogStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    @Test func typedTokensAndTextsAreNotInTheLog() throws {
        let path = ana.home.path + "/debug.log"
        let terminal = try ana.open(["open", engine.url, "--token-file", ana.tokenFile, "--log", path])
        try terminal.addNote("Zanzibar remark")
        try terminal.see("Zanzibar remark", at: engine)
        try terminal.press("a")
        try terminal.see("New note")
        terminal.send(text: "Quixotic draft")
        try terminal.see("Quixotic draft")
        try terminal.press("<esc>")
        try terminal.see("Draft kept")
        try terminal.press("T")
        try terminal.see("Token")
        let token = try engine.token("ana")
        terminal.send(text: token)
        try terminal.see("\(token.count) characters (hidden)")
        try terminal.press("<enter>")
        // The rest would be typed into it.
        try terminal.see(no: "New token")
        try terminal.press("/zanzibar<enter>")
        try terminal.see("filter: zanzibar")
        #expect(try terminal.quit() == [])
        let log = try String(contentsOfFile: path, encoding: .utf8)
        for secret in ["anzibar", "uixotic", "draft kept", "remark"]
            + [token, ana.token].flatMap({ $0.split(separator: ".").map(String.init) })
        {
            #expect(!log.contains(secret), "\(secret)")
        }
        // Not even letter by letter.
        #expect(!log.contains("name=z") && !log.contains("name=Q"))
        let lines = log.split(separator: "\n")
        #expect(lines.allSatisfy { $0.contains(#/^\d{4}-\S+Z \d+ \w+/#) })
        for what in [
            "start version=", "command=open options=token-file,log", "request method=", "effect name=perform",
            "key name=enter", "key name=character", "message name=status connection=live", " end",
        ] {
            #expect(log.contains(what), "\(what)")
        }
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    @Test func commandsLogTheirRequests() throws {
        let path = ana.home.path + "/debug.log"
        let run = try ana.script("add", "--note", "Zanzibar remark", "--page", "1", "--log", path)
        #expect(run.status == 0, "\(run.messages)")
        let log = try String(contentsOfFile: path, encoding: .utf8)
        #expect(log.contains("command=add options=note,page,log") && log.contains("request method=POST"))
        #expect(!log.contains("Zanzibar") && !log.contains(ana.token.suffix(40)))
        let refused = try ana.script("list", "--log", ana.home.path)
        #expect(refused.status != 0 && refused.messages.contains("not a regular file"))
        let viewer = try ana.run(
            ["open", engine.url, "--token-file", ana.tokenFile, "--plain", "--log", "/dev/null"], input: "quit\n")
        #expect(viewer.status == 64 && viewer.messages.contains("not a regular file"))
    }
}
