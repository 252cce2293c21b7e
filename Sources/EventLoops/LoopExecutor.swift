package import NIOCore

/// Runs the steps of tasks on the thread of an event loop: what has just been read there, and what is written there next,
/// changes hands nowhere in between. Nothing that blocks for longer than a hand-over takes may run on it.
package final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    package init(loop: any EventLoop) { self.loop = loop }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
