import Foundation
import TestSupport
import TestThreads
import Testing

/// The pictures of screens in README and docs: drawn by the program, with the demo's documents, on a terminal of 80 by
/// 24. `make pictures` writes them anew; this notices when they are not what the program shows.
@Suite(.onOwnThreads)
struct PictureStories {
    @Test func theFirstScreenOfTheReadmeIsThePrograms() throws {
        let home = try Folder()
        let terminal = try VirtualTerminal(
            running: [Program.path, "demo"], environment: ["HOME": home.path, "TZ": "UTC"], directory: home.path)
        try terminal.see("synced")
        try terminal.see("(L: ")
        try terminal.press("jjjj<enter>")
        try terminal.see("lines 6-17")
        try terminal.see("\"It is fastened to a place:\"")
        try terminal.see("token 1")
        try compare(terminal.text, with: "document", in: "README.md")
        try terminal.press("q")
        let status = try terminal.waitForExit(seconds: Patience.long)
        #expect(status == 0, "\(terminal.text)\n\(home.text(".local/state/postilla/demo/server.log"))")
    }

    /// A picture stands in a block behind a comment with its name.
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
            #expect(Self.withoutAges(shown) == Self.withoutAges(kept), "make pictures draws it anew")
        }
    }

    /// How long ago something was, and how long a token lasts, is another from day to day.
    private static func withoutAges(_ text: String) -> String {
        text.replacing(#/ *\b\d+[smhdy]\b/#, with: " #")
    }

    private static func withoutBlanksAtItsEnd(_ line: Substring) -> String {
        String(line.reversed().drop { $0 == " " }.reversed())
    }
}
