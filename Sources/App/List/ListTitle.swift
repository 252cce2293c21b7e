import InstantCore
import Screen

extension DocumentState {
    /// The parts of the list's title: the number of annotations, then only what is not the default. What is hidden by
    /// default is dropped if the parts have more columns than this.
    func listTitleParts(columns: Int) -> [CleanText] {
        var parts: [CleanText] = []
        let all = list.window?.all ?? 0
        let isFiltered = !list.filter.isEmpty
        parts.append(isFiltered ? "Annotations \(list.total) of \(all)" : "Annotations \(list.total)")
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
        guard !list.hidden.isEmpty else { return parts }
        let hidden: [CleanText] = [parts[0], list.hidden] + parts.dropFirst()
        return hidden.reduce(-3) { $0 + 3 + $1.width } <= columns ? hidden : parts
    }
}

extension Canvas {
    /// `Annotations 38 · 2 new`; above a list below the page, as a rule.
    mutating func drawListTitle(_ state: AppState, _ document: DocumentState, in area: Area, isRule: Bool) {
        guard !area.isEmpty else { return }
        let theme = state.theme
        let hasFocus = document.focus == .list
        let room = max(0, area.columns - 5)
        let whole = document.listTitleParts(columns: room).joined(separator: art.dot)
        if isRule { fill(area, with: art.horizontal, style: hasFocus ? theme.accent : theme.rule) }
        let text: CleanText = " \(whole.truncated(to: room)) "
        write(text, in: area, column: isRule ? 1 : 0, style: hasFocus ? theme.accent : theme.text)
    }
}
