import Foundation

/// The processor time a process has used so far.
enum ProcessTime {
    /// That of this process, over all threads.
    static var own: Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    static func used(process: Int32) -> Duration? {
        guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return nil }
        // The name is in parentheses and may contain anything; the fields after it are counted from the third.
        guard let fields = stat.split(separator: ")").last?.split(separator: " "), fields.count > 12,
            let user = Int(fields[11]), let system = Int(fields[12])
        else { return nil }
        return .milliseconds((user + system) * 1000 / sysconf(Int32(_SC_CLK_TCK)))
    }
}
