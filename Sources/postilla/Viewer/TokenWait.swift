import InstantCore

/// Whether a person has to be told that a token is needed, or one is on its way from elsewhere. The status of a layer
/// runs ahead of that, or behind.
struct TokenWait: Equatable {
    /// The source may have a newer one each time.
    let canAskAgain: Bool
    /// The source is being asked.
    private(set) var isAsking = false
    /// It was asked and had nothing new: a person has to be told. Until then the status, which may run ahead of the
    /// event that has the source asked, keeps it from them.
    private var isSpent = false
    /// The library was given one and has not said yet what became of it: its status may be of before.
    private var isHandedOn = false

    init(canAskAgain: Bool) { self.canAskAgain = canAskAgain }

    mutating func asks() { isAsking = true }

    /// - Parameter token: found; it is handed on next.
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

    /// - Parameter here: on this machine already: nothing more will be heard of it.
    mutating func wasRefused(here: Bool = false) {
        isHandedOn = false
        if here { isSpent = true }
    }

    /// What a person is told of the connection.
    func shown(_ connection: SyncStatus.Connection) -> SyncStatus.Connection {
        guard case .needsToken(let need) = connection, need != .forgotten else { return connection }
        let isOnItsWay = isAsking || canAskAgain && !isSpent || isHandedOn && need == .noneYet
        return isOnItsWay ? .connecting : connection
    }
}
