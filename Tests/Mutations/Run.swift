import Children
import Foundation
import Synchronization

/// One completed run of a program, with its output.
struct Run {
    let status: Int32
    let output: String
    /// Whether it was stopped because of the timeout.
    let isEndless: Bool

    /// - Parameters:
    ///   - command: A program of the PATH and its arguments.
    ///   - limit: The timeout in seconds.
    init(_ command: [String], planted: Int = 0, limit: Double) throws {
        let (process, pipe) = (ChildProcess(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.environment = ProcessInfo.processInfo.environment.merging(["PLANTED": "\(planted)"]) { $1 }
        process.standardInput = FileHandle.nullDevice
        (process.standardOutput, process.standardError) = (pipe, pipe)
        try process.run()
        let stopped = Mutex(false)
        let alarm = DispatchWorkItem {
            stopped.withLock { $0 = true }
            process.kill()
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
