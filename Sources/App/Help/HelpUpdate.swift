import Screen

// The help over the screen.
extension AppState {
    mutating func scrollHelp(_ command: Command, count: Int?) -> [Effect] {
        guard let help else { return [] }
        let last = max(0, helpLines.count - max(1, size.rows - 2))
        if let top = command.row(from: help.top, count: count, screen: size.rows - 2, last: last) {
            self.help?.top = top
        }
        return []
    }
}
