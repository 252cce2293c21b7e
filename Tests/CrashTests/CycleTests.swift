import Children
import Foundation
import TestSupport
import TestThreads
import Testing

/// A few cycles of `make crash`, and that they would notice.
@Suite(.serialized, .onProgramThreads, .timeLimit(.minutes(15))) struct CycleTests {
    @Test func nothingIsLostDoubledOrStalled() throws {
        let run = try run(["--cycles", "8"])
        #expect(run.status == 0, "\(run.output)")
    }

    @Test func twoServersAndTheirDatabaseLoseNothing() throws {
        let run = try run(["--cycles", "4", "--servers", "2"])
        #expect(run.status == 0, "\(run.output)")
    }

    @Test func tokensThatEndEveryTwoSecondsLoseNothing() throws {
        let run = try run(["--cycles", "2", "--token-seconds", "2"])
        #expect(run.status == 0, "\(run.output)")
    }

    @Test func aPromiseThatIsNotKeptIsNoticed() throws {
        let run = try run(["--cycles", "5", "--lies"])
        #expect(run.status != 0)
        #expect(run.output.contains("in place of"), "\(run.output)")
    }

    /// Beside the tests: all of one build are in one folder.
    private func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let beside = Bundle.main.executableURL?.deletingLastPathComponent().appendingPathComponent("Crash").path
        let built = beside.flatMap { FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil }
        let (process, output) = (ChildProcess(), Pipe())
        process.executableURL = URL(fileURLWithPath: built ?? Repository.root + "/.build/debug/Crash")
        process.arguments = ["cycles"] + arguments
        process.standardOutput = output
        try process.run()
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: said, as: UTF8.self))
    }
}
