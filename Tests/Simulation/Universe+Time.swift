import Annotations
import InstantCore

extension Universe {
    /// Advances the time; timers fire when due. Processes check the lock every second, so they check it before a timer
    /// ends a wait for another process.
    func pass(_ milliseconds: Int64) throws {
        let end = time + milliseconds
        try poll()
        var rings = 0
        while let process = devices.flatMap(\.processes).filter({ $0.alarm.map { $0 <= end } ?? false }).min(by: {
            ($0.alarm ?? end) < ($1.alarm ?? end)
        }) {
            time = max(time, process.alarm ?? time)
            process.alarm = nil
            rings += 1
            try require(rings < 1000, "a timer goes off again and again")
            try give(.woke, process)
        }
        time = end
        try poll()
    }
}
