import Glibc

/// What an engine takes off that it got from the command that happened to start it: all windows of the person use it, and
/// later than that command. The rest is left out when it is started (``EngineChild``).
enum EngineProcessState {
    /// Call it before there are other threads, and after everything that depends on the folder.
    static func makeOwn() {
        ThisProgram.takeName()
        // What it makes for itself is its own. A copy of a PDF gets the mask of who asks for it.
        umask(0o077)
        // The folder could not be unmounted.
        _ = chdir("/")
        // The size of files, data and address space, and open files. Not the stack, which decides where memory lies, and not
        // the dumps of crashes, which would hold texts.
        for kind in [RLIMIT_FSIZE, RLIMIT_DATA, RLIMIT_AS, RLIMIT_CPU, RLIMIT_NOFILE] {
            raise(__rlimit_resource_t(kind.rawValue))
        }
        // Being above a limit is an error that can be told, not the end of the engine.
        signal(SIGXFSZ, SIG_IGN)
        // Only the system's administrator, or a user whom RLIMIT_NICE allows it, gets more of the processor again.
        let process = __priority_which_t(PRIO_PROCESS.rawValue)
        errno = 0
        if getpriority(process, 0) > 0, errno == 0 { _ = setpriority(process, 0, 0) }
    }

    /// The limits of this process that it cannot raise, by name.
    static var limits: [String: UInt64] {
        var limits: [String: UInt64] = [:]
        for (name, kind) in [("fileSize", RLIMIT_FSIZE), ("memory", RLIMIT_AS), ("processor", RLIMIT_CPU)] {
            var limit = rlimit()
            if getrlimit(__rlimit_resource_t(kind.rawValue), &limit) == 0 { limits[name] = UInt64(limit.rlim_max) }
        }
        return limits
    }

    /// Whether an engine has less than this process could give it.
    ///
    /// - Parameter value: what the engine says of a limit; nil: nothing.
    static func isCramped(_ value: (_ name: String) -> UInt64?) -> Bool {
        limits.contains { name, limit in value(name).map { $0 < limit } ?? false }
    }

    /// Raises a limit that a shell sets by `ulimit -S` to the one that only an administrator can exceed.
    private static func raise(_ kind: __rlimit_resource_t) {
        var limit = rlimit()
        guard getrlimit(kind, &limit) == 0, limit.rlim_cur != limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(kind, &limit)
    }
}
