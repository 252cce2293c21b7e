import CPty
package import Foundation
import Glibc
import Synchronization

/// A child process, with the API names of Foundation's `Process`. Up to Swift 6.3, Foundation's class reads beyond the
/// end of a directory entry when it looks for open files, which sometimes crashes the process
/// (swift-corelibs-foundation, pull request 5472).
///
/// Unchecked: one thread sets it up and runs it; any thread may query its end and wait for it.
package final class ChildProcess: @unchecked Sendable {
    package enum TerminationReason: Hashable, Sendable {
        case exit, uncaughtSignal
    }

    package var executableURL: URL?
    package var arguments: [String] = []
    /// nil for that of this process.
    package var environment: [String: String]?
    package var currentDirectoryURL: URL?
    /// nil for that of this process, for each of the three.
    package var standardInput: (any ChildStream)?
    package var standardOutput: (any ChildStream)?
    package var standardError: (any ChildStream)?
    /// Called once, on a separate thread, after it has ended.
    package var terminationHandler: (@Sendable (ChildProcess) -> Void)?
    /// 0 before it runs.
    package private(set) var processIdentifier: Int32 = 0

    /// The status of `waitpid`; nil until it has ended.
    private let ending = Mutex<Int32?>(nil)
    private let hasEnded = DispatchGroup()

    package init() {}

    package static func run(_ executable: URL, arguments: [String]) throws -> ChildProcess {
        let process = ChildProcess()
        process.executableURL = executable
        process.arguments = arguments
        try process.run()
        return process
    }

    /// - Throws: `POSIXError` if there is no such program.
    package func run() throws {
        let path = executableURL?.path ?? ""
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let streams = [(standardInput, 0), (standardOutput, 1), (standardError, 2)] as [((any ChildStream)?, Int32)]
        for case (let stream?, let descriptor) in streams {
            let handle = stream.handle(forReading: descriptor == 0)
            if handle === FileHandle.nullDevice {
                posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
            } else {
                posix_spawn_file_actions_adddup2(&actions, handle.fileDescriptor, descriptor)
            }
        }
        cpty_close_rest(&actions)
        if let folder = currentDirectoryURL?.path { cpty_change_folder(&actions, folder) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        // Dispatch threads block signals, and a child would inherit the mask.
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
        let names = (environment ?? ProcessInfo.processInfo.environment).map { "\($0)=\($1)" }
        let code = Self.withPointers([path] + arguments) { arguments in
            Self.withPointers(names) { names in
                posix_spawn(&processIdentifier, path, &actions, &attributes, arguments, names)
            }
        }
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
        // Close the parent's copies of the child's pipe ends: readers of the other ends then see their end when the
        // child exits.
        for case (let pipe as Pipe, let descriptor) in streams {
            try? pipe.handle(forReading: descriptor == 0).close()
        }
        waitForEnd()
    }

    private static func withPointers<Result>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let pointers = texts.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers + [nil])
    }

    private func waitForEnd() {
        hasEnded.enter()
        let id = processIdentifier
        Thread.detachNewThread { [self] in
            var end = siginfo_t()
            while waitid(P_PID, id_t(id), &end, WEXITED | WNOWAIT) < 0, errno == EINTR {}
            // Only this frees the number for another process, so it happens under the lock of `signal`.
            ending.withLock { ending in
                var status: Int32 = 0
                while waitpid(id, &status, 0) < 0, errno == EINTR {}
                ending = status
            }
            hasEnded.leave()
            terminationHandler?(self)
        }
    }

    // MARK: While it runs, and after

    package var isRunning: Bool { processIdentifier > 0 && ending.withLock { $0 == nil } }

    package func waitUntilExit() { hasEnded.wait() }

    package func terminate() { signal(SIGTERM) }

    package func interrupt() { signal(SIGINT) }

    /// Kills it as `kill -9` does.
    package func kill() { signal(SIGKILL) }

    /// Sends a signal, unless it has ended: its number may belong to another process by then.
    package func signal(_ number: Int32) {
        ending.withLock { if $0 == nil, processIdentifier > 0 { _ = Glibc.kill(processIdentifier, number) } }
    }

    package var terminationReason: TerminationReason {
        (ending.withLock { $0 } ?? 0) & 0x7F == 0 ? .exit : .uncaughtSignal
    }

    /// The exit status, or the signal's number.
    package var terminationStatus: Int32 {
        let status = ending.withLock { $0 } ?? 0
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : status & 0x7F
    }
}

/// A source or destination of a program's standard stream.
package protocol ChildStream {
    func handle(forReading: Bool) -> FileHandle
}

extension FileHandle: ChildStream {
    package func handle(forReading: Bool) -> FileHandle { self }
}

extension Pipe: ChildStream {
    package func handle(forReading: Bool) -> FileHandle { forReading ? fileHandleForReading : fileHandleForWriting }
}
