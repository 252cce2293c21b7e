import FoundationEssentials
import Glibc

/// What the system says of this process. Where there is no `/proc`, only the limit is known.
enum ProcessMetrics {
    /// Bytes.
    static var memory: Int? {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
            let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    static var openFiles: Int? {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count
    }

    static var fileLimit: Int? {
        var limit = rlimit()
        let known = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        return known ? Int(clamping: limit.rlim_cur) : nil
    }
}
