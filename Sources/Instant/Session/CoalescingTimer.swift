import Annotations

/// Which timer of the system wakes the synchronizer. Nearly every event moves the moment further away: a timer that is
/// under way is then left alone, and the next one is started when it fires too early.
struct CoalescingTimer {
    struct Timer: Hashable {
        var number: Int
        var moment: Timestamp
    }

    enum Firing: Hashable {
        case due
        /// Another one has to be started in its place.
        case early(Timer)
    }

    private var moment: Timestamp?
    private var timer: Timer?
    private var started = 0

    /// - Returns: a timer to start, if the one under way fires too late or there is none.
    mutating func set(for moment: Timestamp?) -> Timer? {
        self.moment = moment
        guard let moment else { return nil }
        if let timer, timer.moment <= moment { return nil }
        return start(for: moment)
    }

    /// - Returns: nil: nothing is waited for, or another timer took its place.
    mutating func fired(_ timer: Timer, at now: Timestamp) -> Firing? {
        guard timer == self.timer else { return nil }
        self.timer = nil
        guard let moment else { return nil }
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
