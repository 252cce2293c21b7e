import Annotations
import InstantCore
import TestSupport

extension Universe {
    /// Advances the time; timers fire when due, or late. Processes check the lock every second, so they check it before a
    /// timer ends a wait for another process.
    func pass(_ milliseconds: Int64) throws {
        let end = time + milliseconds
        try poll()
        let late = lateOnes(at: end)
        var rings = 0
        while let process = devices.flatMap(\.processes).filter({ process in
            process.alarm.map { $0 <= end } ?? false && !late.contains(process.id)
        }).min(by: { ($0.alarm ?? end) < ($1.alarm ?? end) }) {
            time = max(time, process.alarm ?? time)
            process.alarm = nil
            process.isLate = false
            rings += 1
            try require(rings < 1000, "a timer goes off again and again")
            try give(.woke, process)
        }
        time = end
        try poll()
    }

    /// Draws the processes whose timers do not fire in this step although they are due, as on a busy machine; they fire in
    /// the next one.
    private func lateOnes(at end: Timestamp) -> Set<ProcessID> {
        guard var delays else { return [] }
        defer { self.delays = delays }
        var late: Set<ProcessID> = []
        for process in devices.flatMap(\.processes) where process.alarm.map({ $0 <= end }) ?? false {
            process.isLate = !process.isLate && delays.chance(1, of: 3)
            if process.isLate { late.insert(process.id) }
        }
        return late
    }
}
