import Children
import Foundation
import Glibc

/// One command, run to its end.
struct Run {
    var status: Int32
    var output: String
    var messages: String
    var duration: Duration
    /// Whether it waited for a process that was stopped within a transaction of the store (decision 41).
    var isExcused = false

    init(_ command: [String], folder: URL, home: String) throws {
        let process = ChildProcess()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.environment = ["PATH": "/usr/bin:/bin", "HOME": home, "SWIFT_BACKTRACE": "enable=no"]
        process.standardInput = FileHandle.nullDevice
        let files = ["out", "err"].map { folder.appendingPathComponent("run." + $0) }
        for file in files { try Data().write(to: file) }
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        let start = ContinuousClock.now
        try process.run()
        let watchdog = DispatchWorkItem { process.kill() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: watchdog)
        process.waitUntilExit()
        watchdog.cancel()
        duration = .now - start
        status = process.terminationStatus + (process.terminationReason == .uncaughtSignal ? 128 : 0)
        output = try String(contentsOf: files[0], encoding: .utf8)
        messages = try String(contentsOf: files[1], encoding: .utf8)
    }
}
