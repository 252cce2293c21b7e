import Annotations
import SyncProtocol

extension Synchronizer {
    mutating func take(_ input: Input, now: Timestamp, random: inout some RandomNumberGenerator) throws {
        switch input {
        case .tokenSupplied(let ticket):
            (undecided, misplaced) = (nil, nil)
            perform(session.tokenSupplied(ticket))
        case .tokenForgotten:
            (undecided, misplaced) = (nil, nil)
            perform(session.tokenForgotten())
            giveUpAll()
            end(.token(.forgotten))
        case .answered(let id, let answer): try take(answer, to: id, now: now, random: &random)
        case .failed(let id, let failure): try requestFailed(id, failure, now: now, random: &random)
        case .heard(let id, let event): try heard(event, on: id, now: now, random: &random)
        case .streamEnded(let id, let failure): streamEnded(id, failure, now: now, random: &random)
        case .edited:
            let backlog = try layer.backlog()
            perform(cycle.edited(backlog: backlog))
            shortenPause()
            planPush(backlog, now: now)
            if pushAt != nil { stopWaiting(now: now) }
            // If no delay is configured, do not wait for a timer.
            try pushIfDue(backlog, now: now)
        case .storeChanged:
            try migrated()
            effects.append(.announce(.changed(LayerChanges())))
            if followUntil != nil { followUntil = now + Self.followPatience }
            let backlog = try layer.backlog()
            perform(cycle.edited(backlog: backlog))
            if try isLeading || layer.metadata().unsentBecause == nil { planPush(backlog, now: now) }
            try updateGoal()
        case .syncRequested: try requestSync(now: now)
        case .checkRequested:
            integrity.asked()
            try requestSync(now: now)
        case .syncStopped:
            giveUp()
            end(nil)
            if isSyncWanted { perform([.announceFailure]) }
            // The next stream catches up with what is dropped here.
            if !held.isEmpty { closeStreams() }
            held = []
        case .listening(let listens):
            isListening = listens
            presence.setListening(listens)
            askAt = listens ? now + Self.tokenGrace : nil
            if listens {
                if isLeading, case .live = session.state { try beginCycle() }
            } else {
                closeStreams()
            }
        case .woke: try woke(now: now, random: &random)
        case .moved: break  // noted below
        case .retryRequested:
            endPause(at: now, onRequest: true)
            try sendAfterPause()
            stopWaiting(now: now)
        case .wentOffline:
            perform(session.wentOffline())
            giveUpAll()
            end(.unreachable("offline"))
        case .wentOnline: perform(session.wentOnline())
        case .leading(let leads): try lead(leads, now: now, random: &random)
        case .leadClaimed(let sign): try leadClaimed(sign, now: now)
        case .deposed: deposed()
        case .usesAlone(let isAlone): try usesAlone(isAlone, now: now, random: &random)
        case .suspended(let isSuspended):
            self.isSuspended = isSuspended
            if !isSuspended { perform(session.restarted()) }
        case .sessionInvalidated: perform(session.invalidated())
        case .announced(let own): presence.setOwn(own)
        case .pushDelay(let delay):
            pushDelay = delay
            if delay == nil { (pushAt, unsentSince) = (nil, nil) }
        case .storageRemoved:
            closeStreams()
            giveUpAll()
            perform(cycle.storageRemoved())
            perform(session.storageRemoved())
            end(.lost(SessionMachine.storageWasRemoved))
        }
    }

    /// Sets the time of the push: some time after the last edit, because the next one may follow at once, but not much later
    /// than the first one. Edits of other processes count like those of this one.
    private mutating func planPush(_ backlog: Backlog, now: Timestamp) {
        guard backlog == .sendable, !isPaused, let pushDelay else {
            (pushAt, unsentSince) = (nil, nil)
            return
        }
        let first = unsentSince ?? now
        unsentSince = first
        let (longest, overflow) = pushDelay.multipliedReportingOverflow(by: Self.mostPushDelays)
        pushAt = min(now + pushDelay, first + (overflow ? .max : longest))
    }

    private mutating func requestSync(now: Timestamp) throws {
        endPause(at: now, onRequest: true)
        isSyncWanted = true
        switch session.state {
        case .needsToken(let need):
            isSyncWanted = false
            effects.append(.announce(.failedAuthentication(need)))
        case .live where !isLeading: perform(session.invalidated())
        case .live: try beginCycle()
        case .waiting: stopWaiting(now: now)
        case .lost(let why): end(.lost(why))
        case .authenticating(_, .some): try beginCycle()
        case .paused: end(.unreachable("offline"))
        case .authenticating, .connecting: break
        }
    }

    /// - Parameter backlog: The layer's backlog, if it was just read.
    mutating func beginCycle(_ backlog: Backlog? = nil) throws {
        isCaughtUp = false
        if !cycle.isSyncing {
            freshStarts = 0
            batchLimit = .max
        }
        if !isLeading { followUntil = lastNow.map { $0 + Self.followPatience } }
        perform(cycle.cycleRequested(backlog: sendable(try backlog ?? layer.backlog())))
        if cycle.isSyncing { isSyncWanted = false }
    }

    mutating func perform(_ actions: [SessionMachine.Action]) {
        for action in actions {
            switch action {
            case .askSession(let ticket):
                if let sessionRequest { effects.append(.cancel(sessionRequest.id)) }
                let request = SyncRequest(id: number(), ticket: ticket, kind: .session)
                sessionRequest = request
                seenWhenAsked = (try? layer.metadata())?.cursor?.revision
                effects.append(.send(request))
            case .closeStream: closeStreams()
            case .announceAuthenticated(let ticket): effects.append(.announce(.authenticated(ticket)))
            case .announceNeed(let need): effects.append(.announce(.failedAuthentication(need)))
            case .announceRefused(let ticket, let need):
                effects.append(.announce(.failedReauthentication(ticket, .token(need))))
            case .announceLost(let why): effects.append(.announce(.lost(why)))
            }
        }
    }

    mutating func perform(_ actions: [LayerMachine.Action], failure: SyncFailure? = nil) {
        for action in actions {
            switch action {
            case .announceBegin: effects.append(.announce(.beganSync))
            case .announceState(let state): effects.append(.announce(.changedState(state)))
            case .announceFinish:
                isSyncWanted = false
                effects.append(.announce(.finishedSync))
            case .announceFailure:
                isSyncWanted = false
                effects.append(.announce(.failedSync(failure ?? .unreachable("the sync was stopped"))))
            }
        }
    }

    mutating func number() -> Int {
        defer { nextNumber += 1 }
        return nextNumber
    }
}
