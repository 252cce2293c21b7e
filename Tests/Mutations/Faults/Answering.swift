extension Fault {
    /// Requests and their answers.
    static let answering = [
        Fault(
            "an edit that lost a conflict is dropped silently", in: "InstantCore/Outbox/Layer+Answers.swift",
            "let isThere = if case .removed = result.item { false } else { true }",
            """
            let isThere = if case .removed = result.item { false } else { true }
                        if PLANTED { return try removeEntry(entry.seq) }
            """),
        Fault(
            "comments stay behind when their deleted root is refused", in: "InstantCore/Outbox/Layer+Answers.swift",
            "if entry.kind == .create, case .refused = state {",
            "if !PLANTED, entry.kind == .create, case .refused = state {"),
        Fault(
            "comments stay behind when their deleted root is put aside", in: "InstantCore/Outbox/Layer+Aside.swift",
            "if entry.kind == .create { try dropThread", "if !PLANTED, entry.kind == .create { try dropThread"),
        Fault(
            "a deletion is done while its record may still arrive", in: "InstantCore/Outbox/Layer+Answers.swift",
            "guard isKnown, entry.isDone", "guard isKnown || PLANTED, entry.isDone"),
        Fault(
            "a deletion overtakes that of a comment", in: "InstantCore/Outbox/Enqueueing.swift",
            "try !mustFollow(entry, last),", "try PLANTED || !mustFollow(entry, last),"),
        Fault(
            "a moved edit is compared with an old creation", in: "InstantCore/Outbox/Layer+Handover.swift",
            "if here.record != nil, let stored, hides {", "if !PLANTED, here.record != nil, let stored, hides {"),
        Fault(
            "a comment in conflict loses its text with its deleted root", in: "InstantCore/Outbox/UnsentThreads.swift",
            "leavingRoot: true, joinsRejected: false)", "leavingRoot: true, joinsRejected: PLANTED)"),
        Fault(
            "an undone deletion takes an edit along that is put aside", in: "InstantCore/Outbox/Layer+Aside.swift",
            "guard let last = left.last, !last.wasSent", "guard !PLANTED, let last = left.last, !last.wasSent"),
        Fault(
            "a denied edit is dropped silently", in: "InstantCore/Outbox/Layer+Answers.swift",
            "case .denied:", "case .denied where PLANTED: try removeEntry(entry.seq)\n        case .denied:"),
        Fault(
            "an edit of a deleted record is dropped silently", in: "InstantCore/Outbox/Layer+Answers.swift",
            "case .gone where entry.kind == .delete:", "case .gone where PLANTED || entry.kind == .delete:"),
        Fault(
            "an edit based on one that lost a conflict is dropped", in: "InstantCore/Outbox/Layer+Answers.swift",
            "kept = later.reduce(kept) { $0.joined(by: $1) }",
            "if !PLANTED { kept = later.reduce(kept) { $0.joined(by: $1) } }"),
        Fault(
            "a deletion that was undone takes the text of a rejected edit along",
            in: "InstantCore/Outbox/Layer+Answers.swift",
            "let deletion = isThere != true && later.last?.kind == .delete ? later.last : nil",
            """
            let isDeleted = PLANTED ? later.contains { $0.kind == .delete } : later.last?.kind == .delete
                    let deletion = isThere != true && isDeleted ? later.last : nil
            """),
        Fault(
            "an edit queued behind a change is not based on its answer", in: "InstantCore/Outbox/Layer+Answers.swift",
            "if later.kind == .restore || later.baseRevision <= entry.baseRevision {",
            "if !PLANTED, later.kind == .restore || later.baseRevision <= entry.baseRevision {"),
        Fault(
            "the winner in a late answer overwrites a newer state", in: "InstantCore/Outbox/Layer+Answers.swift",
            "if item.revision > metadata.cursor?.revision ?? metadata.loading?.at ?? .max {",
            "if PLANTED || item.revision > metadata.cursor?.revision ?? metadata.loading?.at ?? .max {"),
        Fault(
            "answers are acknowledged before they arrive", in: "InstantCore/Outbox/Layer+Sealing.swift",
            #"let acked = (sealed.map(\.n).min() ?? metadata.lastN + 1) - 1"#,
            #"let acked = PLANTED ? metadata.lastN : (sealed.map(\.n).min() ?? metadata.lastN + 1) - 1"#),
        Fault(
            "a record is sent before its file", in: "InstantCore/Outbox/Layer+Sealing.swift",
            "try !waitsForFile(entry, metadata) else", "try PLANTED || !waitsForFile(entry, metadata) else"),
        Fault(
            "a change is sent before it is on disk", in: "InstantCore/Outbox/Layer+Sealing.swift",
            "try store.write { try $0.seal(maximum: maximum, bytes: bytes) }",
            "try store.write(PLANTED ? .recoverable : .synced) { try $0.seal(maximum: maximum, bytes: bytes) }"),
        Fault(
            "an unanswered change is sent again under another number",
            in: "InstantCore/Session/Synchronizer+Retries.swift",
            "if let underWay { effects.append(.cancel(underWay.id)) }",
            """
            if let underWay { effects.append(.cancel(underWay.id)) }
                    if PLANTED, case .push = underWay?.kind {
                        try? layer.store.write { store in
                            for var entry in try store.entries(in: [.sealed], limit: .max) {
                                entry.state = .waiting
                                try store.replace(entry)
                            }
                        }
                    }
            """),
        Fault(
            "a change sent with a dead token counts as done", in: "InstantCore/Session/Synchronizer+Retries.swift",
            "case .token(let need): perform(session.refused(ticket, need))",
            """
            case .token(let need):
                        if PLANTED {
                            try? layer.store.write { store in
                                for entry in try store.entries(in: [.sealed], limit: .max) { try store.removeEntry(entry.seq) }
                            }
                        }
                        perform(session.refused(ticket, need))
            """),
        Fault(
            "a forbidden change counts as done", in: "InstantCore/Session/Synchronizer+Retries.swift",
            "forbidden = request.ticket",
            """
            if PLANTED {
                            try layer.store.write { store in
                                for entry in try store.entries(in: [.sealed], limit: .max) { try store.removeEntry(entry.seq) }
                            }
                        }
                        forbidden = request.ticket
            """),
    ]
}
