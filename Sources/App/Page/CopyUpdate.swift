import PageLayout

// Handing text to the terminal's clipboard.
extension AppState {
    mutating func copySelection() -> [Effect] {
        guard let page = document?.page, let range = page.selected, let glyphs = page.glyphs else { return [] }
        let text = (page.carried.map(\.text) + [glyphs.text(of: range)]).joined(separator: "\n")
        document?.page.dropSelection()
        return [.copy(text, isAddress: false)]
    }
}
