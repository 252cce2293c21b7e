import Foundation
import TestSupport
import TestThreads
import Testing

/// `--remember` stores a token once the server accepts it, and removes it when the server refuses it or the user asks.
@Suite(.onOwnThreads)
struct RememberStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    private var folder: String { ana.home.path + "/.local/state/postilla/tokens" }
    private var kept: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }

    private func waitUntilNothingIsKept(_ terminal: VirtualTerminal) throws {
        try terminal.wait(until: "the token is erased", seconds: Patience.long) { _ in kept.isEmpty }
    }

    @Test func aKeptTokenOpensTheLayerAgainUntilItIsForgotten() throws {
        let first = try ana.open(["open", engine.url, "--remember", "--token-file", ana.tokenFile])
        #expect(try first.quit() == [])
        #expect(kept.count == 1)
        let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + kept[0])
        #expect(attributes[.posixPermissions] as? Int == 0o600)

        let again = try ana.open(["open", engine.url, "--remember"])
        #expect(!again.rawOutput.contains("Token needed"))
        try again.press(":forget-token<enter>")
        try again.see("Token needed")
        try waitUntilNothingIsKept(again)
        try again.press("<esc>")
        #expect(try again.quit() == [])
    }

    @Test func onlyWhoAsksForItIsRemembered() throws {
        let terminal = try ana.open()
        #expect(try terminal.quit() == [])
        #expect(kept == [])
    }

    @Test func aLostConnectionErasesNothingAndARefusalDoes() throws {
        let terminal = try ana.open(["open", engine.url, "--remember", "--token-file", ana.tokenFile])
        engine.kill()
        try terminal.see("offline, retry in")
        #expect(kept.count == 1)
        try engine.start()
        try terminal.press("S")
        try terminal.see("synced")
        try engine.revoke(ana.token)
        try terminal.see("Token needed")
        try waitUntilNothingIsKept(terminal)
    }
}
