import Subprocess

/// tmux's newest paste buffer, which `-w` hands on to the clipboard of the terminal outside.
enum TmuxBuffer {
    /// - Throws: ``CommandFailure`` when there is no tmux to be run, or it refuses.
    static func load(_ text: String) async throws {
        let outcome = try await run(
            .name("tmux"), arguments: ["load-buffer", "-w", "-"], input: .string(text), output: .discarded,
            error: .string(limit: 1000))
        guard outcome.terminationStatus.isSuccess else {
            throw CommandFailure(outcome.standardError.trimmed)
        }
    }
}
