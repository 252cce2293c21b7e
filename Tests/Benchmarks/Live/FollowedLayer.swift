import Children
import Dispatch
import Foundation
import Instant

/// A layer as another person has it: a client of the library in a process of its own, which shares no thread with the one
/// that edits. It writes a line for each change that it is told of: when, and of which records.
final class FollowedLayer: Sendable {
    private let process: ChildProcess
    private let input = Pipe()
    private let output = Pipe()
    private let queue = DispatchQueue(label: "follow")

    /// Ready when this returns.
    init(server: String, tokenFile: URL, dataFolder: URL) async throws {
        guard let program = Bundle.main.executableURL else { throw BenchmarkError("this program has no path") }
        process = ChildProcess()
        process.executableURL = program
        process.arguments = [
            "client", "follow", "--server", server, "--token-file", tokenFile.path, "--data-dir", dataFolder.path,
        ]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        _ = try await line("the download") { $0 == [Self.ready] }
    }

    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// - Returns: when it was told there.
    func wait(for id: String) async throws -> SharedMoment {
        let words = try await line("an edit") { $0.contains(Substring(id)) }
        guard let moment = words.first.flatMap({ Int64($0) }) else { throw BenchmarkError("the client wrote no time") }
        return SharedMoment(nanoseconds: moment)
    }

    private func line(_ what: String, where isIt: @escaping @Sendable ([Substring]) -> Bool) async throws -> [Substring]
    {
        let limit = Watchdog(seconds: 60, what: what)
        defer { limit.stop() }
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { [output] in
                while true {
                    let data = output.fileHandleForReading.availableData
                    let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
                    let found = lines.lazy.map { $0.split(separator: " ") }.first(where: isIt)
                    if let found { return continuation.resume(returning: found) }
                    if data.isEmpty {
                        return continuation.resume(throwing: BenchmarkError("\(what): the client ended"))
                    }
                }
            }
        }
    }

    // MARK: In its process

    private static let ready: Substring = "ready"

    static func tell(_ descriptor: InstantDocumentDescriptor) async throws {
        let events = descriptor.events
        write("\(ready)")
        // Ends with the process that made it.
        Thread.detachNewThread {
            while !FileHandle.standardInput.availableData.isEmpty {}
            Foundation.exit(0)
        }
        for await event in events {
            let now = SharedMoment.now
            guard case .didChangeRecords(let ids, byOthers: _) = event else { continue }
            write(([String(now.nanoseconds)] + ids).joined(separator: " "))
        }
    }

    private static func write(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}

/// A moment by a clock that all processes of a machine have in common.
struct SharedMoment {
    var nanoseconds: Int64

    static var now: SharedMoment {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return SharedMoment(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    static func - (end: SharedMoment, start: SharedMoment) -> Duration {
        .nanoseconds(end.nanoseconds - start.nanoseconds)
    }
}
