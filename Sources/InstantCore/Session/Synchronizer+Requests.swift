import Annotations
import SyncProtocol

/// Selects the next request and handles its response.
extension Synchronizer {
    /// Sends the next record request if the cycle needs one and none is in flight.
    mutating func pump(now: Timestamp) throws {
        guard isLeading else { return try updateFollowing(now: now) }
        guard underWay == nil else { return }
        // A new leader does not know the state of the layer either.
        if mustStartOver || epoch == nil, sessionRequest == nil { perform(session.invalidated()) }
        while !mustStartOver, let ticket = session.dataTicket, let epoch, cycle.isSyncing {
            if let kind = try nextRequest(epoch: epoch, now: now) {
                let request = SyncRequest(id: number(), ticket: ticket, kind: kind)
                effects.append(.send(request))
                if case .upload = kind {
                    (uploadUnderWay, uploadSince) = (request, now)
                    continue
                }
                if case .push = kind { unsentSince = nil }
                (underWay, underWaySince) = (request, now)
                return
            }
            if cycle.state == .sendingChanges {
                if mayPush(), search.suspect == nil, uploadUnderWay == nil || pushAt == nil { search = SendingSearch() }
                if uploadUnderWay != nil, mayPush() { return }
                if mayPush(), let failure = uploads.skipped.values.first {
                    // No other file is left to try.
                    uploads.giveUp()
                    pauseSending(failure, for: Self.pauseForFiles, now: now)
                }
                perform(cycle.sent())
            } else {
                try layer.noteSync(at: now)
                // While listening, only the stream confirms the connection.
                if !isListening { session.succeeded() }
                isCaughtUp = false
                patience = Self.firstPatience
                let failure = try unsentBecause()
                perform(
                    cycle.received(backlog: try backlog(), isUnsent: failure != nil),
                    failure: failure)
            }
        }
    }

    /// Milliseconds.
    private static let pauseForFiles: Int64 = 5000

    /// Returns the next request of this half of the cycle; nil if it is complete.
    private mutating func nextRequest(epoch: String, now: Timestamp) throws -> SyncRequest.Kind? {
        if cycle.state == .sendingChanges {
            guard mayPush() else { return nil }
            if let suspect = search.suspect {
                if let filler = try layer.filler(of: suspect.n, clientID: suspect.clientID) { return .push(filler) }
                search.suspect = nil
            }
            // Beside an upload, an edit waits for the next one as it does without.
            let isEarly = uploadUnderWay != nil && pushAt != nil
            let limit = min(batchLimit, search.limit)
            if !isEarly, let push = try layer.seal(maximum: limit, bytes: pushSize.limit) { return .push(push) }
            guard uploadUnderWay == nil else { return try nextReceipt(epoch: epoch) }
            return try layer.nextUpload(except: Set(uploads.skipped.keys)).map { .upload($0) }
        }
        if let receipt = try nextReceipt(epoch: epoch) { return receipt }
        let metadata = try layer.metadata()
        guard let cursor = metadata.cursor else { return nil }
        return integrity.isDue(lastCheck: metadata.checkedAt, at: now) ? .digest(epoch: cursor.epoch) : nil
    }

    /// Returns the next request for what others have written; nil at the server's head.
    private func nextReceipt(epoch: String) throws -> SyncRequest.Kind? {
        if let page = try layer.nextPage(epoch: epoch) { return .page(page) }
        guard !isCaughtUp, let cursor = try layer.metadata().cursor else { return nil }
        return .pull(cursor)
    }

    /// Whether the server accepts pushes with the current token.
    func mayPush() -> Bool { session.dataTicket != nil && session.dataTicket != forbidden && !isPaused }

    /// Why edits are left that the token allows sending; nil if none are.
    private func unsentBecause() throws -> SyncFailure? {
        guard let pause, isPaused, session.dataTicket != forbidden, try layer.backlog() == .sendable else { return nil }
        return .notSent(pause.failure.description)
    }

    /// Returns the backlog that the current token may send.
    func backlog() throws -> Backlog { sendable(try layer.backlog()) }

    func sendable(_ backlog: Backlog) -> Backlog { backlog == .sendable && !mayPush() ? .kept : backlog }

    mutating func take(
        _ answer: SyncAnswer, to id: Int, now: Timestamp, random: inout some RandomNumberGenerator
    ) throws {
        if case .session(let answer) = answer {
            guard let request = sessionRequest, request.id == id else { return }
            sessionRequest = nil
            guard session.isAsking(about: request.ticket) else { return }
            if try !layer.fits(answer.grant) {
                try layer.check(answer.grant)
                misplaced = (answer, request.ticket)
                return effects.append(.useAlone(answer.grant))
            }
            if isLeading { return try accept(answer, ticket: request.ticket, now: now, random: &random) }
            if wantsToLead { return try follow(answer, ticket: request.ticket, now: now) }
            undecided = (answer, request.ticket)
            return
        }
        if case .presence(let answer) = answer { return take(answer, to: id) }
        if let upload = uploadUnderWay, upload.id == id {
            uploadEnded()
            guard case (.uploaded, .upload(let file)) = (answer, upload.kind) else {
                throw InvalidServerData("the response does not match the request")
            }
            return try uploaded(file)
        }
        guard let request = underWay, request.id == id else { return }
        underWay = nil
        switch (answer, request.kind) {
        case (.push(let answer), .push(let pushed)): try take(answer, to: pushed, now: now, random: &random)
        case (.delta(let delta), .pull(let cursor)): try take(delta, since: cursor)
        case (.page(let page), .page(let asked)):
            guard let epoch, page.epoch.isExactly(epoch) else { return startOver() }
            let changes = try layer.take(page, for: asked)
            isCaughtUp = false
            announce(changes)
            if changes.needsSnapshot { startOver() }
        case (.digest(let answer), .digest): try take(answer, now: now)
        default: throw InvalidServerData("the response does not match the request")
        }
    }

    mutating func accept(
        _ answer: SessionAnswer, ticket: TokenHandle, now: Timestamp, random: inout some RandomNumberGenerator
    ) throws {
        try allowStartingOver(for: answer, ticket: ticket, now: now)
        let accepted = try layer.accept(answer, seen: seenWhenAsked, now: now, newClientID: newName(now, &random))
        if mustStartOver { try layer.restartSnapshot() }
        if mustStartOver || accepted.isCursorLost { integrity.startedOver() }
        mustStartOver = false
        epoch = answer.epoch
        own(answer.grant, ticket: ticket)
        watchExpiry(of: answer, ticket: ticket, now: now)
        perform(session.sessionAnswered(ticket))
        announce(accepted.changes)
        if isListening, !hasRetriedAside {
            hasRetriedAside = true
            announce(try layer.retryAside())
        }
        if accepted.pdfReplaced { effects.append(.announce(.pdfReplaced)) }
        if let old = accepted.otherPDF { effects.append(.announce(.pdfChanged(from: old))) }
        isCaughtUp = false
        if !cycle.isSyncing { try beginCycle() }
    }

    private mutating func take(
        _ answer: PushAnswer, to pushed: PushRequest, now: Timestamp, random: inout some RandomNumberGenerator
    ) throws {
        dropPause()
        if pushed.isFiller, let result = answer.results.first, result.status != .gap {
            return try take(filler: result)
        }
        let changes = try layer.take(answer, to: pushed, newClientID: newName(now, &random))
        search.accepted()
        pushSize.accepted(pushed, after: underWaySince.map { now - $0 } ?? 0)
        uploads.accepted()
        try putRefusedFilesAside()
        announce(changes)
        if changes.startedAnew {
            try countFreshStart("the server keeps losing changes that were sent")
        } else if let first = pushed.changes.first, try layer.isSealed(n: first.n) {
            throw InvalidServerData("the server did not respond to a change")
        }
        if changes.needsSnapshot { return startOver() }
        isCaughtUp = answer.delta.map { !$0.more } ?? false
    }

    private mutating func take(_ delta: Delta, since cursor: Cursor) throws {
        guard !delta.more || delta.upTo > cursor.revision else {
            throw InvalidServerData("the server's changes do not end")
        }
        let changes = try layer.take(delta)
        announce(changes)
        if changes.needsSnapshot { return startOver() }
        isCaughtUp = !delta.more
    }

    mutating func countFreshStart(_ complaint: String) throws {
        freshStarts += 1
        if freshStarts > 1 { throw InvalidServerData(complaint) }
    }

    mutating func announce(_ changes: LayerChanges) {
        if !changes.ids.isEmpty || changes.startedAnew { effects.append(.announce(.changed(changes))) }
    }

    func newName(_ now: Timestamp, _ random: inout some RandomNumberGenerator) -> String {
        ULID.make(at: now, using: &random)
    }
}
