import Annotations
import Authorization
import Instant
import InstantCore

extension LayerSession {
    /// Sends the edits and waits until the server has answered for each of these records.
    ///
    /// With `--offline` nothing is sent. If the server becomes unreachable meanwhile, the edits stay local until the
    /// next sync.
    ///
    /// - Returns: One outcome for each record, in their order.
    /// - Throws: ``CommandFailure`` with ``ExitStatus/unconfirmed`` if the edits wait.
    func deliver(_ ids: [Record.ID]) async throws -> [EditOutcome] {
        if tokens != nil, !ids.isEmpty {
            let wanted = Set(ids.map(ByteOrdered.init))
            do {
                try await follow(until: { _ in try !isWaiting(for: wanted) }, start: { $0.sync() })
            } catch let failure as CommandFailure { throw unconfirmed(failure) }
            // The client may hear of its edits before the engine has them on disk.
            try await own?.settle()
        }
        return try ids.map(outcome(of:))
    }

    /// Delivers edits for commands that print nothing on success.
    ///
    /// - Parameter what: What did not happen, such as "not changed".
    /// - Throws: ``CommandFailure`` with every failed record and the reason.
    func deliverOrExplain(_ ids: [Record.ID], _ what: String) async throws {
        let outcomes = try await deliver(ids)
        let problems = zip(ids, outcomes).filter { $0.1.exit != .done }
        guard problems.isEmpty else {
            let lines = problems.map { "\($0.0): \(what): \($0.1.reason ?? "")" }
            let failure = CommandFailure(lines.joined(separator: "\n") + "\nSee postilla conflicts", outcomes.exit)
            throw await finish(despite: failure, outcomes)
        }
        if outcomes.contains(.waiting) { Self.tellThatItWaits() }
    }

    /// Adds to the failure that the edit is stored, so that the user does not enter it again.
    private func unconfirmed(_ failure: CommandFailure) -> CommandFailure {
        guard [.unreachable, .stale, .unconfirmed].contains(failure.status) else { return failure }
        guard own != nil else {
            return CommandFailure(
                failure.message + "; the edit is stored on this machine and sent by the next sync", .unconfirmed)
        }
        // To try again would make the edit twice.
        let why =
            failure.status == .unreachable ? "the engine for PDFs on this machine has ended" : failure.message
        return CommandFailure(
            why + "; the edit waits on this machine, and the next command on this PDF tries again", .unconfirmed)
    }

    /// Ends a command that has edited: writes its changes, if the layer is that of a PDF.
    ///
    /// - Parameter decided: The record whose conflict the command has decided.
    /// - Throws: ``CommandFailure``, `unconfirmed` if the engine ended meanwhile: the edits are stored.
    func finish(decided: Record.ID? = nil) async throws {
        do { try await own?.finish(decided: decided) } catch let failure as CommandFailure {
            throw unconfirmed(failure)
        }
    }

    /// Ends a command that has edited, and reports what it did also if the PDF cannot be written.
    ///
    /// - Parameter report: Gets whether the edits are where they belong. Otherwise they are kept.
    func finish(andReport report: (_ isWritten: Bool) throws -> Void) async throws {
        do { try await finish() } catch {
            var failure = CommandFailure(reading: error)
            do { try report(false) } catch { failure.message += "\n" + CommandFailure(reading: error).message }
            throw failure
        }
        try report(true)
    }

    /// Ends a command that has made a record, and writes its id, also if the PDF cannot be written.
    func finish(having id: Record.ID) async throws {
        try await finish { isWritten in try Output.made(id, leaves: isWritten) }
    }

    /// Delivers one new record for a command that prints its id. If it waits, the id is printed with the failure.
    ///
    /// - Returns: What the body returns.
    func naming<Result>(_ id: Record.ID, _ deliver: () async throws -> Result) async throws -> Result {
        do { return try await deliver() } catch var failure as CommandFailure {
            if failure.status == .unconfirmed {
                do { try Output.made(id, leaves: false) } catch { failure.message += "\n" + error.message }
            }
            throw failure
        }
    }

    /// Answers one line of several. If the answer cannot be written, what was edited so far is written like other edits, and the
    /// program ends.
    func answer(_ json: String) async {
        do { try Output.answer(json) } catch let problem {
            do { try await finish() } catch { Output.failure(CommandFailure(reading: error).message) }
            Output.leave(because: problem)
        }
    }

    /// Ends a command of several edits of which some failed: those that were made are written like others.
    ///
    /// - Parameter failure: Why the command fails.
    /// - Returns: the failure, with that of the write if there is one.
    func finish(despite failure: CommandFailure, _ outcomes: [EditOutcome]) async -> CommandFailure {
        guard own != nil, outcomes.contains(.applied) else { return failure }
        do { try await finish() } catch {
            var both = failure
            both.message += "\n" + CommandFailure(reading: error).message
            return both
        }
        return failure
    }

    static func tellThatItWaits() { Output.message("stored on this machine, to be sent by the next sync") }

    private func isWaiting(for ids: Set<ByteOrdered>) throws -> Bool {
        // Another process may have parked them: they wait until this one leads, and the server has accepted its token.
        let stages: Set<OutboxEntry.Stage> = decides ? [.waiting, .sealed] : [.waiting, .sealed, .parked]
        return try descriptor.layer.store.read { store in
            let tally = try store.tally()
            guard stages.contains(where: { tally[$0, default: 0] > 0 }) else { return false }
            return try store.entries(in: stages, limit: .max).contains { ids.contains(ByteOrdered($0.id)) }
        }
    }

    /// Whether an edit is parked by the token of this process, not by that of another one.
    private var decides: Bool { tokens == nil || descriptor.status.connection == .live }

    /// Returns the state of a record's edits.
    func outcome(of id: Record.ID) throws -> EditOutcome {
        let (grant, decides) = (descriptor.status.grant, decides)
        return try descriptor.layer.store.read { store in
            for entry in try store.entries(of: id) {
                switch entry.state {
                case .waiting, .sealed: return .waiting
                case .parked(let why): return decides ? .denied(why) : .waiting
                case .conflict(let why): return .conflict(why)
                case .refused(let why): return entry.isDenied(by: grant) ? .denied(why) : .invalid(why)
                case .applied: break
                }
            }
            return .applied
        }
    }

    /// The outcome for a line that says what became of an edit.
    ///
    /// - Parameter isSettled: whether ``deliver(_:)`` succeeded. Otherwise the engine of a PDF may have an edit, but not yet
    ///   on disk.
    func answer(for id: Record.ID, isSettled: Bool) throws -> EditOutcome {
        let outcome = try outcome(of: id)
        return own != nil && !isSettled && outcome == .applied ? .waiting : outcome
    }

    /// Drops failed edits: their author has been notified and has the text.
    func dropFailed(_ ids: [Record.ID]) throws {
        let wanted = Set(ids.map(ByteOrdered.init))
        for entry in try descriptor.layer.outbox() where wanted.contains(ByteOrdered(entry.id)) {
            if [.refused, .conflict].contains(entry.stage) { try descriptor.discard(entry.seq) }
        }
    }

    /// Returns the author for new records: the token's, else `--author`, else the remembered one; else it prompts once.
    ///
    /// - Throws: ``CommandFailure`` when the token may not write, which is checked first, or no prompt is possible.
    func author(_ given: String?) throws -> String? {
        guard let grant = descriptor.status.grant else { throw EditError.noGrant }
        guard grant.mayWrite else { throw CommandFailure("\(Denial.lacks(.write))", .notPermitted) }
        if grant.creatorName != nil { return given }
        if own != nil, let name = try given ?? OwnFileSession.chosenAuthor() { return name }
        if let name = given ?? client.rememberedAuthor { return name }
        guard StandardInput.isTerminal, Output.isTerminal else {
            throw CommandFailure("no author: the token names none; use --author NAME", .usage)
        }
        Output.prompt("Your name, shown on your annotations: ")
        guard let name = try StandardInput.shared.line()?.trimmed, !name.isEmpty else {
            throw CommandFailure("a new annotation needs an author; use --author NAME", .usage)
        }
        client.rememberedAuthor = name
        return name
    }
}

extension OutboxEntry {
    /// Whether the stored grant lacks a right; otherwise the server found the content invalid.
    fileprivate func isDenied(by grant: Grant?) -> Bool {
        guard let grant else { return true }
        let subject = base.map { Subject($0) } ?? Subject(.annotations, createdBy: grant.userID, group: group)
        let operation: Operation =
            switch kind {
            case .create: .createAnnotation(group: group)
            case .update, .restore: base.map { .editing($0) } ?? .edit(subject)
            case .delete: .delete(subject)
            }
        return !grant.decide(operation).isAllowed
    }
}
