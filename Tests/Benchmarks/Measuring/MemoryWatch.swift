import Foundation
import Synchronization

/// Looks at a process's memory again and again on a thread of its own: the kernel keeps no peak of what is anonymous.
final class MemoryWatch: Sendable {
    private struct State {
        var memory = ProcessMemory()
        var isRunning = true
    }

    private let state = Mutex(State())
    private let finished = DispatchSemaphore(value: 0)

    init(process: Int32, every interval: TimeInterval = 0.004) {
        let watch = Thread { [self] in
            while state.withLock(\.isRunning) {
                state.withLock { $0.memory.note(process: process) }
                Thread.sleep(forTimeInterval: interval)
            }
            finished.signal()
        }
        watch.start()
    }

    /// The peaks since the beginning.
    func stop() -> ProcessMemory {
        state.withLock { $0.isRunning = false }
        finished.wait()
        return state.withLock(\.memory)
    }
}
