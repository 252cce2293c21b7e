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

    /// Whether presence may be sent: only once the live channel has delivered something. The end of a channel ends the
    /// presence of its session, so presence sent outside a channel would disappear with the old one and then reappear.
    var canTell: Bool { session.dataTicket != nil && stream.current?.wasHeard == true }

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
