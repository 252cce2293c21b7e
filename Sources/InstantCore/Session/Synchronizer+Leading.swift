import Annotations
import Authorization
import SyncProtocol

/// Determines which of several processes leads. Each authenticates with its own token, whether it leads or not; tokens
/// never pass between processes.
///
/// - A process requests the lock once its token is accepted, and releases it when it needs another token, loses access,
///   or is deliberately offline.
/// - A process that does not lead follows: it reads the store and edits under its own grant. Its cycle ends when the
///   leader has brought the store up to the server's revision and sent all waiting edits.
/// - A process with an open cycle requests leadership. The leader then begins a cycle, or yields if it has no
///   connection, its request is not answered, or its token does not allow sending all waiting edits.
/// - A leader that cannot send, although the server answers everything else, keeps the lead and says so in the store: another
///   process would only try the same. The cycles of the others then end without the edits.
/// - A process that is about to be stopped releases the lock. One that is stopped or blocked without notice is replaced;
///   ``FencedStore`` prevents it from writing afterwards.
extension Synchronizer {
    /// The time without progress by the leader, in milliseconds, after which a cycle of this process fails.
    package static let followPatience: Int64 = 10_000
    /// Milliseconds between two token checks in a process that does not lead.
    package static let checkInterval: Int64 = 60_000

    /// The first value of ``patience``: with two checks of the lock, less than 2 s.
    static let firstPatience: Int64 = 1000
    private static let mostPatience: Int64 = 60_000
    /// The same once something has moved: over a slow link, a part of a request takes seconds. Below ``followPatience``.
    private static let movingPatience: Int64 = 9000

    private var shouldLead: Bool {
        if isSuspended { return false }
        if undecided != nil || misplaced != nil || cycle.isMigrating { return true }
        return switch session.state {
        case .authenticating(_, .some), .connecting, .live: true
        case .waiting(_, _, let wasAccepted): wasAccepted
        case .authenticating(_, nil), .needsToken, .paused, .lost: false
        }
    }

    mutating func updateLeading() {
        let should = shouldLead
        if !should { stopLeading() }
        if should != wantsToLead {
            wantsToLead = should
            effects.append(.lead(should))
        }
        let claims = !isLeading && !isSuspended && cycle.isSyncing && session.dataTicket != nil
        if claims != claimsLead {
            claimsLead = claims
            effects.append(.claim(claims))
        }
    }

    mutating func lead(_ leads: Bool, now: Timestamp, random: inout some RandomNumberGenerator) throws {
        if leads, !isLeading {
            isLeading = true
            fence.lead(true)
            (goal, followUntil, checkAt) = (nil, nil, nil)
            if pause == nil { try? layer.note(unsentBecause: nil) }
        }
        guard let (answer, ticket) = undecided else { return }
        undecided = nil
        guard session.isAsking(about: ticket) else { return }
        if isLeading {
            try accept(answer, ticket: ticket, now: now, random: &random)
        } else {
            try follow(answer, ticket: ticket, now: now)
        }
    }

    /// - Parameter isAlone: false if this process is about to use another store; this synchronizer then ends.
    mutating func usesAlone(
        _ isAlone: Bool, now: Timestamp, random: inout some RandomNumberGenerator
    ) throws {
        guard let (answer, ticket) = misplaced else { return }
        misplaced = nil
        guard session.isAsking(about: ticket) else { return }
        guard isAlone else {
            let problem = "the storage for what this token may see cannot be opened"
            return fail(.store(problem), now: now, random: &random)
        }
        if isLeading { return try accept(answer, ticket: ticket, now: now, random: &random) }
        undecided = (answer, ticket)
        // Request the lock, even if this was done before.
        wantsToLead = false
    }

    /// Yields to another process if this one cannot do the work; otherwise does it. A cycle is needed even on a live
    /// stream, because changes that this token may not view also advance the server's revision.
    ///
    /// - Parameter sign: Names the claim. One that stays although this was done is that of a process that was stopped.
    mutating func leadClaimed(_ sign: String, now: Timestamp) throws {
        guard isLeading, !cycle.isMigrating else { return }
        let isSlow = busySince.map { now - $0 >= (hasMoved ? max(patience, Self.movingPatience) : patience) } ?? false
        if try isWaiting || isSlow || !maySendAll() {
            guard claimWatch.isDue(sign) else { return }
            // Longer each time: the server may be slow for every process.
            if isSlow { patience = min(2 * patience, Self.mostPatience) }
            yield()
        } else if case .live = session.state, uploadUnderWay != nil || !cycle.isSyncing, claimWatch.isDue(sign) {
            try beginCycle()
            tellOfUpload(now: now)
        }
    }

    /// Another process leads. Nothing of this one's state is valid any more.
    mutating func deposed() { if isLeading { yield() } }

    /// Releases the lock and requests it again: this process gets it once the other one is done. A cycle that was
    /// running continues as that of a process that follows.
    private mutating func yield() {
        let wasBusy = cycle.isSyncing || sessionRequest != nil || !isSettled
        stopLeading()
        wantsToLead = false
        effects.append(.lead(false))
        if wasBusy { perform(session.restarted()) }
    }

    /// Whether no response about the session is pending.
    private var isSettled: Bool { session.ticket.map { !session.isAsking(about: $0) } ?? true }

    mutating func noteProgress(_ input: Input, now: Timestamp) {
        guard underWay != nil || sessionRequest != nil else { return (busySince, hasMoved) = (nil, false) }
        switch input {
        case .answered, .failed: (busySince, hasMoved) = (now, false)
        case .moved: (busySince, hasMoved) = (now, true)
        default: busySince = busySince ?? now
        }
    }

    private var isWaiting: Bool { if case .waiting = session.state { true } else { false } }

    private func maySendAll() throws -> Bool {
        try layer.backlog() == .none || (session.dataTicket != forbidden && !layer.hasUnsendable())
    }

    private mutating func stopLeading() {
        guard isLeading else { return }
        giveUp()
        isLeading = false
        fence.lead(false)
        closeStreams()
        epoch = nil
        // A sync that waits for the session goes on waiting.
        if cycle.isSyncing { end(.unreachable("another process on this machine syncs this layer")) }
    }

    // MARK: Following

    /// Handles an accepted token while another process leads.
    mutating func follow(_ answer: SessionAnswer, ticket: TokenHandle, now: Timestamp) throws {
        try layer.check(answer.grant)
        own(answer.grant, ticket: ticket)
        goal = Cursor(epoch: answer.epoch, revision: answer.head)
        watchExpiry(of: answer, ticket: ticket, now: now)
        let end = answer.grant.expiresAt + -(answer.now - now) + 500
        checkAt = end > now ? min(end, now + Self.checkInterval) : now + Self.checkInterval
        perform(session.sessionAnswered(ticket))
        if !cycle.isSyncing { try beginCycle() }
        followUntil = now + Self.followPatience
    }

    /// Makes this grant authorize the edits of this process.
    mutating func own(_ grant: Grant, ticket: TokenHandle) {
        layer.ownGrant = grant
        if acceptedToken != ticket { forbidden = nil }
        acceptedToken = ticket
        problem = nil
        notBefore = nil
    }

    /// Ends the cycle once another process has completed it, or has received everything and cannot send.
    mutating func updateFollowing(now: Timestamp) throws {
        while session.dataTicket != nil, cycle.isSyncing {
            let isUnsent = try backlog() == .sendable
            let reason = try isUnsent ? reasonToWaitFor() : nil
            if cycle.state == .sendingChanges {
                guard !isUnsent || reason != nil else { return }
                perform(cycle.sent())
            }
            guard try isGoalReached() else { return }
            goal = nil
            session.succeeded()
            perform(
                cycle.received(backlog: reason == nil ? try backlog() : .kept, isUnsent: reason != nil),
                failure: reason.map { .notSent($0) })
        }
    }

    /// Returns why the leader does not send the edits. It does send those that need no file while one is under way.
    private func reasonToWaitFor() throws -> String? {
        let reason = try layer.metadata().unsentBecause
        return try reason == Self.uploading && !layer.waitsOnlyForFiles() ? nil : reason
    }

    /// Whether the goal is reached.
    private func isGoalReached() throws -> Bool {
        guard let goal else { return true }
        guard let cursor = try layer.metadata().cursor else { return false }
        return cursor.epoch.isExactly(goal.epoch) && cursor.revision >= goal.revision
    }

    /// Requests the goal again if the leader has loaded the layer under a later epoch, such as after the PDF was
    /// replaced: the two cannot be compared.
    mutating func updateGoal() throws {
        guard !isLeading, let goal, cycle.isSyncing, let cursor = try layer.metadata().cursor,
            !cursor.epoch.isExactly(goal.epoch), cursor.epoch != goalRefutedBy
        else { return }
        goalRefutedBy = cursor.epoch
        perform(session.invalidated())
    }

    mutating func followingWoke(now: Timestamp, random: inout some RandomNumberGenerator) {
        guard !isLeading, session.dataTicket != nil else { return }
        if let followUntil, followUntil <= now, cycle.isSyncing {
            self.followUntil = nil
            let problem =
                "another process on this machine syncs this layer, but got no answer within "
                + "\(Self.followPatience / 1000) s"
            return fail(.unreachable(problem), now: now, random: &random)
        }
        if let checkAt, checkAt <= now {
            self.checkAt = nil
            perform(session.invalidated())
        }
    }

    var followingDue: [Timestamp] {
        guard !isLeading, session.dataTicket != nil else { return [] }
        return [cycle.isSyncing ? followUntil : nil, checkAt].compactMap(\.self)
    }

    // MARK: Migration of an old local store by the lock holder, before anything is changed

    /// A due time in the past.
    static let atOnce = Timestamp(milliseconds: 0)

    /// Runs one step per wake-up; other inputs are handled in between.
    mutating func migrate() throws {
        guard isLeading, cycle.isMigrating else { return }
        perform(cycle.migrationBegan())
        if try layer.migrate() { try migrated() }
    }

    /// Ends a migration that this process or the lock holder has completed.
    mutating func migrated() throws {
        guard cycle.isMigrating, try !layer.metadata().needsMigration else { return }
        perform(cycle.migrated(backlog: try layer.backlog()))
        effects.append(.announce(.changed(LayerChanges())))
        if session.dataTicket != nil { try beginCycle() }
    }
}
