/// One edit by a writer. Texts are numbers used only once, so each identifies its edit.
enum Edit: Hashable {
    case create(text: String)
    case update(id: String, text: String)
    case delete(id: String)
}

/// A writer's report, one line each.
enum Report: Hashable {
    /// Before the edit: from here on it may have happened.
    case tried(Edit)
    /// The library returned: from here on it must have happened.
    case kept(id: String, text: String)
    case gone(id: String)
    case needsToken
    /// Nothing is unsent, and everything up to this revision is here, including the writer's own edits.
    case settled(revision: Int64)
    /// One record as this client shows it.
    case row(id: String, text: String)
    /// The end of the rows, with the numbers of conflicting and refused edits.
    case shown(conflicts: Int, refused: Int)
    /// A violated invariant.
    case trouble(String)

    /// - Returns: nil for a line truncated by the writer's death.
    init?(line: String) {
        let words = line.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("create", 2): self = .tried(.create(text: words[1]))
        case ("update", 3): self = .tried(.update(id: words[1], text: words[2]))
        case ("delete", 2): self = .tried(.delete(id: words[1]))
        case ("kept", 3): self = .kept(id: words[1], text: words[2])
        case ("gone", 2): self = .gone(id: words[1])
        case ("needs-token", 1): self = .needsToken
        case ("settled", 2):
            guard let revision = Int64(words[1]) else { return nil }
            self = .settled(revision: revision)
        case ("row", 3): self = .row(id: words[1], text: words[2])
        case ("shown", 3):
            guard let conflicts = Int(words[1]), let refused = Int(words[2]) else { return nil }
            self = .shown(conflicts: conflicts, refused: refused)
        case ("trouble", 2...): self = .trouble(words.dropFirst().joined(separator: " "))
        default: return nil
        }
    }

    var line: String {
        switch self {
        case .tried(.create(let text)): "create \(text)"
        case .tried(.update(let id, let text)): "update \(id) \(text)"
        case .tried(.delete(let id)): "delete \(id)"
        case .kept(let id, let text): "kept \(id) \(text)"
        case .gone(let id): "gone \(id)"
        case .needsToken: "needs-token"
        case .settled(let revision): "settled \(revision)"
        case .row(let id, let text): "row \(id) \(text)"
        case .shown(let conflicts, let refused): "shown \(conflicts) \(refused)"
        case .trouble(let why): "trouble \(why)"
        }
    }
}

/// An order to a writer, one line each.
enum Order: Hashable, Sendable {
    case token(String)
    /// Make edits until the next order.
    case edit
    /// Make no edits, and report when nothing is unsent.
    case settle
    /// Report every row once everything up to this revision is here. It must arrive without a request.
    case show(revision: Int64)

    init?(line: String) {
        let words = line.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("token", 2): self = .token(words[1])
        case ("edit", 1): self = .edit
        case ("settle", 1): self = .settle
        case ("show", 2):
            guard let revision = Int64(words[1]) else { return nil }
            self = .show(revision: revision)
        default: return nil
        }
    }

    var line: String {
        switch self {
        case .token(let jwt): "token \(jwt)"
        case .edit: "edit"
        case .settle: "settle"
        case .show(let revision): "show \(revision)"
        }
    }
}
