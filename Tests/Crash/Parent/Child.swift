import Children
import Foundation
import Glibc

/// A process that is spoken to by lines and killed without a word.
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

    private var descriptor: Int32 { output.fileHandleForReading.fileDescriptor }

    /// A child that is gone does not hear it; its end is noticed when it is read from.
    func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(input.fileHandleForWriting.fileDescriptor, $0.baseAddress, $0.count) }
    }

    /// What it said until it was dead belongs to it: that can still be read.
    func kill() {
        guard process.isRunning else { return }
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// The whole lines that are there. What the death of a process cut short is dropped with it.
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

    /// Returns when one of them has said something or ended, or the time is over.
    static func wait(for children: [Child], milliseconds: Int) {
        var wanted = children.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        _ = poll(&wanted, nfds_t(wanted.count), Int32(clamping: milliseconds))
    }
}
