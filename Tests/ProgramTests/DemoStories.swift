import Annotations
import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

@Suite(.onOwnThreads)
struct DemoStories {
    let home: Folder

    init() throws { home = try Folder() }

    private func terminal(_ arguments: [String], columns: Int = 80) throws -> VirtualTerminal {
        try VirtualTerminal(
            running: [Program.path] + arguments, environment: ["HOME": home.path], directory: home.path,
            columns: columns)
    }

    private struct Ready: Decodable {
        var server: String
        var tokens: [String: String]
    }

    @Test func theDemoServesItsPeople() throws {
        let demo = try terminal(["demo", "--serve-only"], columns: 2000)
        try demo.wait(until: "the demo prints its address", seconds: Patience.long) { $0.output.contains(0x0A) }
        let line = demo.output.prefix { $0 != 0x0A }
        let ready = try JSONDecoder().decode(Ready.self, from: Data(line))
        #expect(Set(ready.tokens.keys) == ["reviewer", "colleague", "spectator", "teacher", "student", "expired"])

        for (role, name) in [("teacher", "A teacher"), ("student", "A student")] {
            let token = try String(contentsOfFile: try #require(ready.tokens[role]), encoding: .utf8)
            try expectRights(of: token, toBeThoseOf: name)
        }

        let reviewer = try terminal(["open", ready.server, "--token-file", try #require(ready.tokens["reviewer"])])
        try reviewer.see("synced")
        try reviewer.see("Reading Machines")
        #expect(try reviewer.quit() == [])
        let stranger = try terminal([
            "open", ready.server, "--data-dir", home.path + "/other", "--token-file",
            try #require(ready.tokens["expired"]),
        ])
        try stranger.see("Token needed")
        try stranger.see("expired")

        demo.signal(SIGTERM)
        #expect(try demo.waitForExit(seconds: Patience.long) == 0)
        // The server ended with it, so a command cannot reach it.
        let run = try Program.run(
            ["list", ready.server, "--token-file", try #require(ready.tokens["reviewer"])],
            environment: ["HOME": home.path])
        #expect(run.status == 5, "\(run.messages)")
    }

    /// Expects the demo's class to match docs/permissions.md: its tokens are those of the table.
    private func expectRights(of token: String, toBeThoseOf name: String) throws {
        let shown = try Program.run(["token", "show"], environment: [:], input: token).lines
        let entries = shown.compactMap { $0.split(separator: " ").last.map(String.init) }
            .filter { $0.hasPrefix("annotations:") || $0.hasPrefix("comments:") }
        let role = try #require(try PermissionCase.all().first { $0.name == name })
        let wanted = role.claims["collaboration_permissions"]?.array?.compactMap(\.string) ?? []
        #expect(entries.sorted() == wanted.sorted())
        #expect(shown.contains("group     \(role.claims["default_group"]?.string ?? "")"))
    }

    @Test func theEmptyLibraryHasTheDemoBehindAKey() throws {
        let viewer = try terminal([])
        try viewer.see("d   Try it: a server with sample documents")
        try viewer.press("d")
        try viewer.see("Reading Machines")
        try viewer.see("synced")
        try viewer.press("q")
        try viewer.see("Layers on this machine")
        try viewer.see("reading-machines")
        #expect(try viewer.quit() == [])
    }

    @Test func theDemoIsLeftWithTheLineThatJoinsIt() throws {
        let demo = try terminal(["demo"], columns: 200)
        try demo.see("Reading Machines")
        try demo.see("synced")
        try demo.press(":who<enter>")
        try demo.see("To join from a second terminal:")
        try demo.see("colleague.jwt")
        try demo.press("<esc>")
        try demo.see(no: "To join")
        try demo.press("q")
        #expect(try demo.waitForExit(seconds: Patience.long) == 0)
        #expect(demo.whatIsLeftBehind == [])
        #expect(demo.text.contains("postilla open http://127.0.0.1"))
        #expect(demo.text.contains("rm -r"))
    }
}
