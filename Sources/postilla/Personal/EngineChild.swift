import Annotations
import Glibc
import Synchronization

/// The engine as a child that outlives this process and has nothing of it: in a session of its own, without this terminal,
/// this process's folder, files, signals and variables. What of a process only the process itself can change is in
/// ``EngineProcessState``.
final class EngineChild: Sendable {
    private let pid: pid_t
    private let failed = Atomic(false)
    private let log: String
    /// Where it begins to write.
    private let start: Int64
    /// In bytes. An engine does not start with less.
    private static let leastFileSize = 1 << 24

    /// - Parameter reading: the folder for one command that only reads.
    /// - Throws: ``CommandFailure`` that says what cannot be used.
    init(_ folder: EngineFolder, reading: ReadingFolder?) throws {
        let log = try EngineLog.open(folder.log)
        defer { close(log) }
        var status = stat()
        _ = fstat(log, &status)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO)
        Self.closeOthers(&actions)
        Self.leaveFolder(&actions)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        // POSIX_SPAWN_SETSID is a GNU extension that Swift does not import.
        posix_spawnattr_setflags(&attributes, Int16(0x80 | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        // Absolute: the engine has another folder.
        var words = ["postilla", "engine"]
        if let reading {
            words += ["--reading", reading.path, "--idle", "1"]
        } else {
            words += ["--data-dir", folder.dataFolder]
        }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var environment: [UnsafeMutablePointer<CChar>?] = EngineEnvironment.entries.map { strdup($0) } + [nil]
        defer { for entry in environment { free(entry) } }
        var pid: pid_t = 0
        let program = ThisProgram.path
        let code = posix_spawn(&pid, program, &actions, &attributes, &arguments, &environment)
        guard code == 0 else {
            throw CommandFailure(
                "cannot start the engine for PDFs on this machine (\(program)): \(String(cString: strerror(code)))")
        }
        self.pid = pid
        self.log = folder.log
        self.start = Int64(status.st_size)
    }

    /// Why the child has ended, as it has said.
    var failure: CommandFailure {
        let said = EngineLog.text(log, from: start).split(scalar: "\n").compactMap { line in
            String(line).dropping(prefix: "Error: ") ?? String(line).dropping(prefix: "postilla: ")
        }
        var reason = said.last.map { ": \($0)" } ?? ""
        // It may not even have been able to write why.
        if let size = EngineProcessState.limits["fileSize"], size < Self.leastFileSize {
            reason += ", and this shell lets it write files of \(size) bytes only (ulimit -f)"
        }
        return CommandFailure("the engine for PDFs on this machine did not start\(reason); see \(log)")
    }

    /// Whether the child runs; also takes its exit status.
    var isRunning: Bool {
        var status: CInt = 0
        let ended = waitpid(pid, &status, WNOHANG)
        if ended == pid, status != 0 { failed.store(true, ordering: .relaxed) }
        return ended == 0
    }

    /// Whether it has ended with an error, as far as ``isRunning`` has noticed.
    var hasFailed: Bool { failed.load(ordering: .relaxed) }

    /// An open file keeps a lock, the end of a pipe, or a file system that somebody wants to unmount.
    private static func closeOthers(_ actions: inout posix_spawn_file_actions_t) {
        typealias Function = @convention(c) (UnsafeMutableRawPointer, CInt) -> CInt
        // Looked up by name: glibc has it since 2.34.
        if let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") {
            _ = unsafeBitCast(symbol, to: Function.self)(&actions, STDERR_FILENO + 1)
            return
        }
        guard let folder = opendir("/proc/self/fd") else { return }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if let number = CInt(name), number > STDERR_FILENO { posix_spawn_file_actions_addclose(&actions, number) }
        }
    }

    private static func leaveFolder(_ actions: inout posix_spawn_file_actions_t) {
        typealias Function = @convention(c) (UnsafeMutableRawPointer, UnsafePointer<CChar>) -> CInt
        // Looked up by name: glibc has it since 2.29. The engine leaves the folder itself, too.
        guard let symbol = dlsym(nil, "posix_spawn_file_actions_addchdir_np") else { return }
        _ = unsafeBitCast(symbol, to: Function.self)(&actions, "/")
    }
}

/// The variables that an engine gets: where its folders are, how a person spells things, and how programs are loaded. No
/// other one reaches it, such as a token.
enum EngineEnvironment {
    private static let names: Set = ["HOME", "USER", "LOGNAME", "PATH", "LANG", "LANGUAGE", "TZ", "TMPDIR"]
    /// `DISK_FAULTS` belongs to a library of the tests, which `LD_PRELOAD` names; `POSTILLA_DATA` is an option by now.
    private static let beginnings = ["XDG_", "LC_", "LD_", "SWIFT_", "DISK_FAULTS"]

    static func isNeeded(_ name: String) -> Bool {
        names.contains(name) || beginnings.contains { name.begins(with: $0) }
    }

    /// The entries as they are, also those that are not UTF-8, such as `HOME=/home/ada`.
    static var entries: [[CChar]] {
        var entries: [[CChar]] = []
        var next = environ
        while let entry = next.pointee {
            defer { next += 1 }
            let bytes = UnsafeBufferPointer(start: entry, count: strlen(entry) + 1)
            let start = bytes.prefix { $0 != 0x3D && $0 != 0 }
            let name = String(decoding: start.map(UInt8.init(bitPattern:)), as: UTF8.self)
            guard isNeeded(name) else { continue }
            // Relative to another folder, it would be another place.
            if name.isExactly("TMPDIR"), bytes.dropFirst("TMPDIR=".utf8.count).first != 0x2F { continue }
            entries.append(Array(bytes))
        }
        return entries
    }
}
