import Annotations
import SyncProtocol

/// Presence messages. They are sent independently of record requests, which never wait for them.
extension Synchronizer {
    mutating func updatePresence(now: Timestamp) {
        if hasStream, stream.current == nil { presence.cutOff() }
        hasStream = stream.current != nil
        if canTell, let ticket = session.dataTicket, let sign = presence.sign(at: now) {
            let request = SyncRequest(id: number(), ticket: ticket, kind: .presence(sign))
            presenceRequest = request.id
            effects.append(.send(request))
        }
        if let news = presence.takeChanges() { effects.append(.announce(.presence(news))) }
    }

    /// Whether presence may be sent: only once the live channel has delivered something. Presence sent outside a channel
    /// would end some seconds after the old one, and then reappear. A departure needs no channel.
    var canTell: Bool {
        session.dataTicket != nil && (stream.current?.wasHeard == true || presence.isLeaving)
    }

    /// Whether the server is still to be told that this session leaves.
    package var isLeaving: Bool { session.dataTicket != nil && presence.isLeaving }

    mutating func take(_ answer: PresenceAnswer, to id: Int) {
        guard id == presenceRequest else { return }
        presenceRequest = nil
        presence.answered(answer)
    }

    /// - Returns: Whether the failed request was a presence message.
    mutating func presenceFailed(_ id: Int, _ failure: SyncFailure, now: Timestamp) -> Bool {
        guard id == presenceRequest else { return false }
        presenceRequest = nil
        presence.failed(failure, at: now)
        return true
    }
}
