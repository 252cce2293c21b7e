import Children
import Foundation
import Instant
import Synchronization

/// A layer as another person sees it: a client of the library in a separate process, which shares no thread with the
/// editing client. It writes a line for each change that it receives: the time and the record ids.
final class FollowedLayer: Sendable {
    private let process: ChildProcess
    private let input = Pipe()
    private let heard = Heard()

    /// Ready when this returns.
    init(server: String, tokenFile: URL, dataFolder: URL) async throws {
        guard let program = Bundle.main.executableURL else { throw BenchmarkError("this program has no path") }
        process = ChildProcess()
        process.executableURL = program
        process.arguments = [
            "client", "follow", "--server", server, "--token-file", tokenFile.path, "--data-dir", dataFolder.path,
        ]
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        // The thread already waits for the next line before an edit is made, because starting to wait takes longer than
        // much of what is measured.
        Thread.detachNewThread { [heard] in
            while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
                for line in String(decoding: data, as: UTF8.self).split(separator: "\n") { heard.add(line) }
            }
            heard.end()
        }
        let limit = Watchdog(seconds: 60, what: "the download")
        defer { limit.stop() }
        _ = try await line(Self.ready)
    }

    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// - Returns: When the other process received the record.
    func wait(for id: String) async throws -> SharedMoment {
        let words = try await line(id[...])
        guard let moment = words.first.flatMap({ Int64($0) }) else { throw BenchmarkError("the client wrote no time") }
        return SharedMoment(nanoseconds: moment)
    }

    private func line(_ word: Substring) async throws -> [Substring] {
        guard let words = await heard.line(with: word) else {
            throw BenchmarkError("the client that follows the layer has ended")
        }
        return words
    }

    /// The lines of the client, for the caller that waits for one of them.
    private final class Heard: Sendable {
        private struct State {
            var wanted: (word: Substring, CheckedContinuation<[Substring]?, Never>)?
            var lines: [[Substring]] = []
            var isOver = false
        }

        private let state = Mutex(State())

        func add(_ line: Substring) {
            let words = line.split(separator: " ")
            let waiting = state.withLock { state -> CheckedContinuation<[Substring]?, Never>? in
                guard let (word, waiting) = state.wanted, words.contains(word) else {
                    state.lines.append(words)
                    return nil
                }
                state.wanted = nil
                return waiting
            }
            waiting?.resume(returning: words)
        }

        func end() {
            let waiting = state.withLock { state in
                state.isOver = true
                return state.wanted.take()?.1
            }
            waiting?.resume(returning: nil)
        }

        /// Returns the next line that contains this word; nil if the client has ended. All other stored lines are
        /// discarded.
        func line(with word: Substring) async -> [Substring]? {
            await withCheckedContinuation { continuation in
                let found = state.withLock { state -> [Substring]?? in
                    let found = state.lines.first { $0.contains(word) }
                    state.lines = []
                    if let found { return found }
                    if state.isOver { return .some(nil) }
                    state.wanted = (word, continuation)
                    return nil
                }
                if let found { continuation.resume(returning: found) }
            }
        }
    }

    // MARK: In the child process

    private static let ready: Substring = "ready"

    static func tell(_ descriptor: InstantDocumentDescriptor) async throws {
        let events = descriptor.events
        write("\(ready)")
        // Ends with its parent process.
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

/// A time by a clock that all processes on a machine share.
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
