import Annotations
import InstantCore
import Screen

// Resolving a conflict: keep theirs, keep mine, or merge.
extension AppState {
    /// Applies a decision to the conflict on the screen, or to the edit at the outbox cursor.
    mutating func resolve(_ command: Command) -> [Effect] {
        guard let document else { return [] }
        guard let card = document.conflict else {
            guard command == .theirs, let item = document.outbox.current else { return [] }
            return resolve(item.id, .theirs)
        }
        self.document?.conflict = nil
        switch command {
        case .mine:
            guard card.isUnsaved else { return resolve(card.id, .mine) }
            let editor = document.editor
            self.document?.editor = nil
            return card.mine.map { perform([.update(card.id, $0)], from: editor) } ?? []
        case .theirs:
            guard card.isUnsaved else { return resolve(card.id, .theirs) }
            let effects = keepDraft()
            self.document?.editor = nil
            notice = .done("Kept theirs; your text is kept as a draft")
            return effects
        default: return merge(card)
        }
    }

    /// Opens the editor with the merged text. What both changed stands between markers.
    private mutating func merge(_ card: ConflictCard) -> [Effect] {
        guard let content = card.theirs ?? card.mine else {
            return only(.warning("Nothing to merge: neither version has text"))
        }
        let (theirText, myText) = (ConflictCard.text(card.theirs) ?? "", ConflictCard.text(card.mine) ?? "")
        let text =
            theirText.isEmpty || myText.isEmpty
            ? theirText + myText
            : TextMerge.merged(
                base: ConflictCard.text(card.base), theirs: theirText, mine: myText,
                theirName: CleanText(cleaning: card.theirAuthor ?? "someone").string)
        let title = "Merged text of the \(card.kind.name)"
        if card.isUnsaved, let theirs = document?.editor?.theirs {
            document?.editor = Editor(
                .record(theirs), title: title, text: Annotation(theirs).text, draft: text)
        } else {
            document?.editor = Editor(
                .merge(card.id, content), title: title, text: "", draft: text)
        }
        document?.editor?.isMerge = true
        return []
    }
}
