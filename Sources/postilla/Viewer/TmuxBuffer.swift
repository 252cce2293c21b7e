import Screen
import Subprocess

/// tmux's newest paste buffer, which `-w` forwards to the clipboard of the outer terminal.
enum TmuxBuffer {
    /// - Throws: ``CommandFailure`` when tmux cannot run or fails.
    static func load(_ text: LeavingText) async throws {
        let outcome = try await run(
            .name("tmux"), arguments: ["load-buffer", "-w", "-"], input: .string(text.string), output: .discarded,
            error: .string(limit: 1000))
        guard outcome.terminationStatus.isSuccess else {
            throw CommandFailure(outcome.standardError.trimmed)
        }
    }
}
