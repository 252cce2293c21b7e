import Children
import Foundation
import Glibc

/// A process that is controlled by lines of text and can be killed.
final class Child {
    private let process = ChildProcess()
    private let input = Pipe()
    private let output = Pipe()
    private var unread: [UInt8] = []

    init(_ command: [String], environment: [String: String], log: URL) throws {
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.environment = environment
        process.standardInput = input
        process.standardOutput = output
        if !FileManager.default.fileExists(atPath: log.path) { try Data().write(to: log) }
        let messages = try FileHandle(forWritingTo: log)
        try messages.seekToEnd()
        process.standardError = messages
        try process.run()
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
    }

    deinit { kill() }

    var isRunning: Bool { process.isRunning }

    /// Whether it ended with an error, not by a signal. Waits for the end.
    var endedInOrder: Bool {
        process.waitUntilExit()
        return process.terminationReason == .exit && process.terminationStatus == 1
    }

    private var descriptor: Int32 { output.fileHandleForReading.fileDescriptor }

    /// Sends a line. A dead child does not receive it; its end is noticed on reading.
    func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(input.fileHandleForWriting.fileDescriptor, $0.baseAddress, $0.count) }
    }

    func signal(_ number: Int32) { process.signal(number) }

    /// Kills the process; its earlier output can still be read.
    func kill() {
        guard process.isRunning else { return }
        process.kill()
        process.waitUntilExit()
    }

    /// Returns the complete lines available, without a last line that the death of a process truncated.
    func lines() -> (lines: [String], hasEnded: Bool) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var hasEnded = false
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            hasEnded = count == 0
            guard count > 0 else { break }
            unread += buffer[..<count]
        }
        guard let end = unread.lastIndex(of: 0x0A) else { return ([], hasEnded) }
        let whole = unread[..<end].split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        unread.removeSubrange(...end)
        return (whole, hasEnded)
    }

    /// Returns when a child has written something or ended, or after the timeout.
    static func wait(for children: [Child], milliseconds: Int) {
        var wanted = children.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        _ = poll(&wanted, nfds_t(wanted.count), Int32(clamping: milliseconds))
    }
}
