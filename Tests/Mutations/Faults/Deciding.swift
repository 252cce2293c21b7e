extension Fault {
    /// Order of edits, cascades, and earlier answers.
    static let deciding = [
        Fault(
            "the base revision is ignored", in: "EngineCore/Writing/ChangeDecider.swift",
            "over: stored, writer) { return .invalid(problem) }\n        guard isFirst(change, stored) else",
            "over: stored, writer) { return .invalid(problem) }\n        guard PLANTED || isFirst(change, stored) else"),
        Fault(
            "a client conflicts with its own run", in: "EngineCore/Writing/ChangeDecider.swift",
            "|| (stored.run.client == clientID && change.baseRevision >= stored.run.start",
            "|| (!PLANTED && stored.run.client == clientID && change.baseRevision >= stored.run.start"),
        Fault(
            "a run continues past another writer", in: "EngineCore/Writing/LayerWriter.swift",
            "if let client, let old, old.run.client == client { return old.run }",
            """
            if let client, let old, PLANTED || old.run.client == client {
                        return ServerRecord.Run(client: client, start: old.run.start)
                    }
            """),
        Fault(
            "a restoration by the same client ends its run", in: "EngineCore/Writing/LayerWriter.swift",
            "live.run = run(of: client, over: removed, since: removed.revision)",
            "live.run = run(of: client, over: PLANTED ? nil : removed, since: removed.revision)"),
        Fault(
            "a thread remains when its root is deleted", in: "EngineCore/Writing/ChangeDecider.swift",
            "writer.remove(thread + [root],", "writer.remove((PLANTED ? [] : thread) + [root],"),
        Fault(
            "a root is deleted although someone has just replied", in: "EngineCore/Writing/ChangeDecider.swift",
            "thread.contains(where: { $0.revision > seen", "thread.contains(where: { !PLANTED && $0.revision > seen"),
        Fault(
            "a root is deleted with comments that its deleter does not see",
            in: "EngineCore/Writing/ChangeDecider.swift",
            "writer).filter { scope.contains($0.subject) }", "writer).filter { PLANTED || scope.contains($0.subject) }"),
        Fault(
            "a last comment counts only those that its deleter sees", in: "EngineCore/Writing/ChangeDecider.swift",
            "try comments(under: rootID, writer).count == 1",
            "try comments(under: rootID, writer).count(where: { !PLANTED || scope.contains($0.subject) }) == 1"),
        Fault(
            "a mark is deleted with its last comment although it existed before",
            in: "EngineCore/Writing/ChangeDecider.swift", "root.isCommentThreadRoot\n",
            "PLANTED || root.isCommentThreadRoot\n"),
        Fault(
            "an edit makes a mark the root of a thread", in: "EngineCore/Writing/ChangeDecider.swift",
            "isCommentThreadRoot: stored.isCommentThreadRoot, over: stored,",
            "isCommentThreadRoot: PLANTED ? ContentOutline(sent).isCommentThreadRoot : stored.isCommentThreadRoot, over: stored,"
        ),
        Fault(
            "an edit says who created a record, and when", in: "EngineCore/Writing/ChangeDecider.swift",
            "let content = outline.keepingOrigin(of: there, in: sent)",
            "let content = PLANTED ? sent : outline.keepingOrigin(of: there, in: sent)"),
        Fault(
            "a new record says which user created it", in: "EngineCore/Writing/ChangeDecider.swift",
            "outline.namesUsers ? authored.withoutUsers : authored",
            "outline.namesUsers && !PLANTED ? authored.withoutUsers : authored"),
        Fault(
            "a comment is restored under a root that was deleted later", in: "EngineCore/Writing/ChangeDecider.swift",
            "!root.isLive, root.revision > stored.revision", "!PLANTED, !root.isLive, root.revision > stored.revision"),
        Fault(
            "a repeated change is applied a second time", in: "EngineCore/Writing/PushProcessor.swift",
            "return try replay(change, hash, decider, client, writer)",
            """
            return try PLANTED
                ? decider.decide(change, &writer).result(for: change.n) : replay(change, hash, decider, client, writer)
            """),
        Fault(
            "a change is accepted although an earlier one is missing", in: "EngineCore/Writing/PushProcessor.swift",
            "guard change.n == client.lastN + 1 else {", "guard PLANTED || change.n == client.lastN + 1 else {"),
        Fault(
            "a record may name a file that was never uploaded", in: "EngineCore/Writing/ChangeDecider.swift",
            "if let problem = try problem(ofAttachmentIn: content, over: nil",
            "if !PLANTED, let problem = try problem(ofAttachmentIn: content, over: nil"),
        Fault(
            "a record may be created under an id that hides or acts", in: "EngineCore/Writing/ChangeDecider.swift",
            "guard change.kind == .create ? Record.isValidID(change.id)",
            "guard !PLANTED && change.kind == .create ? Record.isValidID(change.id)"),
        Fault(
            "listeners of a removed key stay", in: "EngineCore/Live/EventBroadcaster.swift",
            "!signers.contains($0.value.signer)", "!PLANTED && !signers.contains($0.value.signer)"),
    ]
}
