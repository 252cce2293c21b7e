import Annotations
package import Glibc

/// A process on this machine; one that gets the same number later is another one.
package struct ProcessIdentity: Hashable, Sendable {
    package let pid: pid_t
    /// In clock ticks since the machine was started; 0: unknown.
    package let start: UInt64

    init(pid: pid_t, start: UInt64) { (self.pid, self.start) = (pid, start) }

    package init(pid: pid_t) {
        self.pid = pid
        start = Self.start(of: pid) ?? 0
    }

    /// Reads what ``json`` wrote; nil for anything else, and for a process that another engine could not see.
    init?(json: JSON) {
        guard let pid = json["pid"]?.integer.flatMap(pid_t.init(exactly:)), pid > 0,
            let start = json["start"]?.string.flatMap(UInt64.init)
        else { return nil }
        (self.pid, self.start) = (pid, start)
    }

    func write(to json: inout JSONWriter) {
        json.object {
            $0.member("pid", Int64(pid))
            $0.member("start", String(start))
        }
    }

    /// A process of another PID namespace, whose number is 0 here, counts as alive until the engine ends.
    package var isAlive: Bool { pid <= 0 || Self.start(of: pid).map { $0 == start } ?? false }

    /// Whether no process has this id, or only a zombie.
    static func hasEnded(_ pid: pid_t) -> Bool {
        guard kill(pid, 0) == 0 else { return errno == ESRCH }
        // Without /proc, a zombie cannot be told from a running process.
        return access("/proc/self/stat", R_OK) == 0 && start(of: pid) == nil
    }

    private static func start(of pid: pid_t) -> UInt64? {
        guard pid > 0, let file = fopen("/proc/\(pid)/stat", "re") else { return nil }
        defer { fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = fread(&buffer, 1, buffer.count, file)
        // The name of the program may contain spaces and parentheses.
        let text = String(decoding: buffer[..<count], as: UTF8.self)
        guard let end = text.unicodeScalars.lastIndex(of: ")") else { return nil }
        let fields = text[text.unicodeScalars.index(after: end)...].split(scalar: " ")
        // A zombie is not alive.
        guard fields.count > 19, fields[0] != "Z", fields[0] != "X" else { return nil }
        return UInt64(fields[19])
    }
}
