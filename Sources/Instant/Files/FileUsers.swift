import FoundationEssentials
import Glibc

/// The processes that have a file open. A lock does not name its holders (fcntl(2): `l_pid` is -1), so this looks for
/// the lock's file among the open files of this user's processes. Where the system does not list them, none is found.
enum FileUsers {
    /// Returns the numbers of the other processes, ascending.
    static func others(of path: String) -> [Int32] {
        var named = stat()
        guard lstat(path, &named) == 0 else { return [] }
        let processes = Folders.entries("/proc").compactMap { Int32($0) }.filter { $0 != getpid() }
        return processes.filter { process in
            let files = "/proc/\(process)/fd"
            return Folders.entries(files).contains { file in
                var info = stat()
                return stat("\(files)/\(file)", &info) == 0 && info.st_ino == named.st_ino
                    && info.st_dev == named.st_dev
            }
        }.sorted()
    }

    /// Returns `another process (pid 4711)`, for a message about a lock that is held.
    static func names(of path: String) -> String {
        let others = others(of: path).map { "pid \($0)" }
        return others.isEmpty ? "another process" : "another process (\(others.joined(separator: ", ")))"
    }
}
