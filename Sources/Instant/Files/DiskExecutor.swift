import NIOPosix

/// Runs tasks that read and write files on NIO's threads for blocking work, so that the threads of all other tasks never
/// wait for a disk.
final class DiskExecutor: TaskExecutor {
    static let shared = DiskExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        NIOThreadPool.singleton.submit { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
