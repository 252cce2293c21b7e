extension Fault {
    /// Permissions.
    static let permissions = [
        Fault(
            "an edit is accepted without the right to edit", in: "EngineCore/Writing/ChangeDecider.swift",
            "if case .denied(let denial) = grant.decide(edit)",
            "if !PLANTED, case .denied(let denial) = grant.decide(edit)"),
        Fault(
            "a record is moved to a group without the right to move it", in: "EngineCore/Writing/ChangeDecider.swift",
            "if !group.isExactly(stored.record.group),", "if !PLANTED, !group.isExactly(stored.record.group),"),
        Fault(
            "a deletion is accepted without the right to delete", in: "EngineCore/Writing/ChangeDecider.swift",
            "if case .denied(let denial) = grant.decide(.delete(stored.subject))",
            "if !PLANTED, case .denied(let denial) = grant.decide(.delete(stored.subject))"),
        Fault(
            "deleting the last comment deletes a root that its writer may not delete",
            in: "EngineCore/Writing/ChangeDecider.swift",
            "grant.decide(.delete(root.subject)).isAllowed", "PLANTED || grant.decide(.delete(root.subject)).isAllowed"),
        Fault(
            "anyone restores what anyone deleted", in: "EngineCore/Writing/ChangeDecider.swift",
            "guard removal.by.isExactly(grant.userID), removal.by != nil || removal.client == clientID else {",
            "guard PLANTED || (removal.by.isExactly(grant.userID) && (removal.by != nil || removal.client == clientID)) else {"
        ),
        Fault(
            "an annotation is created in a group without the right to",
            in: "EngineCore/Writing/ChangeDecider.swift",
            "if case .denied(let denial) = grant.decide(.createAnnotation(group: group))",
            "if !PLANTED, case .denied(let denial) = grant.decide(.createAnnotation(group: group))"),
        Fault(
            "a group that is left out is the null group", in: "EngineCore/Writing/ChangeDecider.swift",
            "let group = (change.group ?? grant.defaultGroup).orNull",
            "let group = (change.group ?? (PLANTED ? nil : grant.defaultGroup)).orNull"),
        Fault(
            "a change that leaves its group out moves the record", in: "EngineCore/Writing/ChangeDecider.swift",
            "change.group.map(\\.orNull) ?? stored.record.group",
            "change.group.map(\\.orNull) ?? (PLANTED ? nil : stored.record.group)"),
        Fault(
            "a token for a deleted document opens the next one", in: "EngineCore/Layers.swift",
            "try check(issuedAt, after: deletions.document, of: \"document\")",
            "if !PLANTED { try check(issuedAt, after: deletions.document, of: \"document\") }"),
        Fault(
            "a token for a deleted layer opens it if another one created it again", in: "EngineCore/Layers.swift",
            "try checkDeletions(of: key, issuedAt: issuedAt, in: store)",
            "if !PLANTED || layer == nil { try checkDeletions(of: key, issuedAt: issuedAt, in: store) }"),
        Fault(
            "changes are accepted from a read-only token", in: "EngineCore/Writing/PushProcessor.swift",
            "guard grant.mayWrite else {", "guard PLANTED || grant.mayWrite else {"),
        Fault(
            "a user continues under another user's client id", in: "EngineCore/Writing/PushProcessor.swift",
            "guard client.userID.isExactly(grant.userID) else {",
            "guard PLANTED || client.userID.isExactly(grant.userID) else {"),
        Fault(
            "client and server let the creator of a root reply without the right to",
            in: "Authorization/AccessDecision.swift",
            "if first, isOwn(root) { return", "if PLANTED || first, isOwn(root) { return"),
        Fault(
            "client and server ignore the right to choose a group", in: "Authorization/AccessDecision.swift",
            "guard collaboration != nil, !group.orNull.isExactly(defaultGroup) else",
            "guard !PLANTED, collaboration != nil, !group.orNull.isExactly(defaultGroup) else"),
        Fault(
            "an edit is made locally without the right to edit", in: "InstantCore/Layer/Layer+Editing.swift",
            "try grant.require(.editing(record))", "if !PLANTED { try grant.require(.editing(record)) }"),
        Fault(
            "an edit that a new token denies stays queued as if allowed", in: "InstantCore/Layer/Layer+Session.swift",
            "case .denied(let why): state = .parked(why.description)",
            "case .denied(let why): state = PLANTED ? .waiting : .parked(why.description)"),
        Fault(
            "a record that a new token hides stays visible", in: "InstantCore/Layer/Layer+Session.swift",
            "for row in batch where !grant.canView(Subject(row.record)) {",
            "for row in batch where !PLANTED && !grant.canView(Subject(row.record)) {"),
    ]
}
