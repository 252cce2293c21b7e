import Annotations
import SyncProtocol

/// The live stream: opened when a session is live and caught up, read in order, replaced before it is closed.
extension Synchronizer {
    mutating func tendStream(now: Timestamp) throws {
        guard isListening, let ticket = session.dataTicket, !cycle.isSyncing, let epoch,
            let cursor = try layer.facts().cursor, cursor.epoch == epoch
        else { return }
        if let stream {
            guard stream.ticket != ticket else { return }
            if let oldStream { effects.append(.closeStream(oldStream)) }
            oldStream = stream.id
        }
        let id = StreamID(number())
        stream = OpenStream(id: id, ticket: ticket, lastHeard: now)
        effects.append(.openStream(id, ticket, cursor))
    }

    mutating func heard(
        _ event: LiveEvent, on id: StreamID, now: Timestamp, random: inout some RandomNumberGenerator
    ) throws {
        guard id == stream?.id || id == oldStream else { return }
        if id == stream?.id {
            stream?.lastHeard = now
            if let old = oldStream {
                oldStream = nil
                effects.append(.closeStream(old))
            }
        }
        switch event {
        case .heartbeat: break
        case .change(let change):
            let changes = try layer.take(change)
            announce(changes)
            if changes.needsPull {
                try beginCycle()
            } else if !changes.ids.isEmpty {
                perform(cycle.changeArrived(hasUnsent: try layer.hasUnsent()))
            }
        case .session(let event): try heard(event, on: id, now: now, random: &random)
        }
    }

    private mutating func heard(
        _ event: SessionEvent, on id: StreamID, now: Timestamp, random: inout some RandomNumberGenerator
    ) throws {
        let ticket = id == stream?.id ? stream?.ticket : nil
        switch event.kind {
        case .open: session.succeeded()
        case .expiring: if let at = event.at { effects.append(.announce(.tokenExpires(at))) }
        case .expired: if let ticket { judge(.token(.expired), ticket: ticket, now: now, random: &random) }
        case .revoked: if let ticket { judge(.token(.revoked), ticket: ticket, now: now, random: &random) }
        case .lost:
            guard let ticket else { return }
            judge(.lost(event.reason ?? "the layer is gone"), ticket: ticket, now: now, random: &random)
        case .behind:
            close(id)
            try beginCycle()
        case .closing:
            guard ticket != nil else { return close(id) }
            fail(.unreachable("the server is stopping"), now: now, random: &random)
        }
    }

    mutating func streamEnded(
        _ id: StreamID, _ failure: SyncFailure?, now: Timestamp, random: inout some RandomNumberGenerator
    ) {
        if id == oldStream {
            oldStream = nil
            return
        }
        guard let ended = stream, ended.id == id else { return }
        stream = nil
        if case .epochChanged = failure { return perform(session.doubted()) }
        judge(
            failure ?? .unreachable("the connection was closed"), ticket: ended.ticket, now: now, random: &random)
    }

    private mutating func close(_ id: StreamID) {
        if id == oldStream { oldStream = nil }
        if id == stream?.id { stream = nil }
        effects.append(.closeStream(id))
    }

    mutating func closeStreams() {
        for id in [oldStream, stream?.id].compactMap(\.self) { effects.append(.closeStream(id)) }
        oldStream = nil
        stream = nil
    }
}
