import Annotations
import SyncProtocol

/// What the passing of time does.
extension Synchronizer {
    mutating func woke(now: Timestamp, random: inout some RandomNumberGenerator) throws {
        // The timer is spent. What is not due yet, because the clock moved or the timer was early, gets another one.
        wake = nil
        try migrate()
        if case .waiting(_, let until, _) = session.state, until <= now { perform(session.retryDue()) }
        switch stream.timePassed(at: now) {
        case .gathered(let id): effects.append(.closeStream(id))
        case .dead: fail(.unreachable("the server has been silent for too long"), now: now, random: &random)
        case nil: break
        }
        if let pushAt, pushAt <= now {
            self.pushAt = nil
            if session.dataTicket != nil, try layer.hasUnsent() { try beginCycle() }
        }
        // A stream that brings heartbeats and nothing else is found out this way.
        if isLeading, session.dataTicket != nil, !cycle.isSyncing, let due = integrity.due, due <= now {
            try beginCycle()
        }
        followingWoke(now: now, random: &random)
    }

    /// The moment of the nearest thing that is due.
    ///
    /// - Parameter now: the timer has just fired, and all that was due has been looked at: what is still there waits for
    ///   something else than time, and hides nothing that is due later.
    mutating func setWake(wokenAt now: Timestamp?) {
        var due = [stream.due, expiry?.due].compactMap(\.self)
        if case .waiting(_, let until, _) = session.state { due.append(until) }
        if session.dataTicket != nil {
            due += [pushAt, cycle.isSyncing || !isLeading ? nil : integrity.due].compactMap(\.self)
        }
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

    /// A clock that was set back takes everything that is due with it: nothing waits for a day. One that was set
    /// forward, or a machine that slept, makes things due early, which does no harm.
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
        notBefore = notBefore.map { $0 + -back }
        followUntil = followUntil.map { $0 + -back }
        checkAt = checkAt.map { $0 + -back }
    }

    /// Tells ahead of time that the token in force ends.
    mutating func watchExpiry(now: Timestamp) {
        guard let watch = expiry else { return }
        if !session.tickets.contains(watch.ticket) {
            expiry = nil
        } else if let end = expiry?.timePassed(at: now) {
            announceExpiry(end)
        }
    }

    mutating func announceExpiry(_ end: Timestamp) { effects.append(.announce(.tokenExpires(end))) }

    /// A key, a local edit or the network makes waiting pointless, unless the server itself asked for it.
    mutating func stopWaiting(now: Timestamp) {
        if let notBefore, now < notBefore { return }
        perform(session.retryDue())
    }
}
