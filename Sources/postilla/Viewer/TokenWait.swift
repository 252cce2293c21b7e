import InstantCore

/// Whether to prompt for a token or wait for one from another source. The layer's status may arrive before or after
/// these events.
struct TokenWait: Equatable {
    /// Whether the source may return a newer token each time.
    let canAskAgain: Bool
    /// Whether a request to the source is pending.
    private(set) var isAsking = false
    /// Whether the source had nothing new, so that the user is prompted. Until then the prompt is suppressed, because
    /// the status may arrive before the event that triggers the request to the source.
    private var isSpent = false
    /// Whether the library has a token whose outcome is not yet known; the status may predate it.
    private var isHandedOn = false

    init(canAskAgain: Bool) { self.canAskAgain = canAskAgain }

    mutating func asks() { isAsking = true }

    /// - Parameter token: Whether a token was found; it is passed to the library next.
    mutating func sourceAnswered(withToken token: Bool) {
        isSpent = !token
        isAsking = token
    }

    mutating func handsOn() {
        isAsking = false
        isHandedOn = true
    }

    mutating func wasAccepted() {
        isSpent = false
        isHandedOn = false
    }

    /// - Parameter here: Whether it was rejected locally; if so, no further event follows.
    mutating func wasRefused(here: Bool = false) {
        isHandedOn = false
        if here { isSpent = true }
    }

    /// Returns the connection state to show.
    func shown(_ connection: SyncStatus.Connection) -> SyncStatus.Connection {
        guard case .needsToken(let need) = connection, need != .forgotten else { return connection }
        let isOnItsWay = isAsking || canAskAgain && !isSpent || isHandedOn && need == .noneYet
        return isOnItsWay ? .connecting : connection
    }
}
