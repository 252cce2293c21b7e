import Glibc

/// How many files and connections this process may have open.
enum OpenFiles {
    /// Takes what the system grants without asking: each listener is one, and most systems begin with 1,024.
    static func allowAll() {
        var limit = rlimit()
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(kind, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(kind, &limit)
    }
}
