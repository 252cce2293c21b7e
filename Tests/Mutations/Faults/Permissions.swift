extension Fault {
    /// Permissions.
    static let permissions = [
        Fault(
            "an edit is taken without the right to edit", in: "EngineCore/Writing/ChangeDecider.swift",
            "if case .denied(let denial) = grant.decide(.edit(stored.subject))",
            "if !PLANTED, case .denied(let denial) = grant.decide(.edit(stored.subject))"),
        Fault(
            "a record is moved to a group without the right to", in: "EngineCore/Writing/ChangeDecider.swift",
            "if !change.group.isExactly(stored.record.group),",
            "if !PLANTED, !change.group.isExactly(stored.record.group),"),
        Fault(
            "a deletion is taken without the right to delete", in: "EngineCore/Writing/ChangeDecider.swift",
            "if case .denied(let denial) = grant.decide(.delete(stored.subject))",
            "if !PLANTED, case .denied(let denial) = grant.decide(.delete(stored.subject))"),
        Fault(
            "the last comment takes a root along that its writer may not delete",
            in: "EngineCore/Writing/ChangeDecider.swift",
            "grant.decide(.delete(root.subject)).isAllowed", "PLANTED || grant.decide(.delete(root.subject)).isAllowed"),
        Fault(
            "anybody brings back what anybody deleted", in: "EngineCore/Writing/ChangeDecider.swift",
            "guard removal.by.isExactly(grant.userID), removal.by != nil || removal.client == clientID else {",
            "guard PLANTED || (removal.by.isExactly(grant.userID) && (removal.by != nil || removal.client == clientID)) else {"
        ),
        Fault(
            "an annotation is made in a group without the right to",
            in: "EngineCore/Writing/ChangeDecider.swift",
            "if case .denied(let denial) = grant.decide(.createAnnotation(group: change.group))",
            "if !PLANTED, case .denied(let denial) = grant.decide(.createAnnotation(group: change.group))"),
        Fault(
            "changes are taken by a token that only reads", in: "EngineCore/Writing/PushProcessor.swift",
            "guard grant.mayWrite else {", "guard PLANTED || grant.mayWrite else {"),
        Fault(
            "somebody goes on under the name of another user's store", in: "EngineCore/Writing/PushProcessor.swift",
            "guard client.userID.isExactly(grant.userID) else {",
            "guard PLANTED || client.userID.isExactly(grant.userID) else {"),
        Fault(
            "client and server let the creator of a root answer without the right to reply",
            in: "Authorization/AccessDecision.swift",
            "let onOwnRoot = first && isOwn(root)", "let onOwnRoot = (PLANTED || first) && isOwn(root)"),
        Fault(
            "client and server forget the right to choose a group", in: "Authorization/AccessDecision.swift",
            "guard collaboration != nil, !group.orNull.isExactly(defaultGroup) else",
            "guard !PLANTED, collaboration != nil, !group.orNull.isExactly(defaultGroup) else"),
        Fault(
            "an edit is made on this machine without the right to edit", in: "InstantCore/Layer/Layer+Editing.swift",
            "try grant.require(.edit(Subject(record)))", "if !PLANTED { try grant.require(.edit(Subject(record))) }"),
        Fault(
            "what a new token denies waits on as if it were allowed", in: "InstantCore/Layer/Layer+Session.swift",
            "case .denied(let why): state = .parked(why.description)",
            "case .denied(let why): state = PLANTED ? .waiting : .parked(why.description)"),
        Fault(
            "what a new token hides stays on the screen", in: "InstantCore/Layer/Layer+Session.swift",
            "for row in batch where !grant.canView(Subject(row.record)) {",
            "for row in batch where !PLANTED && !grant.canView(Subject(row.record)) {"),
    ]
}
