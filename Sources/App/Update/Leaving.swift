// Taking things back one at a time, and leaving.
extension AppState {
    /// Takes back the topmost thing; nil when there is none.
    mutating func escape() -> [Effect]? {
        if help != nil {
            help = nil
            return []
        }
        if prompt != nil { return promptLeft() }
        if picker != nil {
            picker = nil
            return []
        }
        if let card = token {
            if card.path != nil {
                token?.path = nil
            } else {
                token = nil
                let need = document?.need
                document?.refusedNeed = need
            }
            return []
        }
        guard let document else { return nil }
        if document.conflict != nil {
            self.document?.conflict = nil
            return []
        }
        if let editor = document.editor {
            let effects = editor.input.isEmpty ? forgetDraft(editor.draftKey) : keepDraft()
            if !editor.input.isEmpty, !effects.isEmpty { notice = .done("draft kept: the same key brings it back") }
            self.document?.editor = nil
            return effects
        }
        if document.outbox.isOpen {
            self.document?.outbox.isOpen = false
            return []
        }
        if document.company.isShown {
            self.document?.company.isShown = false
            return []
        }
        if document.page.selection != nil {
            self.document?.page.dropSelection()
            return []
        }
        if document.page.search != nil {
            self.document?.page.search = nil
            return []
        }
        if !document.list.filter.isEmpty {
            setFilter("")
            return []
        }
        if case .downloading = document.pdf { return [.cancelDownload] }
        return nil
    }

    var mayLeaveToLibrary: Bool { document != nil && beganInLibrary }

    mutating func leave() -> [Effect] {
        if help != nil {
            help = nil
            return []
        }
        guard let document else { return quit() }
        if document.conflict != nil || document.outbox.isOpen { return escape() ?? [] }
        guard mayLeaveToLibrary else { return quit() }
        let kept = farewell
        self.document = nil
        token = nil
        keys.clear()
        notice = kept.map(Notice.done)
        return [.closeLayer, .loadLibrary]
    }

    mutating func quit() -> [Effect] {
        hasQuit = true
        return [.quit]
    }

    /// What is worth saying when the program ends: `3 unsent kept here, sent next time`.
    package var farewell: String? {
        guard let document, document.waiting > 0 else { return nil }
        return "\(document.waiting) unsent kept here, sent next time"
    }
}
