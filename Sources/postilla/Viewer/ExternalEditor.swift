import Annotations
import FoundationEssentials
import Glibc
import Subprocess
import Terminal

/// Runs the user's editor on a text in a file that only this user can read.
///
/// Blocks; the terminal must be released. Signals typed at the terminal reach only the editor while it runs, as if it
/// had its own process group.
struct ExternalEditor {
    var command: String

    /// nil when neither settings nor environment name an editor.
    init?(_ preferences: Preferences) {
        guard case let command = preferences.text(.editor), !command.trimmed.isEmpty else { return nil }
        self.command = command
    }

    /// - Returns: The saved text, without the newline that editors append; nil when the editor failed.
    func edit(_ text: String, in folder: String) throws -> String? {
        let path = "\(folder)/note-\(getpid()).txt"
        try PrivateFile.write(text + "\n", to: path)
        defer { unlink(path) }
        // The command may contain options (`code --wait`), so a shell parses it; the file name is passed as an
        // argument.
        let arguments = ["/bin/sh", "-c", command + " \"$1\"", "editor", path]
        var pointers = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        let before = (signal(SIGINT, SIG_IGN), signal(SIGQUIT, SIG_IGN))
        defer {
            _ = signal(SIGINT, before.0)
            _ = signal(SIGQUIT, before.1)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var standard = sigset_t()
        sigemptyset(&standard)
        for number in [SIGINT, SIGQUIT, SIGTSTP, SIGPIPE, SIGTERM, SIGHUP, SIGWINCH] { sigaddset(&standard, number) }
        posix_spawnattr_setsigdefault(&attributes, &standard)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
        var child: pid_t = 0
        guard posix_spawn(&child, "/bin/sh", nil, &attributes, &pointers, environ) == 0 else { return nil }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else { return nil }
        let saved = try PrivateFile.read(path, limit: 1 << 20)
        return saved.dropping(suffix: "\n").map(String.init) ?? saved
    }
}

/// The terminal operations other than drawing.
protocol ViewerTerminal: AnyObject {
    func redraw()
    /// Copies text to the clipboard; returns false where that is not possible.
    func copy(_ text: String) -> Bool
    /// Switches reports of the mouse.
    func useMouse(_ isOn: Bool)
    /// Shows a notice on the desktop.
    func notify(_ notice: DesktopNotice)
    /// Suspends the program until the shell resumes it.
    func suspend()
    /// Lets another program use the terminal while `body` runs.
    func released<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result
}

extension TerminalDevice: ViewerTerminal {}

/// tmux's newest paste buffer, which `-w` forwards to the clipboard of the outer terminal.
enum TmuxBuffer {
    /// - Throws: ``CommandFailure`` when tmux cannot run or fails.
    static func load(_ text: String) async throws {
        let outcome = try await run(
            .name("tmux"), arguments: ["load-buffer", "-w", "-"], input: .string(text), output: .discarded,
            error: .string(limit: 1000))
        guard outcome.terminationStatus.isSuccess else {
            throw CommandFailure(outcome.standardError.trimmed)
        }
    }
}
