import Annotations
import FoundationEssentials
import Glibc

/// Runs the user's editor on a text in a file that only this user can read.
///
/// Blocks; the terminal must be released. Signals typed at the terminal reach only the editor while it runs, as if it
/// had its own process group.
struct ExternalEditor {
    /// What came of a text. The file is removed only if nothing in it is the person's.
    enum Outcome: Equatable {
        /// The text that the person saved: the given one, byte for byte, if it is unchanged. The file stays until the text
        /// is stored elsewhere.
        case saved(String, file: String)
        /// Nothing was taken. Why, as a sentence; it names the file if the person has changed it.
        case notTaken(String)
    }

    var command: String
    /// In bytes; a record holds at most as much.
    static let limit = 1 << 20

    /// nil when neither settings nor environment name an editor.
    init?(_ preferences: Preferences) {
        guard case let command = preferences.text(.editor), !command.trimmed.isEmpty else { return nil }
        self.command = command
    }

    /// - Parameter shieldsProgram: Whether this process ignores Ctrl-C and Ctrl-\ meanwhile. Tests share theirs.
    init(command: String, shieldsProgram: Bool = true) {
        (self.command, self.shieldsProgram) = (command, shieldsProgram)
    }

    private var shieldsProgram = true

    /// - Parameter folder: Where the file is for as long as the editor runs.
    /// - Throws: ``CommandFailure`` when the file cannot be written.
    func edit(_ text: String, in folder: String) throws -> Outcome {
        let buffer = EditorBuffer(text)
        // A file that was kept earlier stays.
        let path = "\(folder)/" + SafeFileName.free("\(Self.prefix)\(getpid()).txt", in: folder)
        try PrivateFile.write(buffer.contents, to: path)
        let end = run(on: path)
        let saved: [UInt8]
        do { saved = try PrivateFile.bytes(path, limit: Self.limit) } catch {
            guard access(path, F_OK) == 0 else { return .notTaken("The editor left no file; nothing was changed") }
            return .notTaken("The text from the editor was not taken: \(error); it is kept there")
        }
        if let problem = end.problem {
            guard !saved.elementsEqual(buffer.contents.utf8) else {
                unlink(path)
                return .notTaken("\(problem); nothing was changed")
            }
            return .notTaken("\(problem), so its text was not taken; it is kept in \(path)")
        }
        guard let words = String(validating: saved, as: UTF8.self) else {
            return .notTaken("The text from the editor is not UTF-8, so it was not taken; it is kept in \(path)")
        }
        return .saved(buffer.text(of: words), file: path)
    }

    // MARK: Files left behind

    private static let prefix = "note-"

    /// Returns the files in a folder that no running program waits for: those that could not be taken, and those of
    /// programs that were killed while the editor ran.
    static func leftFiles(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { name in
            guard name.begins(with: prefix), name.ends(with: ".txt") else { return false }
            guard let process = pid_t(name.dropFirst(prefix.count).prefix { $0.isASCII && $0.isNumber }) else {
                return false
            }
            return process == getpid() || !isThisProgram(process)
        }.sorted().map { "\(folder)/\($0)" }
    }

    /// Whether a process is alive and runs the same program as this one. Numbers of processes are used again.
    private static func isThisProgram(_ process: pid_t) -> Bool {
        func name(_ process: pid_t) -> String? {
            (try? PrivateFile.read("/proc/\(process)/comm", limit: 64)).map(\.trimmed)
        }
        return name(process).map { $0.isExactly(name(getpid()) ?? "") } ?? false
    }

    // MARK: The process

    private enum End {
        case notStarted
        case exited(Int32)
        case killed(Int32)

        /// nil after a success.
        var problem: String? {
            switch self {
            case .notStarted: "The editor cannot be started"
            case .exited(0): nil
            case .exited(let status): "The editor ended with status \(status)"
            case .killed(let signal): "The editor was ended by signal \(signal)"
            }
        }
    }

    private func run(on path: String) -> End {
        // The command may contain options (`code --wait`), so a shell parses it; the file name is passed as an
        // argument.
        let arguments = ["/bin/sh", "-c", command + " \"$1\"", "editor", path]
        var pointers = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        let before = shieldsProgram ? (signal(SIGINT, SIG_IGN), signal(SIGQUIT, SIG_IGN)) : nil
        defer {
            if let before {
                _ = signal(SIGINT, before.0)
                _ = signal(SIGQUIT, before.1)
            }
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
        guard posix_spawn(&child, "/bin/sh", nil, &attributes, &pointers, environ) == 0 else { return .notStarted }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        // The macros of wait.h are not imported.
        let signal = status & 0x7F
        guard signal == 0 else { return .killed(signal) }
        let code = (status >> 8) & 0xFF
        // A shell tells of a signal that ended its last command in this way.
        return code > 128 ? .killed(code - 128) : .exited(code)
    }
}
