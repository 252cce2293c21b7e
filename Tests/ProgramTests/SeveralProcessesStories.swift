import Foundation
import TestSupport
import TestThreads
import Testing

/// Several programs of one person on one layer, each with its own token.
@Suite(.onOwnThreads)
struct SeveralProcessesStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    /// Writes a token of the same user to a file.
    private func token(_ name: String, _ token: String) throws -> String { try ana.home.write(name + ".jwt", token) }

    private func readOnly() throws -> String { try token("reader", try engine.token("ana", reading: true)) }

    private func expired() throws -> String { try token("expired", try engine.token { $0.expires = 1_000_000_000 }) }

    private func viewer(_ file: String) -> [String] { ["open", engine.url, "--token-file", file] }

    private func command(_ arguments: String..., token file: String) throws -> Program.Outcome {
        try ana.run(arguments + ["--server", engine.url, "--token-file", file])
    }

    @Test func aReadOnlyWindowIsReadOnlyBesideAWritableOne() throws {
        let writer = try ana.open()
        let reader = try ana.open(viewer(try readOnly()))
        try reader.see("READ-ONLY")
        try reader.press("a")
        try reader.see(#"lacks "write""#)
        #expect(!reader.text.contains("New note"))
        // The other program is not affected.
        #expect(!writer.text.contains("READ-ONLY"))
        try writer.addNote("By the one that may")
        try writer.see("By the one that may", at: engine)
        try reader.see("By the one that may")
        try reader.see("READ-ONLY")
        #expect(try reader.quit() == [])
        #expect(try writer.quit() == [])
    }

    @Test func aCommandWritesByItsOwnTokenBesideARunningViewer() throws {
        let viewer = try ana.open()
        let forged = try token("forged", try engine.tokenSignedWithPublicKey())
        for (file, status) in [(try readOnly(), Int32(4)), (try expired(), 3), (forged, 3)] {
            let run = try command("add", "--note", "Not allowed", "--page", "1", token: file)
            #expect(run.status == status, "\(file): \(run.messages)")
        }
        #expect(try ana.run(["outbox"]).messages.contains("no unsent edits"))
        #expect(try !engine.records().contains("Not allowed"))
        #expect(try command("add", "--note", "Allowed", "--page", "1", token: ana.tokenFile).status == 0)
        try viewer.see("Allowed")
        #expect(try viewer.quit() == [])
    }

    @Test func aReaderWithAnExpiredTokenIsToldSoBesideARunningViewer() throws {
        let viewer = try ana.open()
        let run = try command("list", token: try expired())
        #expect(run.status == 3 && run.messages.contains("expired"), "\(run.messages)")
        #expect(run.output.isEmpty)
        #expect(try viewer.quit() == [])
    }

    @Test func commandsWorkBesideAWatchThatWaitsForAToken() throws {
        _ = try ana.script("sync")
        let ben = try Person("ben", at: engine)
        let old = try engine.token("ana")
        let watch = try RunningCommand(
            ["watch", "--server", engine.url, "--token-file", try token("watch", old)], environment: ana.environment)
        try watch.see("ready")
        try engine.revoke(old)
        try watch.hear("waiting for another token")
        _ = try ben.note("News of Ben")
        #expect(try ana.listed().contains("News of Ben"))
        #expect(try ana.script("export", "--format", "instant-json").output.contains("News of Ben"))
        let added = try ana.script("add", "--note", "Added beside it", "--page", "1")
        #expect(added.status == 0, "\(added.messages)")
        #expect(try ana.script("sync").status == 0)
        #expect(try engine.records().contains("Added beside it"))
        watch.interrupt()
        _ = try watch.waitForExit()
    }

    @Test func aGoodWindowWorksBesideOneThatNeedsAToken() throws {
        let first = try ana.start(viewer(try expired()))
        try first.see("Token needed")
        let second = try ana.open()
        try second.addNote("The second works")
        try second.see("The second works", at: engine)
        #expect(try second.quit() == [])
    }

    @Test func aGoodWindowSendsBesideOneThatIsReadOnly() throws {
        let reader = try ana.open(viewer(try readOnly()))
        let writer = try ana.start(viewer(ana.tokenFile))
        try writer.see("Printed remark")
        try writer.see("by pid \(reader.processID) (open)")
        #expect(!writer.text.contains("READ-ONLY"))
        try writer.addNote("It gave way")
        try writer.see("It gave way", at: engine)
        try reader.see("It gave way")
        try reader.see("READ-ONLY")
        // When the leader is gone, the other program takes over.
        #expect(try writer.quit() == [])
        let ben = try Person("ben", at: engine)
        _ = try ben.note("News of Ben")
        try reader.see("News of Ben")
        #expect(try reader.quit() == [])
    }

    @Test func aTokenThatIsGivenInTheSecondWindowIsTried() throws {
        let first = try ana.open()
        let second = try ana.start(viewer(try expired()))
        try second.see("Token needed")
        try second.press("@\(try readOnly())<enter>")
        try second.see("Token for user ana, layer review")
        try second.press("<enter>")
        try second.see("READ-ONLY")
        try second.see("by pid \(first.processID) (open)")
        try second.press("T@")
        second.send(text: ana.tokenFile)
        try second.press("<enter>")
        try second.see("Token for user ana, layer review")
        try second.press("<enter>")
        try second.see(no: "READ-ONLY")
        try second.see("by pid \(first.processID) (open)")
        try second.addNote("By the second token")
        try second.see("By the second token", at: engine)
        #expect(try second.quit() == [])
        #expect(try first.quit() == [])
    }

    @Test func theNextProcessTakesOverAtOnce() throws {
        let first = try ana.open()
        let second = try ana.start(viewer(ana.tokenFile))
        try second.see("by pid \(first.processID) (open)")
        first.signal(SIGKILL)
        try second.addNote("Taken over")
        try second.see("Taken over", at: engine)
        #expect(try second.quit() == [])
    }

    /// The leader parks the edits, because its own token may not send them.
    @Test func commandsWriteBesideAReadOnlyWindow() throws {
        let reader = try ana.open(viewer(try readOnly()))
        for number in 1...4 {
            let added = try command("add", "--note", "Number \(number)", "--page", "1", token: ana.tokenFile)
            #expect(added.status == 0, "\(added.messages)")
            let id = added.output.trimmingCharacters(in: .newlines)
            let edited = try command("edit", id, "--text", "Changed \(number)", token: ana.tokenFile)
            #expect(edited.status == 0, "\(edited.messages)")
            #expect(try engine.records().contains("Changed \(number)"))
        }
        try reader.see("Changed 4")
        #expect(try reader.quit() == [])
    }
}
