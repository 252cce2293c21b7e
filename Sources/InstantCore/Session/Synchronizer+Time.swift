import Annotations
import SyncProtocol

/// Time-driven events.
extension Synchronizer {
    /// Milliseconds in which an application that begins to listen may supply a token without being asked for it.
    static let tokenGrace: Int64 = 200

    mutating func woke(now: Timestamp, random: inout some RandomNumberGenerator) throws {
        // The timer has fired. Set a new one for anything that is not yet due because the clock moved or the timer
        // fired early.
        wake = nil
        try migrate()
        if case .waiting(_, let until, _) = session.state, until <= now { perform(session.retryDue()) }
        switch stream.timePassed(at: now) {
        case .gathered(let id): effects.append(.closeStream(id))
        case .dead: fail(.unreachable("the server sent nothing for too long"), now: now, random: &random)
        case nil: break
        }
        try pushIfDue(nil, now: now)
        // Without a connection, the cycle after the next one sends the edits.
        if let pushAt, pushAt <= now { (self.pushAt, unsentSince) = (nil, nil) }
        if let askAt, askAt <= now {
            self.askAt = nil
            announceNeed()
        }
        // This detects a stream that delivers only heartbeats.
        if isLeading, session.dataTicket != nil, !cycle.isSyncing, let due = integrity.due, due <= now {
            try beginCycle()
        }
        followingWoke(now: now, random: &random)
    }

    /// Sets the timer to the next due time.
    ///
    /// - Parameter now: When the timer fired, if it just did. Everything due by then has been handled; anything still
    ///   due waits for something other than time and must not mask later times.
    mutating func setWake(wokenAt now: Timestamp?) {
        var due = [stream.due, expiry?.due].compactMap(\.self)
        if case .waiting(_, let until, _) = session.state { due.append(until) }
        if session.dataTicket != nil {
            due += [pushAt, cycle.isSyncing || !isLeading ? nil : integrity.due].compactMap(\.self)
            if isPaused, pushDelay != nil, let pause { due.append(pause.until) }
        }
        if hadNoToken { due += [pushAt, askAt].compactMap(\.self) }
        due += followingDue
        if canTell, let next = presence.due { due.append(next) }
        if let now { due.removeAll { $0 <= now } }
        if isLeading, cycle.isMigrating { due.append(Self.atOnce) }
        let next = due.min()
        if next != wake {
            wake = next
            effects.append(.wake(next))
        }
    }

    /// Shifts every due time if the clock was set back, so that a clock change of a day does not cause a wait of a day.
    /// A clock that is set forward, or a machine that slept, makes timers fire early, which is harmless.
    mutating func noticeClock(_ now: Timestamp) {
        defer { lastNow = now }
        guard let lastNow, now < lastNow else { return }
        let back = lastNow - now
        session.clockWentBack(by: back)
        stream.clockWentBack(by: back)
        resets.clockWentBack(by: back)
        expiry?.clockWentBack(by: back)
        integrity.clockWentBack(by: back)
        presence.clockWentBack(by: back)
        pushAt = pushAt.map { $0 + -back }
        unsentSince = unsentSince.map { $0 + -back }
        askAt = askAt.map { $0 + -back }
        notBefore = notBefore.map { $0 + -back }
        followUntil = followUntil.map { $0 + -back }
        checkAt = checkAt.map { $0 + -back }
        underWaySince = underWaySince.map { $0 + -back }
        busySince = busySince.map { $0 + -back }
        uploadSince = uploadSince.map { $0 + -back }
        search.clockWentBack(by: back)
        uploads.clockWentBack(by: back)
        pause?.clockWentBack(by: back)
    }

    /// Announces that the active token is about to expire.
    mutating func watchExpiry(now: Timestamp) {
        guard let watch = expiry else { return }
        if !session.tickets.contains(watch.ticket) {
            expiry = nil
        } else if let end = expiry?.timePassed(at: now) {
            announceExpiry(end)
        }
    }

    mutating func announceExpiry(_ end: Timestamp) { effects.append(.announce(.tokenExpires(end))) }

    /// Sends the waiting edits if their delay is over. Asks for a token if there never was one; the end of one was
    /// announced when it happened.
    ///
    /// - Parameter backlog: The layer's backlog, if it was just read.
    mutating func pushIfDue(_ backlog: Backlog?, now: Timestamp) throws {
        guard let pushAt, pushAt <= now else { return }
        if session.dataTicket != nil {
            (self.pushAt, unsentSince) = (nil, nil)
            if try backlog ?? layer.backlog() == .sendable { try beginCycle(backlog) }
        } else if hadNoToken {
            (self.pushAt, unsentSince) = (nil, nil)
            if try backlog ?? layer.backlog() == .sendable { announceNeed() }
        }
    }

    private var hadNoToken: Bool { session.state == .needsToken(.noneYet) }

    private mutating func announceNeed() {
        if hadNoToken { effects.append(.announce(.failedAuthentication(.noneYet))) }
    }

    /// Ends the wait after a key press, a local edit or a restored network, unless the server requested it.
    mutating func stopWaiting(now: Timestamp) {
        if let notBefore, now < notBefore { return }
        perform(session.retryDue())
    }
}
