import Dispatch
import Glibc
import Synchronization

/// Standard input, read in lines or as a whole through one buffer: a token in the first line and records after it share
/// a pipe.
final class StandardInput: Sendable {
    static let shared = StandardInput()
    static let isTerminal = isatty(STDIN_FILENO) == 1

    /// A line of input, or a marker for one beyond the length limit.
    enum Line: Equatable {
        case line([UInt8])
        case tooLong
    }

    fileprivate struct State {
        var buffer: [UInt8] = []
        /// The offset up to which the buffer has been returned.
        var taken = 0
        var isAtEnd = false
        /// Whether the rest of an overlong line is being skipped.
        var isSkipping = false
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "postilla.input")

    /// Returns at least one line and all others that have arrived; empty at the end. Waits on a separate thread.
    func lines(maxCount: Int, maxBytes: Int) async throws -> [Line] {
        try await waiting { try $0.lines(maximum: maxCount, longest: maxBytes) }
    }

    /// Returns everything up to the end.
    ///
    /// - Throws: ``CommandFailure`` beyond the limit.
    func all(limit: Int) async throws -> [UInt8] {
        try await waiting { try $0.all(limit: limit) }
    }

    /// Returns the next line without its terminator; nil at the end of the input.
    func line() throws -> String? {
        try state.withLock { state in
            guard case .line(let bytes)? = try state.lines(maximum: 1, longest: 64 << 10).first else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Whether bytes wait to be read, none of which is taken. Blocks until there are some or the input ends.
    ///
    /// - Parameter milliseconds: how long to wait for a program at the other end of a pipe.
    func hasBytes(waiting milliseconds: Int32) -> Bool {
        if state.withLock({ $0.taken < $0.buffer.count }) { return true }
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        while poll(&input, 1, milliseconds) < 0 { guard errno == EINTR else { return false } }
        guard input.revents & Int16(POLLIN) != 0 else { return false }
        var count: CInt = 0
        return ioctl(STDIN_FILENO, UInt(FIONREAD), &count) == 0 && count > 0
    }

    private func waiting<T: Sendable>(
        _ body: @escaping @Sendable (inout State) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(with: Result { try self.state.withLock { try body(&$0) } })
            }
        }
    }
}

extension StandardInput.State {
    fileprivate mutating func lines(maximum: Int, longest: Int) throws -> [StandardInput.Line] {
        var lines: [StandardInput.Line] = []
        while lines.count < maximum {
            if let end = buffer[taken...].firstIndex(of: UInt8(ascii: "\n")) {
                if !isSkipping {
                    lines.append(end - taken > longest ? .tooLong : .line(Array(buffer[taken..<end])))
                }
                isSkipping = false
                taken = end + 1
                continue
            }
            if buffer.count - taken > longest {
                if !isSkipping { lines.append(.tooLong) }
                isSkipping = true
                taken = buffer.count
            }
            guard lines.isEmpty else { break }
            guard try fill() else {
                if taken < buffer.count, !isSkipping { lines.append(.line(Array(buffer[taken...]))) }
                taken = buffer.count
                break
            }
        }
        return lines
    }

    fileprivate mutating func all(limit: Int) throws -> [UInt8] {
        while try fill() {
            guard buffer.count - taken <= limit else {
                throw CommandFailure("standard input is larger than \(limit) bytes")
            }
        }
        defer { taken = buffer.count }
        return Array(buffer[taken...])
    }

    /// - Returns: false at the end.
    private mutating func fill() throws -> Bool {
        guard !isAtEnd else { return false }
        buffer.removeFirst(taken)
        taken = 0
        return try withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { space in
            while true {
                let count = read(STDIN_FILENO, space.baseAddress, space.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else {
                    throw CommandFailure("cannot read standard input: \(String(cString: strerror(errno)))")
                }
                isAtEnd = count == 0
                buffer.append(contentsOf: space[..<count])
                return count > 0
            }
        }
    }
}
