import Annotations
import App
import DocumentEngine
import Foundation
import Synchronization
import TestSupport
import TestThreads
import Testing

@testable import postilla

/// Commands of the user for events: no shell, one line of JSON on standard input, no token.
@Suite struct HookTests {
    private static let reference = LayerReference(
        server: "http://localhost:1", documentID: "plan\n;rm", layer: "$(reboot)", userID: "mia")

    private final class Told: Sendable {
        let all = Mutex<[String]>([])
        var texts: [String] { all.withLock { $0 } }
    }

    /// A script that appends its arguments, its environment's tokens and its input to a file.
    private func script(_ folder: Folder, _ body: String) throws -> String {
        try folder.write("hook.sh", "#!/bin/sh\n\(body)\n")
        let path = folder.path + "/hook.sh"
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        return path
    }

    @Test func anEventIsOneLineOfJSONOnStandardInput() async throws {
        let folder = try Folder()
        let path = try script(
            folder, "cat >> \(folder.path)/out; echo \"$#:$1:${POSTILLA_TOKEN-none}\" >> \(folder.path)/out")
        let told = Told()
        let hooks = Hooks(.init(new: [path, "--flag x"]), tell: { text in told.all.withLock { $0.append(text) } })
        hooks.tell(.new(["r1", "r2"], author: "ana"), in: Self.reference)
        hooks.tell(.tokenNeeded, in: Self.reference)
        try await waitUntil("the hook has run", seconds: 1_200) { folder.text("out").contains("--flag x") }
        let lines = folder.text("out").split(separator: "\n").map(String.init)
        #expect(lines.count == 2 && lines[1] == "1:--flag x:none")
        let json = try JSON(parsing: lines[0])
        #expect(json["event"]?.string == "new" && json["count"]?.integer == 2 && json["by"]?.string == "ana")
        #expect(json["document"]?.string == "plan\n;rm" && json["layer"]?.string == "$(reboot)")
        #expect(told.texts.isEmpty)
        hooks.close()
    }

    @Test func theUsersOwnCommandGetsTheWordsAndTheAnnotation() async throws {
        let folder = try Folder()
        let path = try script(folder, "cat >> \(folder.path)/out; echo end >> \(folder.path)/out")
        let told = Told()
        let hooks = Hooks(.init(run: [path]), tell: { text in told.all.withLock { $0.append(text) } })
        hooks.tell(.run(words: "todo $(reboot)", record: "r1", page: 4), in: Self.reference)
        try await waitUntil("the hook has run", seconds: 1_200) { folder.text("out").contains("end") }
        let json = try JSON(parsing: String(folder.text("out").split(separator: "\n")[0]))
        #expect(json["event"]?.string == "run" && json["words"]?.string == "todo $(reboot)")
        #expect(json["id"]?.string == "r1" && json["pageIndex"]?.integer == 4)
        hooks.close()
        let none = Hooks(.init(), tell: { text in told.all.withLock { $0.append(text) } })
        none.tell(.run(words: "x", record: nil, page: 0), in: Self.reference)
        #expect(told.texts == ["No command of your own: set on-run in the settings"])
        none.close()
    }

    /// A pipe would hold 64 KB of it, and writing the rest would wait for ever.
    @Test func aLongPasteIsPassedOnWhole() async throws {
        let folder = try Folder()
        let path = try script(folder, "wc -c > \(folder.path)/count; mv \(folder.path)/count \(folder.path)/out")
        let told = Told()
        let hooks = Hooks(.init(run: [path]), tell: { text in told.all.withLock { $0.append(text) } })
        let words = String(repeating: "x", count: 200_000)
        hooks.tell(.run(words: words, record: "r1", page: 4), in: Self.reference)
        try await waitUntil("the hook has run", seconds: 1_200) { !folder.text("out").isEmpty }
        let count = try #require(Int(folder.text("out").trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(count > words.utf8.count && told.texts.isEmpty)
        hooks.close()
    }

    /// A hook may print them, or hand them to a shell.
    @Test func namesAndWordsHaveNoControlCharacters() async throws {
        let folder = try Folder()
        let path = try script(folder, "cat >> \(folder.path)/out")
        let hooks = Hooks(.init(new: [path], run: [path]), tell: { _ in })
        hooks.tell(.new(["r1"], author: "ana\u{1B}[201~\u{202E}"), in: Self.reference)
        hooks.tell(.run(words: "a\u{9B}b\tc", record: nil, page: 0), in: Self.reference)
        try await waitUntil("the hook has run", seconds: 1_200) { folder.text("out").contains("pageIndex") }
        let lines = try folder.text("out").split(separator: "\n").map { try JSON(parsing: String($0)) }
        #expect(lines.map { $0["by"]?.string ?? $0["words"]?.string } == ["ana[201~", "ab\tc"])
        hooks.close()
    }

    @Test func oneRunsAtATimeAndASlowOneIsEnded() async throws {
        let folder = try Folder()
        let path = try script(folder, "echo start >> \(folder.path)/out; exec tail -f /dev/null")
        let told = Told()
        let hooks = Hooks(
            .init(new: [path]), limit: .milliseconds(200), tell: { text in told.all.withLock { $0.append(text) } })
        hooks.tell(.new(["r1"], author: nil), in: Self.reference)
        hooks.tell(.new(["r2"], author: nil), in: Self.reference)
        try await waitUntil("the hook has run", seconds: 1_200) {
            folder.text("out").components(separatedBy: "start").count == 3
        }
        #expect(told.texts.count == 1 && told.texts[0].contains("ran longer than"))
        hooks.close()
    }

    /// Whatever it has started, and whatever that ignores.
    @Test(arguments: [true, false]) func aHookIsEndedWithItsChildren(_ isClosed: Bool) async throws {
        let folder = try Folder()
        let path = try script(
            folder,
            """
            (trap '' TERM; echo $BASHPID > \(folder.path)/child; exec tail -f /dev/null) &
            echo $$ > \(folder.path)/out
            wait
            """.replacingOccurrences(of: "$BASHPID", with: "$(exec sh -c 'echo $PPID')"))
        let hooks = Hooks(.init(new: [path]), limit: .milliseconds(isClosed ? 600_000 : 300), tell: { _ in })
        hooks.tell(.new(["r1"], author: nil), in: Self.reference)
        try await waitUntil("the hook runs", seconds: 1_200) {
            folder.text("out").hasSuffix("\n") && folder.text("child").hasSuffix("\n")
        }
        let pids = try ["out", "child"].map { try #require(pid_t(folder.text($0).dropLast())) }
        if isClosed {
            hooks.close()
            await hooks.ended()
        }
        try await waitUntil("it is gone", seconds: 1_200) { pids.allSatisfy { ProcessIdentity(pid: $0).start == 0 } }
        hooks.close()
    }

    @Test func aCommandThatFailsIsReportedOnce() async throws {
        let told = Told()
        let hooks = Hooks(
            .init(new: ["/no/such/program"], tokenNeeded: ["false"]),
            tell: { text in told.all.withLock { $0.append(text) } })
        for _ in 0..<3 { hooks.tell(.new(["r1"], author: nil), in: Self.reference) }
        hooks.tell(.tokenNeeded, in: Self.reference)
        try await waitUntil("the hook has run", seconds: 1_200) { told.texts.count == 2 }
        #expect(told.texts[0] == "The hook /no/such/program failed: it cannot be run")
        #expect(told.texts[1] == "The hook false failed: exit code 1")
        hooks.close()
    }

    @Test func aCommandThatIgnoresItsInputIsFine() async throws {
        let folder = try Folder()
        let told = Told()
        let hooks = Hooks(
            .init(new: ["true"], tokenNeeded: ["touch", folder.path + "/done"]),
            tell: { text in told.all.withLock { $0.append(text) } })
        for _ in 0..<10 { hooks.tell(.new(["r1"], author: nil), in: Self.reference) }
        hooks.tell(.tokenNeeded, in: Self.reference)
        try await waitUntil("the hook has run", seconds: 1_200) {
            FileManager.default.fileExists(atPath: folder.path + "/done")
        }
        #expect(told.texts.isEmpty)
        hooks.close()
    }
}

/// A place in a document, from one run to the next.
@Suite struct ReadingPlaceFileTests {
    @Test func whatIsStoredIsReadAgain() throws {
        let folder = try Folder()
        let file = ReadingPlaceFile(folder: folder.path + "/places", name: "x")
        #expect(file.place == nil)
        let place = ReadingPlace(
            place: .init(page: 3, glyph: 44), row: "r\u{0}1", isOnPage: true,
            bookmarks: ["a": .init(page: 0, glyph: 1), "ß": .init(page: 7, glyph: 0)])
        try file.keep(place)
        #expect(file.place == place)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"place":[1]}"#, #"{"place":[-1,2]}"#, #"{"place":[1e99,2]}"#, #"{"place":"x"}"#, "\u{0}",
    ])
    func whatCannotBeReadCountsAsNothing(text: String) throws {
        let folder = try Folder()
        try folder.write("x.json", text)
        #expect(ReadingPlaceFile(folder: folder.path, name: "x").place == nil)
    }
}
