import Children
import Foundation
import TestSupport

/// An external program that tests the server.
enum Program {
    struct Outcome: Sendable {
        var status: Int32
        /// Standard output and standard error.
        var output: String
    }

    /// Python with the packages that the tests need; nil unless `make test` installed it.
    static let python: String? = {
        let path = Repository.root + "/.build/python/bin/python"
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }()

    /// Runs a program to completion without blocking a thread.
    static func run(_ path: String, _ arguments: [String]) async throws -> Outcome {
        let folder = try TemporaryFolder()
        let file = URL(fileURLWithPath: folder.path + "/output")
        try Data().write(to: file)
        let process = ChildProcess()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"]
        // The program may leave files behind.
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        let handle = try FileHandle(forWritingTo: file)
        process.standardOutput = handle
        process.standardError = handle
        let status: Int32 = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        return Outcome(status: status, output: String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }
}
