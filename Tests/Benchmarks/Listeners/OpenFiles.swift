import Foundation

/// How many files and sockets this process and those it starts may have open.
enum OpenFiles {
    /// Raises the limit as far as this user may.
    static func raise(to wanted: Int) throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_cur >= wanted else {
            throw BenchmarkError("\(wanted) open files are needed and \(limit.rlim_cur) allowed: raise ulimit -Hn")
        }
    }
}
