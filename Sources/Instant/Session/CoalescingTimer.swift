import Annotations

/// Chooses the system timer that wakes the synchronizer. Nearly every event postpones the wake-up: a running timer is
/// then kept, and when it fires too early, the next one is started.
struct CoalescingTimer {
    struct Timer: Hashable {
        var number: Int
        var moment: Timestamp
    }

    enum Firing: Hashable {
        case due
        /// Another timer must be started.
        case early(Timer)
    }

    private var moment: Timestamp?
    private var timer: Timer?
    private var started = 0

    /// - Returns: A timer to start, if none is running or the running one fires too late.
    mutating func set(for moment: Timestamp?) -> Timer? {
        self.moment = moment
        guard let moment else { return nil }
        if let timer, timer.moment <= moment { return nil }
        return start(for: moment)
    }

    /// - Returns: nil if no time is set or another timer replaced this one.
    mutating func fired(_ timer: Timer, at now: Timestamp) -> Firing? {
        guard timer == self.timer else { return nil }
        self.timer = nil
        guard let moment else { return nil }
        // It has run its time, but the clock was set back: the next timer would run for as long as the jump.
        if now < timer.moment {
            self.moment = nil
            return .due
        }
        if now < moment { return .early(start(for: moment)) }
        self.moment = nil
        return .due
    }

    private mutating func start(for moment: Timestamp) -> Timer {
        started += 1
        let timer = Timer(number: started, moment: moment)
        self.timer = timer
        return timer
    }
}
