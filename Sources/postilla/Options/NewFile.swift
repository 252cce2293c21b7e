#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file that takes another's place in one step, once all of it is written: a reader finds the old one or the new one.
final class NewFile {
    private let path: String
    /// Where it is written until it is finished.
    let temporary: String
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var isFinished = false

    /// - Throws: ``CommandFailure`` when there is no place for it.
    init(replacing path: String) throws {
        self.path = path
        temporary = path + ".\(getpid()).new"
        descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Self.failure(path) }
    }

    deinit {
        close(descriptor)
        if !isFinished { unlink(temporary) }
    }

    func write(_ text: String) throws {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= 1 << 18 { try flush() }
    }

    func finish() throws {
        try flush()
        guard fsync(descriptor) == 0, rename(temporary, path) == 0 else { throw Self.failure(path) }
        isFinished = true
    }

    private func flush() throws {
        var rest = buffer[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure(path) }
            rest = rest.dropFirst(count)
        }
        buffer.removeAll(keepingCapacity: true)
    }

    private static func failure(_ path: String) -> CommandFailure {
        CommandFailure("cannot write \(path): \(String(cString: strerror(errno)))")
    }
}
