import Annotations
import Authorization
import SyncProtocol

/// Which of several processes leads. Each process authenticates with its own token, whether it leads or
/// not; tokens never pass between processes.
///
/// - A process wants the lock once its token was accepted, and gives it up when it needs another token, when access is
///   lost, or while it is offline on purpose.
/// - A process that does not lead follows: it reads the store, and edits by its own grant. Its cycle ends when the one
///   that leads has brought the store as far as the server was, and has sent what waits.
/// - A process whose cycle is open claims the lead. The one that leads then begins a cycle, or gives way when it cannot
///   do what is to be done: without a connection, or when its token may not send what waits.
extension Synchronizer {
    /// Milliseconds for which the process that leads may bring nothing before a cycle of this one fails.
    package static let followPatience: Int64 = 10_000
    /// Milliseconds between two checks of the token of a process that does not lead.
    package static let checkInterval: Int64 = 60_000

    private var shouldLead: Bool {
        if undecided != nil || cycle.isMigrating { return true }
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
        let claims = !isLeading && cycle.isSyncing && session.dataTicket != nil
        if claims != claimsLead {
            claimsLead = claims
            effects.append(.claim(claims))
        }
    }

    mutating func lead(_ leads: Bool, now: Timestamp, random: inout some RandomNumberGenerator) throws {
        if leads, !isLeading {
            isLeading = true
            (goal, followUntil, checkAt) = (nil, nil, nil)
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

    /// Gives way to another process if this one cannot do what is to be done, and does it otherwise. The stream need
    /// not have told of everything: changes that this token may not view move the server's revision as well.
    mutating func leadClaimed() throws {
        guard isLeading, !cycle.isMigrating else { return }
        guard try isWaiting || !maySendAll() else {
            if case .live = session.state, !cycle.isSyncing { try beginCycle() }
            return
        }
        stopLeading()
        // Once the other one is done, it is this one's turn again.
        wantsToLead = false
        effects.append(.lead(false))
    }

    private var isWaiting: Bool { if case .waiting = session.state { true } else { false } }

    private func maySendAll() throws -> Bool {
        try layer.backlog() == .none || (session.dataTicket != forbidden && !layer.hasUnsendable())
    }

    private mutating func stopLeading() {
        guard isLeading else { return }
        isLeading = false
        giveUp()
        closeStreams()
        epoch = nil
        end(.unreachable("another program on this machine syncs this layer now"))
    }

    // MARK: Following

    /// The token was accepted, and another process leads.
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

    /// What the token of this process allows decides from now on.
    mutating func own(_ grant: Grant, ticket: TokenHandle) {
        layer.ownGrant = grant
        if acceptedToken != ticket { forbidden = nil }
        acceptedToken = ticket
        problem = nil
        notBefore = nil
    }

    /// Ends the cycle once another process has done what it is for.
    mutating func updateFollowing(now: Timestamp) throws {
        while session.dataTicket != nil, cycle.isSyncing {
            if cycle.state == .sendingChanges {
                guard try backlog() != .sendable else { return }
                perform(cycle.sent())
            }
            guard try isGoalReached() else { return }
            goal = nil
            session.succeeded()
            perform(cycle.received(backlog: try backlog()))
        }
    }

    /// A view of another epoch cannot be compared.
    private func isGoalReached() throws -> Bool {
        guard let goal else { return true }
        guard let cursor = try layer.metadata().cursor else { return false }
        return !cursor.epoch.isExactly(goal.epoch) || cursor.revision >= goal.revision
    }

    mutating func followingWoke(now: Timestamp, random: inout some RandomNumberGenerator) {
        guard !isLeading, session.dataTicket != nil else { return }
        if let followUntil, followUntil <= now, cycle.isSyncing {
            self.followUntil = nil
            let problem =
                "another program on this machine keeps the layer in step and did not get through to the server "
                + "within \(Self.followPatience / 1000) s"
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

    // MARK: An old local store is brought up to date before anything of it is changed, by the one who holds the lock

    /// When the next step is due.
    static let atOnce = Timestamp(milliseconds: 0)

    /// One step at each waking; others get their turn between two.
    mutating func migrate() throws {
        guard isLeading, cycle.isMigrating else { return }
        perform(cycle.migrationBegan())
        if try layer.migrate() { try migrated() }
    }

    /// Whoever did it: this process, or the one that holds the lock.
    mutating func migrated() throws {
        guard cycle.isMigrating, try !layer.metadata().needsMigration else { return }
        perform(cycle.migrated(backlog: try layer.backlog()))
        effects.append(.announce(.changed(LayerChanges())))
        if session.dataTicket != nil { try beginCycle() }
    }
}
