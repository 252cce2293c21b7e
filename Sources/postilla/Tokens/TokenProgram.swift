import Annotations
import Authorization
import Subprocess
import Synchronization
import SystemPackage

/// A command of the user that prints a token. What it says besides is told if it fails.
enum TokenProgram {
    private static let maxBytes = Claims.maximumTokenBytes + 2

    /// The end of what the command has written to standard error.
    private final class Said: Sendable {
        private let bytes = Mutex<[UInt8]>([])
        private static let maxBytes = 1 << 10

        func hear(_ piece: [UInt8]) { bytes.withLock { $0 = ($0 + piece).suffix(Self.maxBytes) } }

        /// Its last line, as part of a sentence.
        var end: String {
            let text = String(decoding: bytes.withLock { $0 }, as: UTF8.self)
            let line = text.split(scalar: "\n").last { !String($0).trimmed.isEmpty }.map { String($0).trimmed }
            return line.map { ": \($0)" } ?? ""
        }
    }

    /// Runs it by `/bin/sh -c`, and ends it if it takes too long or prints too much.
    ///
    /// - Throws: ``CommandFailure``
    static func token(_ command: String, within time: Duration = TokenSource.patience) async throws -> String {
        let said = Said()
        return try await withThrowingTaskGroup(of: String.self) { group in
            group.addTask { try await run(command, said) }
            group.addTask {
                try await Task.sleep(for: time)
                throw failure("did not end within \(time.components.seconds) s", said)
            }
            defer { group.cancelAll() }
            return try await group.next() ?? ""
        }
    }

    private static func run(_ command: String, _ said: Said) async throws -> String {
        var options = PlatformOptions()
        // Not in a process group of its own, which could not ask for a passphrase on the terminal.
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .milliseconds(200))]
        let result: ExecutionResult<[UInt8], SequenceOutput, SequenceOutput>
        do {
            result = try await Subprocess.run(
                .path("/bin/sh"), arguments: ["-c", command], platformOptions: options, input: .none,
                output: .sequence, error: .sequence
            ) { execution in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for try await piece in execution.standardError {
                            said.hear(piece.withUnsafeBytes { Array($0) })
                        }
                    }
                    var bytes: [UInt8] = []
                    for try await piece in execution.standardOutput {
                        bytes += piece.withUnsafeBytes { Array($0) }
                        guard bytes.count <= maxBytes else {
                            throw failure("printed more than \(maxBytes) bytes; it must print only the token", said)
                        }
                    }
                    try await group.waitForAll()
                    return bytes
                }
            }
        } catch let error as SubprocessError {
            let reason = error.underlyingError.map { ": \($0)" } ?? ""
            throw CommandFailure("the token command cannot be run\(reason)", .authentication)
        }
        switch result.terminationStatus {
        case .exited(0): break
        case .exited(let code): throw failure("failed with exit code \(code)", said)
        case .signaled(let signal): throw failure("was ended by signal \(signal)", said)
        }
        guard let text = String(validating: result.closureResult, as: UTF8.self) else {
            throw failure("printed something that is not UTF-8", said)
        }
        return text
    }

    private static func failure(_ what: String, _ said: Said) -> CommandFailure {
        CommandFailure("the token command \(what)\(said.end)", .authentication)
    }
}
