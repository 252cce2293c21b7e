import InstantCore
import Screen

extension AppState {
    /// Returns lines that report the loss of access, its reason, and the data kept.
    func accessLostLines(columns: Int) -> [CleanText] {
        guard let document, let why = document.accessLost else { return [] }
        let name: CleanText = "\(document.title) / \(document.layerName)"
        if why == SessionMachine.storageWasRemoved {
            let text: CleanText = "The local copy of \(name) was removed from this machine.\(document.lastCopies)"
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

extension DocumentState {
    /// The unsent edits that only this program still has, because the local copy is gone.
    var unsentWithoutCopy: Int { accessLost == SessionMachine.storageWasRemoved ? waiting : 0 }

    /// What becomes of the unsent edits of a removed copy, as a sentence after another one.
    fileprivate var lastCopies: CleanText {
        switch (unsentWithoutCopy, rescuedTo) {
        case (0, _): ""
        case (_, let path?): " Its unsent edits are in \(path)."
        case (1, nil): " Its unsent edit is gone when you close it, unless you save it now."
        case (let count, nil): " Its \(count) unsent edits are gone when you close it, unless you save them now."
        }
    }
}

extension AppState {
    /// The unsent edits of a layer are in a file now.
    mutating func unsentSaved(of reference: LayerReference, _ count: Int, in path: String) {
        if document?.reference == reference { document?.rescuedTo = path }
        for index in tabs.before.indices where tabs.before[index].reference == reference {
            tabs.before[index].rescuedTo = path
        }
        for index in tabs.after.indices where tabs.after[index].reference == reference {
            tabs.after[index].rescuedTo = path
        }
        notice = .done("\(Self.unsentEdits(count)) saved in \(path)")
    }

    static func unsentEdits(_ count: Int) -> String { "\(count) unsent edit\(count == 1 ? "" : "s")" }

    /// Saves what would be lost with the layers that are left.
    mutating func saveUnsent(before departure: Departure) -> [Effect] {
        layers(before: departure).filter { $0.unsentWithoutCopy > 0 }.map { .saveUnsent($0.reference) }
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
