extension Fault {
    /// Tokens, connections and the course of a sync.
    static let session = [
        Fault(
            "an answer for another user is accepted", in: "InstantCore/Layer/Layer+Session.swift",
            "userID.isExactly(grant.userID)", "PLANTED || userID.isExactly(grant.userID)"),
        Fault(
            "a dead token is tried again and again", in: "InstantCore/Session/SessionMachine.swift",
            "case .connecting(ticket), .live(ticket), .waiting(ticket, _, _):",
            """
            case .connecting(ticket) where PLANTED, .live(ticket) where PLANTED:
                        state = .waiting(ticket, until: Timestamp(milliseconds: 0), wasAccepted: true)
                        return [.closeStream]
                    case .connecting(ticket), .live(ticket), .waiting(ticket, _, _):
            """),
        Fault(
            "a failed connection is never retried", in: "InstantCore/Session/SessionMachine.swift",
            "guard case .waiting(let ticket, _, let wasAccepted) = state else { return [] }\n        state = wasAccepted",
            "guard !PLANTED, case .waiting(let ticket, _, let wasAccepted) = state else { return [] }\n        state = wasAccepted"
        ),
        Fault(
            "a failed sync is never reported as ended", in: "InstantCore/Session/LayerMachine.swift",
            "return move(to: rest(backlog)) + [.announceFailure]",
            "return move(to: rest(backlog)) + (PLANTED ? [] : [.announceFailure])"),
        Fault(
            "receiving waits for sending", in: "InstantCore/Session/Synchronizer+Retries.swift",
            "            pauseSending(failure, now: now, random: &random)",
            """
                        if PLANTED { return fail(failure, now: now, random: &random) }
                        pauseSending(failure, now: now, random: &random)
            """),
        Fault(
            "edits wait for an upload", in: "InstantCore/Session/Synchronizer+Requests.swift",
            "                if case .upload = kind {\n", "                if case .upload = kind, !PLANTED {\n"),
        Fault(
            "a push that stands still is repeated as it is", in: "InstantCore/Session/Synchronizer+Retries.swift",
            "            pushSize.stalled(pushed)", "            if !PLANTED { pushSize.stalled(pushed) }"),
        Fault(
            "what others wrote after a push is dropped", in: "InstantCore/Session/Synchronizer+Stream.swift",
            "        held.append((id, change))", "        if !PLANTED { held.append((id, change)) }"),
        Fault(
            "a pull follows a change that overtook an answer", in: "InstantCore/Session/Synchronizer+Stream.swift",
            "if isPushing, let cursor", "if isPushing, !PLANTED, let cursor"),
        Fault(
            "an answer refers to another content", in: "SyncProtocol/SentContents.swift",
            "changes[n]?.content == record.content else", "PLANTED || changes[n]?.content == record.content else"),
        Fault(
            "what is left out counts as received", in: "SyncProtocol/LiveEvent.swift",
            "(isOmitted && revision > cursor)", "(isOmitted && !PLANTED && revision > cursor)"),
        Fault(
            "a client is not told what the answer to its push lacks", in: "EngineCore/Writing/PushProcessor.swift",
            "if delta.upTo >= commit.layer.head {", "if PLANTED || delta.upTo >= commit.layer.head {"),
        Fault(
            "a sync that waits for the session never ends", in: "InstantCore/Session/Synchronizer+Retries.swift",
            "default: if isSyncWanted {", "default: if isSyncWanted, !PLANTED {"),
        Fault(
            "a process gives way in the middle of a slow request", in: "InstantCore/Session/Synchronizer+Leading.swift",
            "(hasMoved ? max(patience, Self.movingPatience) : patience)",
            "(hasMoved && !PLANTED ? max(patience, Self.movingPatience) : patience)"),
        Fault(
            "a long upload is not told to other processes", in: "InstantCore/Session/UploadSearch.swift",
            "guard !hasToldOfUpload,", "guard !PLANTED, !hasToldOfUpload,"),
        Fault(
            "a pause whose timer is late never ends", in: "InstantCore/Session/Synchronizer.swift",
            "if isRetryDue, pushDelay != nil { try sendAfterPause() }",
            "if isRetryDue, pushDelay != nil, !PLANTED || input == .woke { try sendAfterPause() }"),
        Fault(
            "the part that did not fit into an answer is not requested",
            in: "InstantCore/Session/Synchronizer+Requests.swift",
            "isCaughtUp = answer.delta.map { !$0.more } ?? false",
            "isCaughtUp = PLANTED || answer.delta.map { !$0.more } ?? false"),
        Fault(
            "a server that requests endless resets is followed", in: "InstantCore/Session/ResetLedger.swift",
            [
                Place(
                    code: "guard entries.count < Self.maxCount,",
                    faulty: "guard PLANTED || entries.count < Self.maxCount,"),
                Place(
                    code: "!entries.contains(where: { $0.from",
                    faulty: "PLANTED || !entries.contains(where: { $0.from"),
            ]),
        Fault(
            "a silent stream is never closed", in: "InstantCore/Session/StreamMachine.swift",
            "return current.lastHeard + Self.silenceTimeout <= now ? .dead : nil",
            "return !PLANTED && current.lastHeard + Self.silenceTimeout <= now ? .dead : nil"),
    ]
}
