import Foundation

/// The SQLite file of the Yjs server's store, watched from outside without taking its locks.
///
/// The store uses SQLite's defaults: a rollback journal, and `synchronous` FULL. A commit raises the change counter in the
/// file's header and then deletes the journal.
struct YjsStore {
    var path: String

    /// How many transactions the file has seen (SQLite file format, section 1.3.7); nil before the first.
    var changeCounter: UInt32? {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var counter: UInt32 = 0
        guard pread(descriptor, &counter, 4, 24) == 4 else { return nil }
        return UInt32(bigEndian: counter)
    }

    /// Waits until a transaction after `counter` is complete.
    func waitForCommit(after counter: UInt32?) throws {
        let end = ContinuousClock.now + .seconds(30)
        while changeCounter == counter || access(path + "-journal", F_OK) == 0 {
            guard ContinuousClock.now < end else { throw BenchmarkError("the Yjs server stored nothing for 30 s") }
            sched_yield()
        }
    }
}
