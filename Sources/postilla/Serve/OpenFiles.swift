import Glibc

/// The limit on the files and connections that this process may have open.
enum OpenFiles {
    /// Raises the limit to the system's maximum: each listener uses a connection, and most systems start
    /// with 1,024.
    static func allowAll() {
        var limit = rlimit()
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(kind, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(kind, &limit)
    }
}
