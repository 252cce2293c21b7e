import Annotations
import InstantCore

// Resolving a conflict: keep theirs, keep mine, or merge.
extension AppState {
    /// Applies a decision to the conflict on the screen, or to the edit at the outbox cursor.
    mutating func resolve(_ command: Command) -> [Effect] {
        guard let document else { return [] }
        guard let card = document.conflict else {
            guard command == .theirs, let item = document.outbox.current else { return [] }
            guard item.delivery == .refused || item.delivery == .conflict else {
                return only(.warning("Not refused, only unsent; u to undo your last edit"))
            }
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

    /// Opens the editor with both texts, theirs first.
    private mutating func merge(_ card: ConflictCard) -> [Effect] {
        guard let content = card.theirs ?? card.mine else {
            return only(.warning("Nothing to merge: neither version has text"))
        }
        let texts = [card.theirs, card.mine].compactMap(ConflictCard.text).filter { !$0.isEmpty }
        let title = "Merged text of the \(card.kind.name)"
        if card.isUnsaved, let theirs = document?.editor?.theirs {
            document?.editor = Editor(
                .record(theirs), title: title, text: Annotation(theirs).text, draft: texts.joined(separator: "\n"))
        } else {
            document?.editor = Editor(
                .merge(card.id, content), title: title, text: "", draft: texts.joined(separator: "\n"))
        }
        return []
    }
}
