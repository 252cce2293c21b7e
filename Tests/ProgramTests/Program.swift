import Children
import Dispatch
import Foundation
import TestSupport

/// The built program and a run of it without a terminal.
enum Program {
    /// In the folder of the tests, where a build places all products.
    static let path: String = {
        let built = Bundle.main.executableURL?.deletingLastPathComponent().appendingPathComponent("postilla").path
        guard let built, FileManager.default.isExecutableFile(atPath: built) else {
            return Repository.root + "/.build/debug/postilla"
        }
        return built
    }()

    /// The result of a finished run.
    struct Outcome {
        var status: Int32
        var output: String
        var messages: String
    }

    /// Runs the program to completion.
    ///
    /// - Parameters:
    ///   - environment: The whole environment except `PATH`.
    ///   - seconds: How long it may take.
    static func run(
        _ arguments: [String], environment: [String: String], input: String = "", executable: String = path,
        seconds: Int = 60
    ) throws -> Outcome {
        let folder = try Folder()
        let process = ChildProcess()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.environment = ["PATH": "/usr/local/bin:/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"]
            .merging(environment) { $1 }
        process.standardInput = try FileHandle(
            forReadingFrom: URL(fileURLWithPath: try folder.write("input", input)))
        let files = try ["output", "messages"].map { URL(fileURLWithPath: try folder.write($0, "")) }
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        let end = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in end.signal() }
        try process.run()
        guard end.wait(timeout: .now() + .seconds(seconds)) == .success else {
            process.kill()
            throw StoryError("\(arguments) did not end within \(seconds) s")
        }
        let died: Int32 = process.terminationReason == .uncaughtSignal ? 128 : 0
        return Outcome(
            status: process.terminationStatus + died, output: try String(contentsOf: files[0], encoding: .utf8),
            messages: try String(contentsOf: files[1], encoding: .utf8))
    }
}

/// A failure while a test is being prepared.
struct StoryError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
