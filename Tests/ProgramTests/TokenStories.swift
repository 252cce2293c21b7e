import Foundation
import Screen
import TestSupport
import TestThreads
import Testing

@Suite(.onOwnThreads)
struct TokenStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    @Test func aRevokedTokenIsReplacedAndWhatWaitedIsSent() throws {
        let terminal = try ana.open()
        try engine.revoke(ana.token)
        try terminal.see("Token needed")
        try terminal.see("was revoked")
        try terminal.press("<esc>")
        try terminal.addNote("Written without a token")
        try terminal.press("T")
        try terminal.see("Unsent, safe here: 1 note")
        #expect(try !engine.records().contains("Written without"))

        let token = try engine.token("ana")
        terminal.send(Key.paste(token).bytes)
        try terminal.see("\(token.count) characters (hidden)")
        try terminal.see("Token for user ana, layer review")
        try terminal.press("<enter>")
        try terminal.see("synced")
        try terminal.see("Written without a token", at: engine)
        #expect(try terminal.quit() == [])
        try expectNoTrace(of: [token, ana.token], in: terminal)
    }

    /// A console, a serial line or a password manager types the token instead of pasting it.
    @Test func aTypedTokenGoesIntoTheCardAlone() throws {
        let terminal = try ana.open()
        try engine.revoke(ana.token)
        try terminal.see("Token needed")
        let token = try engine.token("ana")
        terminal.send(text: token)
        try terminal.see("\(token.count) characters (hidden)")
        try terminal.see("Token for user ana, layer review")
        try terminal.press("<enter>")
        try terminal.see("synced")
        #expect(try terminal.quit() == [])
        try expectNoTrace(of: [token, ana.token], in: terminal)
    }

    @Test func aTokenInAFileIsNamedOnTheCard() throws {
        let terminal = try ana.open()
        try engine.revoke(ana.token)
        try terminal.see("Token needed")
        try ana.home.write("fresh.jwt", try engine.token("ana") + "\n")
        try terminal.press("@\(ana.home.path)/fresh.jwt<enter>")
        try terminal.see("Token for user ana, layer review")
        try terminal.press("<enter>")
        try terminal.see("synced")
    }

    @Test func aSourceThatHasANewTokenIsAskedBeforeThePerson() throws {
        let terminal = try ana.open()
        let old = ana.token
        try ana.give(try engine.token("ana"))
        try engine.revoke(old)
        try terminal.addNote("Nobody was asked")
        try terminal.see("Nobody was asked", at: engine)
        #expect(!terminal.rawOutput.contains("Token needed"))
    }

    /// The card adds what the server knows about a token that it refuses.
    @Test func aRefusalIsExplainedOnTheCard() throws {
        let terminal = try ana.open(columns: 140)
        try terminal.press("T")
        terminal.send(
            Key.paste(
                try engine.token {
                    $0.document = "paper"; $0.expires = 1_000_000_000
                }
            ).bytes)
        try terminal.press("<enter>")
        try terminal.see("The token has expired")
        try terminal.see("Signed with a key of the server (ES256 ")
        let forged = try engine.token("ana").dropLast(8) + "AAAAAAAA"
        terminal.send(Key.paste(String(forged)).bytes)
        try terminal.see(no: "Signed with a key")
        try terminal.press("<enter>")
        try terminal.see("No key of the server verifies its signature")
        try terminal.press("<esc>")
        #expect(try terminal.quit() == [])
    }

    /// Each is refused with a message and does not block the next one.
    @Test func badTokensAreRefusedInASentence() throws {
        let terminal = try ana.open()
        try engine.revoke(ana.token)
        try terminal.see("Token needed")
        let bad: [(token: String, sentence: String)] = [
            ("nonsense", "Not a token"),
            (try engine.token { $0.permissions = ["write"] }, "read-document"),
            (try engine.token { $0.expires = 1_000_000_000 }, "expired"),
            (try engine.tokenSignedWithPublicKey(), "algorithm"),
            (try engine.unsignedToken(), "signature is missing"),
            (ana.token, "revoked"),
        ]
        for (token, sentence) in bad {
            terminal.send(Key.paste(token).bytes)
            try terminal.see("\(token.count) characters (hidden)")
            try terminal.press("<enter>")
            try terminal.see(sentence)
            try terminal.press("<C-u>")
            try terminal.see(no: "characters (hidden)")
        }
        try expectNoTrace(of: bad.map(\.token).filter { $0.contains(".") }, in: terminal)
        terminal.send(Key.paste(try engine.token("ana")).bytes)
        try terminal.press("<enter>")
        try terminal.see("synced")
    }

    @Test func withoutATokenTheCardAsksForOneAndTheLayerOpens() throws {
        let terminal = try ana.start(["open", engine.url])
        try terminal.see("Token needed")
        terminal.send(Key.paste(ana.token).bytes)
        try terminal.see("\(ana.token.count) characters (hidden)")
        try terminal.press("<enter>")
        try terminal.see("Printed remark")
        try terminal.see("synced")
        // It started in the library and returns there.
        try terminal.press("q")
        try terminal.see("Layers on this machine")
        #expect(try terminal.quit() == [])
        try expectNoTrace(of: [ana.token], in: terminal)
    }

    @Test func aTokenPastedIntoANoteIsNotWritten() throws {
        let terminal = try ana.open()
        try terminal.press("a")
        try terminal.see("New note")
        terminal.send(Key.paste(ana.token).bytes)
        try terminal.see("Paste ignored: this is a token")
        terminal.signal(SIGTERM)
        _ = try terminal.waitForExit(seconds: Patience.long)
        try expectNoTrace(of: [ana.token], in: terminal)
    }

    /// Expects no token on the screen, in terminal output, files or logs, or in a process's arguments or environment.
    private func expectNoTrace(of tokens: [String], in terminal: VirtualTerminal) throws {
        for token in tokens {
            let part = String(token.split(separator: ".").last ?? "")
            #expect(!terminal.rawOutput.contains(part))
            #expect(!engine.log.contains(part))
            #expect(Folder.files(below: ana.home.path, holding: part).allSatisfy { $0.hasSuffix(".jwt") })
            #expect(Folder.files(below: engine.folder.path, holding: part) == [])
        }
    }
}
