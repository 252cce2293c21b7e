import Children
import Foundation
import TestSupport
import TestThreads
import Testing

/// A few cycles of `make crash`, and a check that they detect failures.
@Suite(.serialized, .onProgramThreads, .timeLimit(.minutes(15))) struct CycleTests {
    @Test func nothingIsLostDoubledOrStalled() throws {
        try expectNoProblem(["--cycles", "8"])
    }

    @Test func twoServersAndTheirDatabaseLoseNothing() throws {
        try expectNoProblem(["--cycles", "4", "--servers", "2"])
    }

    @Test func tokensThatEndEveryTwoSecondsLoseNothing() throws {
        try expectNoProblem(["--cycles", "2", "--token-seconds", "2"])
    }

    @Test func severalProgramsOnOneFolderLoseNothingAndWaitForNoOther() throws {
        try expectNoProblem(["--rounds", "30", "--seed", "7"], of: "windows")
    }

    @Test func aNoteThatIsMissingAfterTheWindowsIsNoticed() throws {
        #expect(try problem(["--rounds", "1", "--lies"], of: "windows")?.contains("0 times") == true)
    }

    @Test func killedEnginesAndCommandsLoseNothingOfAFile() throws {
        try expectNoProblem(["--cycles", "3"], of: "files")
    }

    @Test func twoWindowsAndAnotherProgramLoseNothingOfOneAnother() throws {
        let count = ProcessInfo.processInfo.environment["ONE_FILE_HISTORIES"] ?? "2"
        try expectNoProblem(["--histories", count], of: "one-file")
    }

    @Test func aChangeThatIsMissingInTheOneFileIsNoticed() throws {
        let problem = try problem(["--histories", "1", "--seed", "1", "--lies"], of: "one-file")
        #expect(problem?.contains("a liar is lost") == true)
    }

    @Test func aNoteThatIsMissingInAFileIsNoticed() throws {
        let problem = try problem(["--cycles", "1", "--seed", "1", "--lies"], of: "files")
        #expect(problem?.contains("a lie is there 0 times") == true)
    }

    @Test func powerFailuresAndFailingDisksLoseNothing() throws {
        try expectNoProblem(["--cycles", "6", "--power"])
    }

    @Test func aPromiseThatIsNotKeptIsNoticed() throws {
        #expect(try problem(["--cycles", "5", "--lies"])?.contains("instead of") == true)
    }

    /// Expects a campaign to hold, and names the seed and the cause otherwise.
    private func expectNoProblem(
        _ arguments: [String], of campaign: String = "cycles", _ location: SourceLocation = #_sourceLocation
    ) throws {
        let problem = try problem(arguments, of: campaign)
        #expect(problem == nil, sourceLocation: location)
    }

    /// Runs the built program in the folder of the tests.
    ///
    /// - Returns: The status and output of a failure, so that a log with one line per failure shows the cause; nil on
    ///   success.
    private func problem(_ arguments: [String], of campaign: String = "cycles") throws -> String? {
        let beside = Bundle.main.executableURL?.deletingLastPathComponent().appendingPathComponent("Crash").path
        let built = beside.flatMap { FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil }
        let (process, output) = (ChildProcess(), Pipe())
        process.executableURL = URL(fileURLWithPath: built ?? Repository.root + "/.build/debug/Crash")
        process.arguments = [campaign] + arguments
        process.standardOutput = output
        try process.run()
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus != 0 else { return nil }
        return "ended with \(process.terminationStatus): \(String(decoding: said, as: UTF8.self))"
    }
}
