import Dispatch
import Foundation

/// Polls a process's memory on a separate queue, because the kernel keeps no peak of anonymous memory.
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

    /// Returns the peaks since the start.
    func stop() -> ProcessMemory {
        timer.cancel()
        return queue.sync { seen.memory }
    }
}
