import Dispatch
import Foundation

/// Looks at a process's memory again and again on a queue of its own: the kernel keeps no peak of what is anonymous.
final class MemoryWatch {
    private let queue = DispatchQueue(label: "bench.memory")
    private let timer: any DispatchSourceTimer
    private let seen = Seen()

    /// Used on the queue only.
    private final class Seen: @unchecked Sendable {
        var memory = ProcessMemory()
    }

    init(process: Int32, every interval: DispatchTimeInterval = .milliseconds(4)) {
        timer = DispatchSource.makeTimerSource(queue: queue)
        let seen = seen
        timer.setEventHandler { seen.memory.note(process: process) }
        timer.schedule(deadline: .now(), repeating: interval)
        timer.resume()
    }

    /// The peaks since the beginning.
    func stop() -> ProcessMemory {
        timer.cancel()
        return queue.sync { seen.memory }
    }
}
