import Foundation
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
        try terminal.press("jjjgp")
        try terminal.see("It is fastened")
        try terminal.see("token 1")
        try compare(terminal.text, with: "document", in: "README.md")
        try terminal.press("q")
        let status = try terminal.waitForExit(seconds: Patience.long)
        #expect(status == 0, "\(terminal.text)\n\(home.text(".local/state/postilla/demo/server.log"))")
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

    /// Replaces ages and token lifetimes, which change from day to day.
    private static func withoutAges(_ text: String) -> String {
        text.replacing(#/ *\b\d+[smhdy]\b/#, with: " #")
    }

    private static func withoutBlanksAtItsEnd(_ line: Substring) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }
}
