import InstantCore
import Screen

extension AppState {
    /// Returns lines that report the loss of access, its reason, and the data kept.
    func accessLostLines(columns: Int) -> [CleanText] {
        guard let document, let why = document.accessLost else { return [] }
        let name: CleanText = "\(document.title) / \(document.layerName)"
        if why == SessionMachine.storageWasRemoved {
            let text: CleanText = "The local copy of \(name) was removed from this machine."
            return Array(text.wrapped(to: columns).prefix(6))
        }
        let kept: CleanText =
            switch document.waiting {
            case 0: " The local copy is still on this machine."
            case 1: " The local copy and 1 unsent edit are kept."
            case let count: " The local copy and \(count) unsent edits are kept."
            }
        let text: CleanText = "You no longer have access to \(name) (\(why)).\(kept)"
        return Array(text.wrapped(to: columns).prefix(6))
    }
}

extension Canvas {
    mutating func drawAccessLost(_ state: AppState) {
        let lines = state.accessLostLines(columns: OverlayBox.columns(state.size, 72))
        let box = OverlayBox(state.size, rows: lines.count, columns: 72)
        draw(box, "No access", state)
        for (row, line) in lines.enumerated() { write(line, in: box.inside, row: row) }
    }
}
