import Foundation

/// The limit of open files and sockets for this process and those it starts.
enum OpenFiles {
    /// Raises the limit as far as this user is allowed to.
    static func raise(to wanted: Int) throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_cur >= wanted else {
            throw BenchmarkError("\(wanted) open files are needed, but \(limit.rlim_cur) are allowed; raise ulimit -Hn")
        }
    }
}
