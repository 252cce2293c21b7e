import Foundation
import TestSupport
import TestThreads
import Testing

/// A PDF on disk, without a layer.
@Suite(.onOwnThreads)
struct LocalFileStories {
    private static func sample(_ name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: Repository.root + "/Resources/samples/\(name).pdf"))
    }

    /// A program that writes the PDF again, such as TeX, need not close it here.
    @Test func aChangedFileIsReadAgainAndThePlaceIsKept() throws {
        let home = try Folder()
        let path = try home.write("paper.pdf", try Self.sample("reading-machines"))
        func start() throws -> VirtualTerminal {
            let terminal = try VirtualTerminal(
                running: [Program.path, "open", path], environment: ["HOME": home.path, "TZ": "UTC"],
                directory: home.path)
            try terminal.see("page 1 of 3")
            try terminal.waitForPage()
            return terminal
        }
        let terminal = try start()
        try terminal.see("A margin is a place to talk")
        #expect(terminal.text.contains("paper.pdf"))
        try terminal.press("<tab>")
        // The engine, which this command asks, has the file, too.
        func readByTheEngine() throws {
            let run = try Program.run(["list", path], environment: ["HOME": home.path, "TZ": "UTC"])
            #expect(run.status == 0, "\(run.messages)")
        }
        try readByTheEngine()
        try home.write("paper.pdf", try Self.sample("harbour-handbook"))
        try terminal.see("changed on disk")
        try terminal.see(no: "A margin is a place to talk")
        // The next version is an earlier one then, of other pages.
        try readByTheEngine()
        try home.write("paper.pdf", try Self.sample("reading-machines"))
        try terminal.see("A margin is a place to talk")
        try terminal.press("J")
        try terminal.see("page 2 of 3")
        try terminal.press("q")
        #expect(try terminal.waitForExit(seconds: Patience.long) == 0)

        // The next run opens where the last one ended.
        let again = try VirtualTerminal(
            running: [Program.path, "open", path], environment: ["HOME": home.path, "TZ": "UTC"], directory: home.path)
        try again.see("page 2 of 3")
        try again.press("q")
        #expect(try again.waitForExit(seconds: Patience.long) == 0)
    }
}
