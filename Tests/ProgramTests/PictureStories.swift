import Foundation
import Screen
import TestSupport
import TestThreads
import Testing

/// The screen pictures in README and docs, drawn by the program with the demo's documents on an 80 by 24 terminal.
/// `make pictures` rewrites them; these tests fail when they differ from the program.
@Suite(.onOwnThreads)
struct PictureStories {
    @Test func theFirstScreenOfTheReadmeIsThePrograms() throws {
        let home = try Folder()
        let terminal = try VirtualTerminal(
            running: [Program.path, "demo"], environment: ["HOME": home.path, "TZ": "UTC"], directory: home.path)
        try terminal.see("synced")
        try terminal.waitForPage()
        try terminal.press("jjj")
        try terminal.see("It is fastened")
        try terminal.see("token 1")
        terminal.waitForIdle()
        try terminal.press("gp")
        // The page looks the same before it has the focus, but for the line of keys.
        try terminal.see("Tab list")
        terminal.waitForIdle()
        try compare(terminal.text, with: "document", in: "README.md")
        try terminal.press("q")
        let status = try terminal.waitForExit(seconds: Patience.long)
        #expect(status == 0, "\(terminal.text)\n\(home.text(".local/state/postilla/demo/server.log"))")
    }

    /// The program fits its colours to those that the terminal names.
    @Test(arguments: [("dark", Ground.dark), ("light", Ground.light)])
    func theScreenInColour(name: String, ground: Ground) throws {
        let home = try Folder()
        let terminal = try VirtualTerminal(
            running: [Program.path, "demo"], environment: ["HOME": home.path, "TZ": "UTC"], directory: home.path,
            rows: 30, columns: 120)
        terminal.ground = ground
        try terminal.see("synced")
        try terminal.waitForPage()
        try terminal.press("jjj")
        try terminal.see("It is fastened")
        // The thread comes after the annotation.
        try terminal.see("Yes, please do.")
        try terminal.see("token 1")
        terminal.waitForIdle()
        let picture = SVGPicture(terminal, on: ground).text + "\n"
        let path = "docs/images/screen-\(name).svg"
        if Repository.isRecording { try Repository.write(picture, to: path) }
        let kept = try Repository.text(path)
        #expect(Self.shape(picture) == Self.shape(kept), "run make pictures to draw it again")
        try terminal.press("q")
        #expect(try terminal.waitForExit(seconds: Patience.long) == 0)
    }

    /// Ages change from day to day, and with them the widths of the pieces around them.
    private static func shape(_ picture: String) -> [String] {
        let colours = picture.matches(of: #/fill="(#[0-9a-f]+)"/#).map { String($0.output.1) }
        let words = picture.matches(of: #/>([^<]+)</text>/#).map { withoutAges(String($0.output.1)) }
        return Set(colours).sorted() + words.flatMap { $0.split(separator: " ").map(String.init) }
    }

    /// Expects a screen to match the picture, a code block after a comment with its name.
    private func compare(_ screen: String, with name: String, in path: String) throws {
        let page = try Repository.text(path)
        let start = "<!-- picture: \(name) -->\n```\n"
        let head = try #require(page.range(of: start), "\(path) has no picture \(name)")
        let tail = try #require(page.range(of: "\n```", range: head.upperBound..<page.endIndex))
        let shown = screen.split(separator: "\n", omittingEmptySubsequences: false).map(Self.withoutBlanksAtItsEnd)
            .joined(separator: "\n")
        if Repository.isRecording {
            try Repository.write(page.replacingCharacters(in: head.upperBound..<tail.lowerBound, with: shown), to: path)
        } else {
            let kept = String(page[head.upperBound..<tail.lowerBound])
            #expect(Self.withoutAges(shown) == Self.withoutAges(kept), "run make pictures to draw it again")
        }
    }

    /// Replaces ages, moments and token lifetimes, which change from day to day.
    private static func withoutAges(_ text: String) -> String {
        text.replacing(#/ *\b\d+[smhdy]\b/#, with: " #")
            .replacing(#/\b\d{4}-\d{2}-\d{2}( \d{2}:\d{2})?\b/#, with: "#")
    }

    private static func withoutBlanksAtItsEnd(_ line: Substring) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }
}
