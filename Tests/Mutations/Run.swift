import Children
import Foundation
import Synchronization

/// One program run to its end, with all it said.
struct Run {
    let status: Int32
    let output: String
    /// It was stopped because it did not end by itself.
    let isEndless: Bool

    /// - Parameters:
    ///   - command: a program of the PATH and its arguments.
    ///   - limit: seconds after which nobody waits any longer.
    init(_ command: [String], planted: Int = 0, limit: Double) throws {
        let (process, pipe) = (ChildProcess(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.environment = ProcessInfo.processInfo.environment.merging(["PLANTED": "\(planted)"]) { $1 }
        process.standardInput = FileHandle.nullDevice
        (process.standardOutput, process.standardError) = (pipe, pipe)
        try process.run()
        let id = process.processIdentifier
        let stopped = Mutex(false)
        let alarm = DispatchWorkItem {
            stopped.withLock { $0 = true }
            kill(id, SIGKILL)
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + limit, execute: alarm)
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        alarm.cancel()
        status = process.terminationStatus
        output = String(decoding: data, as: UTF8.self)
        isEndless = stopped.withLock { $0 }
    }

    var isGood: Bool { status == 0 && !isEndless }
}
