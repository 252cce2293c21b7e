import Annotations
import InstantCore

// Resolving a conflict: keep theirs, keep mine, or merge.
extension AppState {
    /// Applies a decision to the conflict on the screen, or to the edit at the outbox cursor.
    mutating func resolve(_ command: Command) -> [Effect] {
        guard let document else { return [] }
        guard let card = document.conflict else {
            guard command == .theirs, let item = document.outbox.current else { return [] }
            return resolve(item.id, .theirs, item.sides)
        }
        self.document?.conflict = nil
        switch command {
        case .mine:
            guard card.isUnsaved else { return resolve(card.id, .mine, card.sides) }
            let editor = document.editor
            self.document?.editor = nil
            // The user has seen nothing newer than theirs.
            let seen = editor?.theirs.map { [$0] } ?? []
            return card.mine.map { perform([.update(card.id, $0)], from: editor, over: seen) } ?? []
        case .theirs:
            guard card.isUnsaved else { return resolve(card.id, .theirs, card.sides) }
            let effects = keepDraft()
            let key = document.editor?.draftKey
            self.document?.editor = nil
            guard let key, !effects.isEmpty else { return only(.done("Kept theirs")) }
            self.document?.draftToTell = DraftToTell(key, "Kept theirs; your text is kept as a draft")
            return effects
        default: return merge(card)
        }
    }

    /// Opens the editor with the merged text. What both changed stands between markers.
    private mutating func merge(_ card: ConflictCard) -> [Effect] {
        guard let content = card.theirs ?? card.mine else {
            return only(.warning("Nothing to merge: neither version has text"))
        }
        let merge = card.textMerge
        let title = "Merged text of the \(card.kind.name)"
        var editor: Editor
        if card.isUnsaved, let theirs = document?.editor?.theirs {
            editor = Editor(.record(theirs), title: title, text: Annotation(theirs).text)
        } else {
            editor = Editor(.merge(card.id, content, of: card.sides), title: title, text: "")
        }
        editor.merge = merge
        editor.input = TextInput(document?.drafts[editor.draftKey] ?? merge.text)
        document?.editor = editor
        return []
    }
}
