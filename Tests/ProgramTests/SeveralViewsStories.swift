import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// Programs of one person whose tokens see different parts of a layer, that are stopped, or whose copy is not current.
@Suite(.onOwnThreads)
struct SeveralViewsStories {
    let engine: EngineProcess
    let ana: Person

    init() throws {
        engine = try EngineProcess()
        try engine.upload(.paper())
        ana = try Person(at: engine)
    }

    /// A token that sees and changes only what ana made.
    private func narrow() throws -> String {
        let own = ["view", "edit", "delete"].map { "annotations:\($0):self" } + ["comments:view:self"]
        return try ana.home.write("narrow.jwt", try engine.token { $0.collaboration = own })
    }

    private func viewer(_ file: String) -> [String] { ["open", engine.url, "--token-file", file] }

    private func command(_ arguments: String..., token file: String) throws -> Program.Outcome {
        try ana.run(arguments + ["--server", engine.url, "--token-file", file])
    }

    private func listed(_ file: String, _ more: String...) throws -> String {
        try ana.run(
            ["list", "--format", "ndjson", "--server", engine.url, "--token-file", file] + more
        ).output
    }

    private func watch() throws -> RunningCommand {
        let watch = try RunningCommand(
            ["watch", "--server", engine.url, "--token-file", ana.tokenFile], environment: ana.environment)
        try watch.see("ready")
        return watch
    }

    @Test func eachProgramShowsOnlyWhatItsOwnTokenMaySee() throws {
        _ = try Person("ben", at: engine).note("Only for the wide token")
        let wide = try ana.open()
        try wide.see("Only for the wide token")
        let file = try narrow()
        let listing = try listed(file)
        #expect(!listing.contains("Only for the wide token") && !listing.contains("Printed remark"))
        #expect(try command("show", "10", token: file).status == 1)
        let second = try ana.start(viewer(file))
        try second.see("No annotations")
        try second.see("synced")
        try second.addNote("Made with the narrow token")
        try second.see("Made with the narrow token", at: engine)
        // It reaches the other program from the server.
        try wide.see("Made with the narrow token")
        #expect(!second.text.contains("Only for the wide token") && !second.text.contains("Printed remark"))
        // The rows of the wide token are not purged while it uses them.
        try wide.see("Only for the wide token")
        #expect(try listed(ana.tokenFile).contains("Printed remark"))
        #expect(try wide.quit() == [])
        #expect(try second.quit() == [])
    }

    @Test func aWideProgramBesideANarrowOneIsComplete() throws {
        _ = try Person("ben", at: engine).note("Only for the wide token")
        let file = try narrow()
        let first = try ana.start(viewer(file))
        try first.see("No annotations")
        #expect(try listed(ana.tokenFile).contains("Only for the wide token"))
        #expect(try command("export", token: ana.tokenFile).output.contains("Only for the wide token"))
        let second = try ana.open()
        try second.see("Only for the wide token")
        #expect(!first.text.contains("Only for the wide token"))
        #expect(try first.quit() == [])
        #expect(try second.quit() == [])
    }

    @Test func whenNoOtherProgramUsesThemTheRowsOutOfSightAreRemoved() throws {
        _ = try Person("ben", at: engine).note("Only for the wide token")
        #expect(try listed(ana.tokenFile).contains("Only for the wide token"))
        let data = ana.home.path + "/.local/share/postilla"
        let file = try narrow()
        #expect(Folder.files(below: data, holding: "Only for the wide token") != [])
        // A token that no server accepted removes nothing, and sees nothing.
        engine.kill()
        #expect(try !listed(file, "--offline").contains("Only for the wide token"))
        #expect(try command("list", "--offline", token: file).status == 4)
        #expect(try listed(ana.tokenFile, "--offline").contains("Only for the wide token"))
        try engine.start()
        #expect(try !listed(file).contains("Only for the wide token"))
        #expect(try command("list", "--offline", token: ana.tokenFile).status == 4)
        // An empty store of the narrow view may be left, which the next program removes, and a log that the next one writes
        // over.
        let holding = Folder.files(below: data, holding: "Only for the wide token")
        #expect(holding.filter { !$0.hasSuffix("-wal") } == [])
    }

    @Test func aNoteInTheStoreOfAnotherViewIsNotOfferedAsADraft() throws {
        try ana.saveLeavingTheDraft("Saved and")
        let wide = try watch()
        // Its store is still empty when it reads the draft.
        let run = try ana.run(viewer(try narrow()) + ["--plain"], input: "note\nwritten once\n.\nquit\n")
        #expect(run.output.contains("Added note") && !run.output.contains("Draft so far"), "\(run.output)")
        try wide.see("written once")
        #expect(try engine.records().components(separatedBy: "Saved and").count == 2)
        wide.interrupt()
        _ = try wide.waitForExit()
    }

    @Test func editsLeftInAStoreThatNoProgramUsesAreSent() throws {
        let file = try narrow()
        let wide = try ana.open()
        let second = try ana.start(viewer(file))
        try second.see("No annotations")
        try second.see("synced")
        try second.press(":offline<enter>")
        try second.see("offline")
        try second.addNote("Left behind")
        second.signal(SIGKILL)
        // The edits move to the program that remains, whose token allows them.
        try wide.see("Left behind", at: engine)
        try wide.see("Left behind")
        // The server has the edit a moment before its answer is here.
        try wide.see(no: "unsent")
        #expect(try wide.quit() == [])
        #expect(try engine.records().components(separatedBy: "Left behind").count == 2)
        let outbox = try ana.run(["outbox"])
        #expect(outbox.messages.contains("no unsent edits\n"), "\(outbox.output)\(outbox.messages)")
    }

    @Test func withoutTheRightToReadNothingIsListedOffline() throws {
        #expect(try listed(ana.tokenFile).contains("Printed remark"))
        let blind = try ana.home.write("blind.jwt", try engine.token { $0.permissions = ["write", "download"] })
        let run = try command("list", "--offline", token: blind)
        #expect(run.status == 4 && run.output.isEmpty, "\(run.messages)")
        #expect(run.messages.contains(#""read-document""#))
    }

    @Test func aStoppedProgramIsReplacedAndContinuesAsAFollower() throws {
        let first = try watch()
        let second = try ana.start(viewer(ana.tokenFile))
        try second.see("synced by pid \(first.processID) (watch)")
        first.signal(SIGSTOP)
        try second.see(no: "synced by pid")
        try second.addNote("While the other is stopped")
        try second.see("While the other is stopped", at: engine)
        #expect(try listed(ana.tokenFile).contains("While the other is stopped"))
        first.signal(SIGCONT)
        try first.see("While the other is stopped")
        try second.addNote("After it continued")
        try first.see("After it continued")
        #expect(try engine.records().components(separatedBy: "After it continued").count == 2)
        #expect(try second.quit() == [])
        first.interrupt()
        _ = try first.waitForExit()
    }

    @Test func ctrlZGivesTheLockUp() throws {
        let first = try watch()
        let second = try ana.start(viewer(ana.tokenFile))
        try second.see("synced by pid \(first.processID) (watch)")
        first.signal(SIGTSTP)
        try second.see(no: "synced by pid")
        try second.addNote("While the other sleeps")
        try second.see("While the other sleeps", at: engine)
        first.signal(SIGCONT)
        try first.see("While the other sleeps")
        #expect(try second.quit() == [])
        first.interrupt()
        _ = try first.waitForExit()
    }

    @Test func aCopyThatAnotherProgramHoldsBackIsStale() throws {
        #expect(try listed(ana.tokenFile).contains("Printed remark"))
        let lock = try #require(
            Folder.paths(below: ana.home.path, named: "sync.lock").first, "no layer in \(ana.home.path)")
        // A program that leads and lives, but gets nothing done.
        let descriptor = open(lock, O_RDWR | O_CLOEXEC)
        var request = Glibc.flock()
        request.l_type = Int16(F_WRLCK)
        try #require(fcntl(descriptor, 37, &request) == 0)
        let beating = DispatchSource.makeTimerSource()
        beating.schedule(deadline: .now(), repeating: .milliseconds(50))
        beating.setEventHandler {
            let line = "4711 \(DispatchTime.now().uptimeNanoseconds) idle\n"
            _ = Array(line.utf8).withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        }
        // Not before the last beat: another test may get the number at once.
        beating.setCancelHandler { close(descriptor) }
        beating.resume()
        defer { beating.cancel() }
        _ = try Person("ben", at: engine).note("News of Ben")
        for arguments in [["list"], ["export"], ["show", "10"], ["comments", "10"]] {
            let run = try ana.run(arguments + ["--server", engine.url, "--token-file", ana.tokenFile])
            #expect(run.status == 7 && run.output.isEmpty, "\(arguments): \(run.status) \(run.output) \(run.messages)")
            #expect(run.messages.contains("pid 4711 (idle)") && run.messages.contains("--offline"), "\(run.messages)")
        }
        #expect(try listed(ana.tokenFile, "--offline").contains("Printed remark"))
        #expect(try ana.run(["outbox"]).status == 0)
    }

    @Test func aWindowThatNeedsATokenSaysWhichProgramSyncs() throws {
        let first = try ana.open()
        let expired = try ana.home.write("expired.jwt", try engine.token { $0.expires = 1_000_000_000 })
        let second = try ana.start(viewer(expired))
        try second.see("Token needed")
        try second.press("<esc>")
        try second.see("by pid \(first.processID) (open)")
        try second.see("TOKEN?")
        #expect(try first.quit() == [])
    }

    @Test func inPlainModeTheStatusNamesTheProgramThatSyncs() throws {
        let first = try watch()
        let run = try ana.run(viewer(ana.tokenFile) + ["--plain"], input: "sync\nstatus\nquit\n")
        #expect(run.output.contains("synced by pid \(first.processID) (watch)"), "\(run.output)")
        first.interrupt()
        _ = try first.waitForExit()
    }

    @Test func withoutTheServerAViewerHasTheRightsOfItsOwnToken() throws {
        #expect(try listed(ana.tokenFile).contains("Printed remark"))
        engine.kill()
        // It may write, but not change annotations; the last accepted token may.
        let file = try ana.home.write(
            "limited.jwt",
            try engine.token { $0.collaboration = ["annotations", "comments", "form-fields"].map { "\($0):view:all" } })
        let window = try ana.start(viewer(file))
        try window.see("offline")
        try window.see("Printed remark")
        try window.press("gge")
        try window.see("annotations:edit")
        #expect(!window.text.contains("Text of the note"))
    }

    /// The side store is complete at once, the main store only after it was loaded.
    @Test func aListingIsCompleteWhenTheMainStoreHasJustBecomeFree() throws {
        _ = try Person("ben", at: engine).note("Only for the wide token")
        let narrow = try ana.start(viewer(try narrow()))
        try narrow.see("No annotations")
        let wide = try watch()
        #expect(try narrow.quit() == [])
        let run = try command("list", "--format", "ndjson", token: ana.tokenFile)
        #expect(run.status == 0 && run.output.contains("Only for the wide token"), "\(run.output) \(run.messages)")
        #expect(run.output.contains("Printed remark"))
        wide.interrupt()
        _ = try wide.waitForExit()
    }
}
