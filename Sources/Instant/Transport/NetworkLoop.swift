import EventLoops
import NIOPosix

/// The thread of all connections of this process. A client waits for one answer at a time and reads one stream: more
/// threads would only hand the same bytes to each other.
enum NetworkLoop {
    static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    /// Runs tasks on that thread: what is sent and what has come changes hands once, not at every step.
    static let executor = LoopExecutor(loop: group.next())
}
