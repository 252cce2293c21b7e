import InstantCore
import Screen

extension DocumentState {
    /// The parts of the list's title: the number of annotations, then only what is not the default.
    func listTitleParts() -> [CleanText] {
        var parts: [CleanText] = []
        let all = list.window?.all ?? 0
        let isFiltered = !list.filter.isEmpty
        parts.append(isFiltered ? "Annotations \(list.total) of \(all)" : "Annotations \(list.total)")
        if !list.hidden.isEmpty { parts.append(list.hidden) }
        if list.markedCount > 0 { parts.append("\(list.markedCount) marked") }
        if let unread = list.window?.unread, unread > 0 {
            let authors = recentAuthors.authors.reversed().joined(separator: ", ")
            parts.append(authors.isEmpty ? "\(unread) new" : "\(unread) new by \(authors)")
        }
        if let mentions = list.window?.mentions, mentions > 0 {
            parts.append(mentions == 1 ? "1 mention" : "\(mentions) mentions")
        }
        if isFiltered { parts.append("filter: \(list.filter)") }
        switch list.query.order {
        case .page: break
        case .newest: parts.append("newest first")
        case .author: parts.append("by author")
        case .group: parts.append("by group")
        }
        return parts
    }
}

extension Canvas {
    /// `Annotations 38 · 2 new`; above a list below the page, as a rule.
    mutating func drawListTitle(_ state: AppState, _ document: DocumentState, in area: Area, isRule: Bool) {
        guard !area.isEmpty else { return }
        let theme = state.theme
        let hasFocus = document.focus == .list
        let parts = document.listTitleParts()
        let whole = parts.joined(separator: art.dot)
        if isRule { fill(area, with: art.horizontal, style: hasFocus ? theme.accent : theme.rule) }
        let text: CleanText = " \(whole.truncated(to: max(0, area.columns - 5))) "
        write(text, in: area, column: isRule ? 1 : 0, style: hasFocus ? theme.accent : theme.text)
    }
}
