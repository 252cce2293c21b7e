extension Fault {
    /// Local edits.
    static let editing = [
        Fault(
            "an edit is merged into one that is in transit", in: "InstantCore/Outbox/Enqueueing.swift",
            [
                Place(
                    code: "$0.stage != .applied && $0.stage != .sealed && !(",
                    faulty: "$0.stage != .applied && (PLANTED || $0.stage != .sealed) && !("),
                Place(
                    code: "case .sealed, .applied: return nil",
                    faulty: "case .sealed where PLANTED: break\n        case .sealed, .applied: return nil"),
                Place(
                    code: "(entry.state, entry.isAside) = (.waiting, false)",
                    faulty: "if !(PLANTED && stage == .sealed) { (entry.state, entry.isAside) = (.waiting, false) }"),
            ]),
        Fault(
            "what may be on the server is cancelled out", in: "InstantCore/Outbox/Enqueueing.swift",
            "if let last, !last.wasSent ||", "if let last, PLANTED || !last.wasSent ||"),
        Fault(
            "a creation that may be on the server is cancelled out when it is put aside",
            in: "InstantCore/Outbox/Layer+Aside.swift", "later.kind != .delete || !entry.wasSent",
            "PLANTED || later.kind != .delete || !entry.wasSent"),
        Fault(
            "a deletion that was only appended forgets the text before it",
            in: "InstantCore/Outbox/Layer+Aside.swift", "if last.kind == .update, next.kind == .delete",
            "if !PLANTED, last.kind == .update, next.kind == .delete"),
        Fault(
            "a creation takes the place of a later edit of the store that receives it",
            in: "InstantCore/Outbox/Layer+Handover.swift", "(stored != nil || there.contains",
            "(stored != nil || !PLANTED && there.contains"),
        Fault(
            "an edit that was applied is sent again because its answer was lost",
            in: "InstantCore/Outbox/Layer+Answers.swift",
            "if let revision { return try applied(entry, revision: revision, cursor: metadata.cursor) }",
            "if !PLANTED, let revision { return try applied(entry, revision: revision, cursor: metadata.cursor) }"),
        Fault(
            "a root that was to go with a comment stays hidden", in: "InstantCore/Outbox/Layer+Aside.swift",
            "changes.touch(later)", "if !PLANTED { changes.touch(later) }"),
        Fault(
            "an edit is sent before the one that is put aside", in: "InstantCore/Outbox/Enqueueing.swift",
            "receipt.seq = try append(waitingBehindAsides(entry)).seq",
            "receipt.seq = try append(PLANTED ? entry : waitingBehindAsides(entry)).seq"),
        Fault(
            "what waits behind a mended edit stays put aside", in: "InstantCore/Outbox/Layer+Aside.swift",
            "if former.isAside { others =", "if former.isAside, !PLANTED { others ="),
        Fault(
            "a comment is sent before its root", in: "InstantCore/Outbox/Layer+Sealing.swift",
            "|| isBeforeItsRoot(entry) {", "|| !PLANTED && isBeforeItsRoot(entry) {"),
        Fault(
            "an undo forgets a text that never arrived", in: "InstantCore/Outbox/Layer+Aside.swift",
            "if entry.kind == .update { merged.content = later.content ?? entry.content }",
            "if entry.kind == .update, !PLANTED { merged.content = later.content ?? entry.content }"),
        Fault(
            "undoing a deletion that never arrived forgets the text before it",
            in: "InstantCore/Outbox/Enqueueing.swift",
            "guard let text = later.content ?? content else", "guard !PLANTED, let text = later.content ?? content else"
        ),
        Fault(
            "a number is used up without the right to write", in: "InstantCore/Outbox/Layer+Aside.swift",
            "guard metadata.grant?.mayWrite == true, metadata.clientID",
            "guard PLANTED || metadata.grant?.mayWrite == true, metadata.clientID"),
        Fault(
            "an edit from another store replaces one that was made here",
            in: "InstantCore/Outbox/Layer+Handover.swift",
            "guard first.kind == .update || first.kind == .delete else { break }",
            "guard !PLANTED, first.kind == .update || first.kind == .delete else { break }"),
        Fault(
            "an edit that was received before comes again", in: "InstantCore/Outbox/Layer+Handover.swift",
            "if isThere || first.isDone(in: here.record, by: metadata.identity.userID) {",
            "if !PLANTED, isThere || first.isDone(in: here.record, by: metadata.identity.userID) {"),
        Fault(
            "undoing a resolution drops the user's version", in: "InstantCore/Outbox/Layer+Undo.swift",
            "undone.resolved = try receipt.resolved.map {",
            "undone.resolved = try (PLANTED ? nil : receipt.resolved).map {"),
        Fault(
            "a new record loses its group", in: "InstantCore/Layer/Layer+Editing.swift",
            "return try enqueue(.create, id, content: stamped, group: group,",
            "return try enqueue(.create, id, content: stamped, group: PLANTED ? nil : group,"),
        Fault(
            "an edit loses the author of a record until it was sent", in: "InstantCore/Outbox/Overlay.swift",
            "guard kind == .update, let record else { return self }",
            "guard !PLANTED, kind == .update, let record else { return self }"),
        Fault(
            "a deletion that is dropped leaves its undo behind", in: "InstantCore/Outbox/Layer+Conflicts.swift",
            "if entry.kind == .delete, entry.isUnsealed {", "if !PLANTED, entry.kind == .delete, entry.isUnsealed {"),
        Fault(
            "undoing a deletion after it was sent forgets the text before it that never arrived",
            in: "InstantCore/Outbox/Layer+Undo.swift",
            "else { return deletion.unanswered == .update }",
            "else { return !PLANTED && deletion.unanswered == .update }"),
        Fault(
            "a note that never arrived and was deleted cannot be brought back",
            in: "InstantCore/Outbox/Layer+Undo.swift",
            "guard deletion.kind == .delete, deletion.unanswered == .create,",
            "guard !PLANTED, deletion.kind == .delete, deletion.unanswered == .create,"),
        Fault(
            "an undo overwrites someone else's later change", in: "InstantCore/Outbox/Layer+Undo.swift",
            "guard wasOurs else {", "guard PLANTED || wasOurs else {"),
        Fault(
            "an undo deletes other people's comments", in: "InstantCore/Outbox/Layer+Undo.swift",
            "guard !others else {", "guard PLANTED || !others else {"),
        Fault(
            "a last comment deletes a root that the user was not told about", in: "InstantCore/Outbox/Enqueueing.swift",
            "if planned.record.contentType == .comments { return Change.leavesRoot }",
            "if planned.record.contentType == .comments { return PLANTED ? nil : Change.leavesRoot }"),
        Fault(
            "a root that the server kept stays hidden", in: "InstantCore/Layer/LayerChanges.swift",
            "if let root = entry.takenRoot { touch(root) }",
            "if !PLANTED, let root = entry.takenRoot { touch(root) }"),
        Fault(
            "comments whose root is gone are not shown", in: "InstantCore/Outbox/Overlay.swift",
            "if let thread = try threadSummary(under: id),", "if !PLANTED, let thread = try threadSummary(under: id),"),
        Fault(
            "a heading stays when its last comment has become another record", in: "InstantCore/Outbox/Overlay.swift",
            "let former = try root(ofShown: id)", "let former = PLANTED ? nil : try root(ofShown: id)"),
        Fault(
            "comments are sent under a parked root", in: "InstantCore/Outbox/UnsentThreads.swift",
            "if case .parked(let why) = entry.state { return why }",
            "if !PLANTED, case .parked(let why) = entry.state { return why }"),
        Fault(
            "a restore and a deletion cancel out although it is there", in: "InstantCore/Outbox/Enqueueing.swift",
            "case (.restore, .delete) where isStored: return nil",
            "case (.restore, .delete) where isStored && !PLANTED: return nil"),
        Fault(
            "a deletion in conflict hides a root that another deletion leaves",
            in: "InstantCore/Layer/Layer+Deleting.swift",
            "try deletionInEffect(of: $0.id)?.seq == $0.seq",
            "try PLANTED && $0.kind == .delete ? isBeingDeleted($0.id) : deletionInEffect(of: $0.id)?.seq == $0.seq"),
    ]
}
