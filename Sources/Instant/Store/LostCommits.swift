import Glibc
import SQLite

/// Commits that are missing from a write-ahead log.
enum LostCommits {
    /// Call before SQLite opens the database, with no process using it.
    ///
    /// After a restart of the machine the log is not judged: what had not reached the disk is missing then, and the
    /// server sends it again.
    ///
    /// - Parameter path: The database.
    static func count(besides path: String) -> Int {
        let (log, index) = (path + "-wal", path + "-shm")
        guard isFromThisStart(log) || isFromThisStart(index) else { return 0 }
        return WriteAheadLogContents(
            log: DatabaseImage.contents(log), index: DatabaseImage.contents(index, limit: 136)
        ).lostCommits
    }

    /// Whether a file exists and was written since the machine started.
    private static func isFromThisStart(_ path: String) -> Bool {
        var (info, now, running) = (stat(), timespec(), timespec())
        guard lstat(path, &info) == 0 else { return false }
        clock_gettime(CLOCK_REALTIME, &now)
        clock_gettime(CLOCK_BOOTTIME, &running)
        return info.st_mtim.tv_sec >= now.tv_sec - running.tv_sec
    }
}
