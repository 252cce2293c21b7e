import Annotations
import Glibc
import InstantCore
import Synchronization

/// The lock of the process that syncs a layer. Its file names that process and has its last sign of life, so that
/// others can say which process it is, and replace it if it is stopped or blocked.
final class LeaderLock: Sendable {
    private let lock: FileLock
    private let process: SyncingProcess

    /// Returns nil if another process holds it.
    init?(path: String, process: SyncingProcess) {
        guard let lock = FileLock(path: path) else { return nil }
        (self.lock, self.process) = (lock, process)
        beat()
    }

    /// Takes the lock from a process that gives no sign of life, by replacing the file.
    ///
    /// - Parameter sign: The last sign. If there is a newer one, the lock is not taken.
    init?(path: String, process: SyncingProcess, insteadOf sign: String) {
        // One process at a time, so that none replaces the file of another that did the same.
        guard let turn = FileLock(path: path + ".turn"), Self.holder(of: path)?.sign == sign, unlink(path) == 0,
            let lock = FileLock(path: path)
        else { return nil }
        (self.lock, self.process) = (lock, process)
        beat()
        withExtendedLifetime(turn) {}
    }

    /// Renews the sign of life.
    func beat() {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        // Shorter texts would leave the end of a longer one: the line end is part of the text.
        let line = "\(process.processID) \(now.tv_sec * 1000 + now.tv_nsec / 1_000_000) \(process.name)\n"
        _ = Array(line.utf8).withUnsafeBytes { pwrite(lock.descriptor, $0.baseAddress, $0.count, 0) }
    }

    /// Whether no other process took it, while this one was stopped or blocked.
    var isCurrent: Bool { lock.isCurrent }

    struct Holder: Hashable {
        /// The first line of the file; it changes with each sign of life.
        var sign: String
        /// nil until the process has written its name.
        var process: SyncingProcess?
    }

    /// Returns nil if no process holds it.
    static func holder(of path: String) -> Holder? {
        guard FileLock.isHeld(path) else { return nil }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = max(0, read(descriptor, &bytes, bytes.count))
        let line = String(decoding: bytes[..<count].prefix { $0 != 0x0A }, as: UTF8.self)
        let words = line.split(scalar: " ", maxSplits: 2)
        guard words.count == 3, let number = Int32(words[0]) else { return Holder(sign: line) }
        return Holder(sign: line, process: SyncingProcess(processID: number, name: String(words[2])))
    }
}

/// The lock of a process that waits to lead, shared with others that wait. Its file names the newest one.
final class LeadClaim: Sendable {
    private let lock: FileLock

    init?(path: String) {
        guard let lock = FileLock(path: path, shared: true) else { return nil }
        self.lock = lock
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let line = "\(getpid()) \(now.tv_sec) \(now.tv_nsec)\n"
        _ = Array(line.utf8).withUnsafeBytes { pwrite(lock.descriptor, $0.baseAddress, $0.count, 0) }
    }

    /// Returns the first line of the file, which each claim replaces; nil if no process has one.
    static func newest(at path: String) -> String? { LeaderLock.holder(of: path)?.sign }
}

/// Tells whether a process still holds the lock that it leads by. Refers to the lock only as long as the process does.
final class LeadProof: Sendable {
    private struct Shown {
        weak var lock: LeaderLock?
    }

    private let shown = Mutex(Shown())

    func show(_ lock: LeaderLock?) { shown.withLock { $0.lock = lock } }

    var isValid: Bool { shown.withLock(\.lock)?.isCurrent ?? false }
}
