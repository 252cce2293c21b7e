import Annotations
import SyncProtocol

/// Signs of life, beside the requests for records: none of them ever waits for one.
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

    /// Only who listens is here, from the first word of the channel on: its end is the end of what was said under its
    /// session. Whoever told of itself beside it would leave with the channel and be back a moment later.
    var canTell: Bool { session.dataTicket != nil && stream.current?.wasHeard == true }

    mutating func take(_ answer: PresenceAnswer, to id: Int) {
        guard id == presenceRequest else { return }
        presenceRequest = nil
        presence.answered(answer)
    }

    /// - Returns: whether it was a sign of life that failed.
    mutating func presenceFailed(_ id: Int, _ failure: SyncFailure, now: Timestamp) -> Bool {
        guard id == presenceRequest else { return false }
        presenceRequest = nil
        presence.failed(failure, at: now)
        return true
    }
}
