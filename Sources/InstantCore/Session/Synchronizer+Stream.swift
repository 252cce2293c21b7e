import Annotations
import SyncProtocol

/// The live channel. It is opened when the session is live and caught up, read in order, and replaced before it is
/// closed.
extension Synchronizer {
    mutating func updateStream(now: Timestamp) throws {
        guard isLeading, isListening, let ticket = session.dataTicket, isFreeToListen, let epoch,
            let channel = stream.wanted(by: ticket, at: now)
        else { return }
        let metadata = try layer.metadata()
        guard let cursor = metadata.cursor, cursor.epoch.isExactly(epoch) else { return }
        let id = StreamID(number())
        close(stream.opened(id, ticket, channel, at: now))
        effects.append(
            .openStream(
                StreamRequest(
                    id: id, ticket: ticket, cursor: cursor, channel: channel, session: presence.session,
                    client: metadata.clientID)))
    }

    /// An upload, or one push after another, may take minutes: what the others write meanwhile comes with the live channel.
    private var isFreeToListen: Bool { !cycle.isSyncing || isCaughtUp && (uploadUnderWay != nil || isPushing) }

    private var isPushing: Bool { if case .push = underWay?.kind { true } else { false } }

    mutating func heard(
        _ event: LiveEvent, on id: StreamID, now: Timestamp, random: inout some RandomNumberGenerator
    ) throws {
        let wasHeard = stream.current?.wasHeard
        guard let replaced = stream.heard(id, at: now) else { return }
        if stream.current?.wasHeard != wasHeard { presence.channelOpened() }
        close(replaced)
        switch event {
        case .heartbeat: confirm(id)
        case .change(let change):
            confirm(id)
            try take(change, on: id)
        case .presence(let event): presence.heard(event)
        case .session(let event): try heard(event, on: id, now: now, random: &random)
        }
    }

    private mutating func take(_ change: ChangeEvent, on id: StreamID) throws {
        if isPushing, let cursor = try layer.metadata().cursor, change.epoch == cursor.epoch,
            change.isGap(after: cursor.revision)
        {
            // Probably this push, which comes with its answer.
            return hold(change, on: id)
        }
        let heard = try layer.take(change)
        announce(heard.changes)
        if heard.changes.needsPull {
            try beginCycle()
        } else if let backlog = heard.backlog {
            perform(cycle.changeArrived(backlog: sendable(backlog)))
        }
    }

    private mutating func hold(_ change: ChangeEvent, on id: StreamID) {
        // Without the first ones, the others lead to a pull.
        if held.count == Self.mostHeld { held = [] }
        held.append((id, change))
    }

    private static let mostHeld = 16

    /// Applies the changes that were held back, unless a push is still on its way.
    mutating func takeHeld() throws {
        guard !held.isEmpty, !isPushing else { return }
        let changes = held
        held = []
        for (id, change) in changes where id == stream.current?.id { try take(change, on: id) }
    }

    private mutating func heard(
        _ event: SessionEvent, on id: StreamID, now: Timestamp, random: inout some RandomNumberGenerator
    ) throws {
        // A replaced channel has outdated information about its token.
        guard let current = stream.current, current.id == id else {
            if event.kind != .open, event.kind != .expiring, stream.ended(id, at: now) == .old { close([id]) }
            return
        }
        switch event.kind {
        case .open: break
        case .expiring: if let end = expiry?.serverExpiry() { announceExpiry(end) }
        case .expired: judge(.token(.expired), ticket: current.ticket, now: now, random: &random)
        case .revoked: judge(.token(.revoked), ticket: current.ticket, now: now, random: &random)
        case .lost:
            let reason = event.reason ?? "the layer no longer exists"
            judge(.lost(reason), ticket: current.ticket, now: now, random: &random)
        case .behind:
            // A channel that is behind right after opening would fall behind again.
            guard current.isProven else {
                return fail(.unreachable("the event stream is too slow"), now: now, random: &random)
            }
            close(stream.closedAll())
            try beginCycle()
        case .closing: fail(.unreachable("the server is stopping"), now: now, random: &random)
        }
    }

    mutating func streamEnded(
        _ id: StreamID, _ failure: SyncFailure?, now: Timestamp, random: inout some RandomNumberGenerator
    ) {
        guard let current = stream.current, current.id == id else {
            _ = stream.ended(id, at: now)
            return
        }
        switch failure {
        case nil, .unreachable(_, nil), .stalled: if stream.ended(id, at: now) == .unheard { return }
        case .epochChanged:
            _ = stream.closedAll()
            return perform(session.invalidated())
        default: _ = stream.closedAll()
        }
        judge(
            failure ?? .unreachable("the connection was closed"), ticket: current.ticket, now: now, random: &random)
    }

    /// Records that the stream delivers data, so that the next failure counts as the first.
    private mutating func confirm(_ id: StreamID) {
        guard id == stream.current?.id else { return }
        stream.broughtSomething(id)
        session.succeeded()
    }

    mutating func closeStreams() { close(stream.closedAll()) }

    private mutating func close(_ ids: [StreamID]) { for id in ids { effects.append(.closeStream(id)) } }
}
