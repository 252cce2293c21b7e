import Children
import Foundation

/// Runs one ``SyncChild`` and watches its memory until it has written its line.
struct ClientProcess {
    var server: String
    var tokenFile: URL
    var dataFolder: URL

    struct Outcome {
        /// From before the process was created until its line was read.
        var whole: Duration
        /// By its own clock, from its first call to the library.
        var inside: Duration
        /// Processor time of the whole process.
        var processor: Duration
        var rows: Int
        var memory: ProcessMemory
    }

    func run(_ task: SyncChild.Task) throws -> Outcome {
        guard let program = Bundle.main.executableURL else { throw BenchmarkError("this program has no path") }
        let process = ChildProcess()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = program
        process.arguments = [
            "client", task.rawValue, "--server", server, "--token-file", tokenFile.path, "--data-dir", dataFolder.path,
        ]
        process.standardInput = input
        process.standardOutput = output
        let start = ContinuousClock.now
        try process.run()
        let watch = MemoryWatch(process: process.processIdentifier)
        let line = output.fileHandleForReading.availableData
        let end = ContinuousClock.now
        let memory = watch.stop()
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        guard words.count == 3, let rows = Int(words[0]), let milliseconds = Double(words[1]),
            let processor = Double(words[2])
        else {
            throw BenchmarkError("the client process failed")
        }
        return Outcome(
            whole: end - start, inside: .milliseconds(milliseconds), processor: .milliseconds(processor), rows: rows,
            memory: memory)
    }
}
