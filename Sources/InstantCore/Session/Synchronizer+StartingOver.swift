import Annotations
import Authorization
import SyncProtocol

/// When the cursor is no good any more, and whether what is here is what the server holds.
extension Synchronizer {
    /// The queue is kept, the session asked again, then a snapshot loaded beside the old rows.
    mutating func startOver() { mustStartOver = true }

    /// - Throws: ``InvalidServerData`` when the server sends us round in circles: then back-off, visibly.
    mutating func allowStartingOver(for answer: SessionAnswer, ticket: TokenHandle, now: Timestamp) throws {
        if acceptedToken != ticket { resets.tokenChanged() }
        let before = try epoch ?? layer.metadata().cursor?.epoch ?? ""
        let isMoved = epoch.map { !$0.isExactly(answer.epoch) } ?? false
        guard mustStartOver || isMoved else { return }
        guard resets.allows(from: before, to: answer.epoch, at: now) else {
            mustStartOver = false
            throw InvalidServerData("the server keeps asking to start over")
        }
    }

    /// What is here against what the server says it holds for this view.
    mutating func take(_ answer: DigestAnswer, now: Timestamp) throws {
        guard let report = try layer.compare(with: answer) else {
            // The layer moved on between the two: catch up and ask again, but not for ever.
            isCaughtUp = false
            if integrity.missed() { try noteCheck(nil, now: now) }
            return
        }
        try noteCheck(report, now: now)
        if !report.isSound { startOver() }
    }

    /// - Parameter report: nil when nobody can say.
    mutating func noteCheck(_ report: IntegrityReport?, now: Timestamp) throws {
        integrity.compared(at: now)
        try layer.noteCheck(at: now)
        effects.append(.announce(.checked(report)))
    }

    mutating func watchExpiry(of answer: SessionAnswer, ticket: TokenHandle, now: Timestamp) {
        let (end, offset) = (answer.grant.expiresAt, answer.now - now)
        if expiry?.ticket == ticket {
            expiry?.answered(end: end, offset: offset)
        } else {
            expiry = ExpiryWatch(ticket, end: end, offset: offset)
        }
    }
}
