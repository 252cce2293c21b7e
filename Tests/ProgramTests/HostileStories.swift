import Foundation
import Screen
import TestSupport
import TestThreads
import Testing

@Suite(.onOwnThreads)
struct HostileStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        ana = try Person(at: engine)
    }

    /// Sequences that would control a terminal: title, colour, erase, an 8-bit introducer, an answerback.
    private static let planted = [
        "\u{1B}]0;planted\u{7}", "\u{1B}[35;1mplanted", "\u{1B}[2Jplanted", "\u{9B}31mplanted", "\u{5}planted",
        "\u{202E}planted",
    ]

    @Test func controlCharactersOfOthersNeverReachTheTerminal() throws {
        let text = "Before " + Self.planted.joined(separator: " ") + " after"
        var paper = SmallPDF.paper()
        paper.info = "/Title(\\033]0;planted\\007 and more)"
        let path = try engine.folder.write("paper.pdf", paper.bytes)
        let upload = try ana.run([
            "upload", path, "--document-id", "paper", "--title", text, "--server", engine.url, "--api-token-file",
            engine.secretFile,
        ])
        #expect(upload.status == 0, "\(upload.messages)")
        let token = try engine.token { $0.user = "mallory" }
        let mallory = try Person("mallory", at: engine, token: token)
        _ = try mallory.run(["list", engine.url, "--token-file", mallory.tokenFile])
        try engine.create([
            "v": 1, "type": "pspdfkit/note", "pageIndex": 0, "bbox": [72, 90, 32, 32], "text": text,
            "creatorName": text, "createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-01T00:00:00Z",
        ])
        let terminal = try ana.open(rows: 40, columns: 140)
        try terminal.see("Before")
        try terminal.press("j")
        try terminal.press("k")
        #expect(try terminal.quit() == [])
        try WrittenBytes.check(terminal.output)

        let listing = try ana.start(["list", engine.url, "--token-file", ana.tokenFile], columns: 400)
        #expect(try listing.waitForExit(seconds: Patience.long) == 0)
        #expect(listing.text.contains("Before"))
        try WrittenBytes.check(listing.output)
        for sequence in Self.planted {
            #expect(!terminal.rawOutput.contains(sequence), "\(sequence.debugDescription)")
            #expect(!listing.rawOutput.contains(sequence), "\(sequence.debugDescription)")
        }
    }

    @Test func aPasteIsTextWhateverIsInIt() throws {
        try engine.upload(.paper())
        let terminal = try ana.open()
        try terminal.press("a")
        try terminal.see("New note")
        terminal.send(Key.paste("one\u{1B}[31mtwo\rthree\u{7}").bytes)
        try terminal.see("three")
        try terminal.press("<enter>")
        try terminal.see("Added note")
        try terminal.see("synced")
        try WrittenBytes.check(terminal.output)
        #expect(!terminal.rawOutput.contains("\u{1B}[31mtwo"))
    }

    @Test func aServerThatIsNotOursIsCalledThat() throws {
        let other = try OtherServer()
        let list = try ana.run(["list", other.url, "--token-file", ana.tokenFile])
        #expect(list.status == 1 || list.status == 5)
        #expect(list.messages.contains("is not a Postilla server"), "\(list.messages)")
        let upload = try ana.run([
            "upload", ana.tokenFile, "--server", other.url, "--api-token-file", engine.secretFile,
        ])
        #expect(upload.status == 1)
        #expect(upload.messages.contains("is not a Postilla server"), "\(upload.messages)")
        let terminal = try ana.start(["open", other.url, "--token-file", ana.tokenFile])
        try terminal.see("is not a Postilla server")
        #expect(try terminal.quit() == [])
    }

    @Test func aTokenIsSeenByNobodyElseOnTheMachine() throws {
        try engine.upload(.paper())
        let terminal = try ana.start(["open", engine.url], environment: ["POSTILLA_TOKEN": ana.token])
        try terminal.see("synced")
        let process = try #require(terminal.process)
        for file in ["/proc/\(process)/cmdline", "/proc/\(process)/environ", "/proc/\(engine.processID)/cmdline"] {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            #expect(bytes.range(of: Data(ana.token.utf8)) == nil, "\(file)")
            #expect(bytes.range(of: Data(engine.secret.utf8)) == nil, "\(file)")
        }
        #expect(!terminal.rawOutput.contains(ana.token.prefix(60)))
        #expect(try terminal.quit() == [])
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/qpdf")))
    func anEncryptedPDFIsRefused() throws {
        let plain = try ana.home.write("plain.pdf", SmallPDF.paper().bytes)
        let locked = ana.home.path + "/locked.pdf"
        let encryption = try Program.run(
            ["--encrypt", "secret", "owner", "256", "--", plain, locked], environment: [:], executable: "/usr/bin/qpdf")
        try #require(encryption.status == 0, "\(encryption.messages)")
        let upload = try ana.run([
            "upload", locked, "--document-id", "paper", "--server", engine.url, "--api-token-file", engine.secretFile,
        ])
        #expect(upload.status == 1)
        #expect(upload.messages.contains("encrypted"), "\(upload.messages)")
    }

    /// The document is missing on the server: the program reports it and shows no spinner.
    @Test func aDocumentThatIsNotThereIsToldOf() throws {
        let terminal = try ana.start()
        try terminal.see("You no longer have access to paper / review")
        try terminal.see("the token's document")
        try terminal.see(no: "Waiting for data")
        #expect(try terminal.quit() == [])
    }
}
