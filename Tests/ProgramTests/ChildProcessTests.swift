import Children
import Foundation
import Testing

/// What child processes of a test receive, and how they end.
@Suite(.timeLimit(.minutes(15))) struct ChildProcessTests {
    private func shell(_ script: String, _ setUp: (ChildProcess) -> Void = { _ in }) throws -> (ChildProcess, String) {
        let (process, output) = (ChildProcess(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script]
        process.standardOutput = output
        setUp(process)
        try process.run()
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process, String(decoding: said, as: UTF8.self))
    }

    @Test func anEndIsToldWithItsNumber() throws {
        let (process, said) = try shell("echo here; exit 7")
        #expect(said == "here\n")
        #expect(process.terminationStatus == 7 && process.terminationReason == .exit && !process.isRunning)
    }

    @Test func aSignalIsToldAsOne() throws {
        let (process, _) = try shell("kill -9 $$")
        #expect(process.terminationStatus == SIGKILL && process.terminationReason == .uncaughtSignal)
    }

    /// A child receives signals even if the thread that started it blocks them.
    @Test func itHearsSignals() async throws {
        let process = ChildProcess()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "trap 'exit 3' TERM; echo ready; while :; do sleep 0.05; done"]
        process.standardOutput = output
        try process.run()
        #expect(output.fileHandleForReading.availableData == Data("ready\n".utf8))
        process.terminate()
        process.waitUntilExit()
        #expect(process.terminationStatus == 3)
    }

    @Test func itHasWhatItIsGivenAndNothingElse() throws {
        let (_, said) = try shell("echo $WORD; pwd; cat; ls /proc/self/fd | wc -l") { process in
            process.environment = ["WORD": "given", "PATH": "/usr/bin:/bin"]
            process.currentDirectoryURL = URL(fileURLWithPath: "/usr")
            process.standardInput = FileHandle.nullDevice
        }
        // The three standard streams, and the folder that ls reads.
        #expect(said.split(whereSeparator: \.isWhitespace) == ["given", "/usr", "4"])
    }

    @Test func itsInputEndsWithOurEnd() throws {
        let (process, input, output) = (ChildProcess(), Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/bin/cat")
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data("through it".utf8))
        try input.fileHandleForWriting.close()
        #expect(try output.fileHandleForReading.readToEnd() == Data("through it".utf8))
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test func aProgramThatIsNotThereIsAnError() {
        #expect(throws: POSIXError.self) {
            try ChildProcess.run(URL(fileURLWithPath: "/nonsense"), arguments: [])
        }
    }
}
