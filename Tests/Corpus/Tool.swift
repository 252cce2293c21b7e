import Children
import Foundation

/// A program of qpdf or poppler, run with a time limit.
enum Tool {
    struct Outcome {
        var status: Int32
        var output: Data
    }

    /// - Parameter seconds: After that, its status is 124.
    static func run(_ name: String, _ arguments: [String], seconds: Int = 90, in folder: URL) throws -> Outcome {
        let file = folder.appendingPathComponent("output-\(UUID().uuidString)")
        guard FileManager.default.createFile(atPath: file.path, contents: nil),
            let handle = FileHandle(forWritingAtPath: file.path)
        else { throw CorpusProblem("cannot write \(file.path)") }
        defer { try? FileManager.default.removeItem(at: file) }
        let process = ChildProcess()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
        process.arguments = ["\(seconds)", name] + arguments
        process.environment = ["PATH": "/usr/bin:/bin:/usr/local/bin", "LC_ALL": "C.UTF-8"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = handle
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try? handle.close()
        return Outcome(status: process.terminationStatus, output: try Data(contentsOf: file, options: .mappedIfSafe))
    }
}
