import Annotations
import Authorization
import SyncProtocol

/// Invalid cursors and integrity checks.
extension Synchronizer {
    /// Keeps the queue, requests the session again, and then loads a snapshot alongside the old rows.
    mutating func startOver() { mustStartOver = true }

    /// - Throws: ``InvalidServerData`` if the server keeps requesting resets; the client then backs off visibly.
    mutating func allowStartingOver(for answer: SessionAnswer, ticket: TokenHandle, now: Timestamp) throws {
        if acceptedToken != ticket { resets.tokenChanged() }
        let before = try epoch ?? layer.metadata().cursor?.epoch ?? ""
        let isMoved = epoch.map { !$0.isExactly(answer.epoch) } ?? false
        guard mustStartOver || isMoved else { return }
        guard resets.allows(from: before, to: answer.epoch, at: now) else {
            mustStartOver = false
            throw InvalidServerData("the server keeps requiring a full reload")
        }
    }

    /// Compares the local records with the server's digest for this view.
    mutating func take(_ answer: DigestAnswer, now: Timestamp) throws {
        guard let report = try layer.compare(with: answer) else {
            // The layer changed in between: catch up and compare again, a limited number of times.
            isCaughtUp = false
            if integrity.missed() { try noteCheck(nil, now: now) }
            return
        }
        try noteCheck(report, now: now)
        if !report.isSound { startOver() }
    }

    /// - Parameter report: nil if the result is inconclusive.
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
