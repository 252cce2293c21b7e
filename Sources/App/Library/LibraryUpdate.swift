import Screen

// The library: moving the cursor, opening and removing layers.
extension AppState {
    mutating func openFailed(_ why: String) {
        if token?.isTrying == true {
            token?.problem = why
            token?.isTrying = false
        } else if hasLibrary || document != nil {
            opening = nil
            notice = .error(why.asSentence)
        } else {
            opening = Opening(problem: why)
        }
    }

    mutating func openCurrent() -> [Effect] {
        guard let entry = library.current, opening == nil else { return [] }
        if let problem = entry.problem { return only(.error(problem.asSentence)) }
        if let tab = tab(of: entry.id) { return show(tab: tab) }
        opening = Opening()
        return [.openLayer(entry.id)]
    }

    mutating func startDemo() -> [Effect] {
        guard opening == nil else { return [] }
        opening = Opening()
        notice = .done("Starting a server with sample documents ...")
        return [.startDemo]
    }

    mutating func askToRemove() {
        if document == nil, let problem = library.current?.problem {
            notice = .error("\(problem); run postilla storage check".asSentence)
            return
        }
        let lost = document.map { document in
            let entry = LibraryEntry(id: document.reference, title: document.title, state: "", isDownloaded: false)
            return (document.reference, entry.name(columns: 40).string, document.waiting)
        }
        let entry = library.current.map { ($0.id, $0.name(columns: 40).string, $0.unsent) }
        guard let (reference, layer, unsent) = lost ?? entry else { return }
        // Two users may have a copy of one layer.
        let user = reference.userID.map { " of \(CleanText(cleaning: $0).truncated(to: 16).string)" } ?? ""
        let name = layer + user
        let edits = "\(unsent) unsent edit\(unsent == 1 ? "" : "s")"
        let what = unsent > 0 ? " and \(edits)? s to save first, y/N " : " from this machine? y/N "
        prompt = Prompt(.confirm(.removeLayer(reference, unsent: unsent)), label: "Remove \(name)\(what)")
    }

    mutating func moveInLibrary(_ command: Command, count: Int?) -> [Effect] {
        let last = max(0, (library.entries?.count ?? 0) - 1)
        let step = max(1, size.rows - 5)
        guard let place = command.row(from: library.cursor, count: count, screen: step, last: last) else { return [] }
        library.cursor = place
        return []
    }
}

extension Command {
    /// Returns the row that a moving command leads to; nil for other commands.
    ///
    /// - Parameters:
    ///   - count: Repetitions; for the first and last row, a row number counted from 1.
    ///   - screen: Rows per screen.
    func row(from row: Int, count: Int?, screen: Int, last: Int) -> Int? {
        let times = count ?? 1
        let target =
            switch self {
            case .down: row + times
            case .up: row - times
            case .halfDown: row + times * max(1, screen / 2)
            case .halfUp: row - times * max(1, screen / 2)
            case .screenDown: row + times * max(1, screen - 1)
            case .screenUp: row - times * max(1, screen - 1)
            case .first: (count ?? 1) - 1
            case .last: (count ?? last + 1) - 1
            default: Int.min
            }
        return target == .min ? nil : max(0, min(target, last))
    }
}

/// The layers on this machine and the cursor.
struct LibraryState: Equatable, Sendable {
    /// nil until loaded.
    var entries: [LibraryEntry]?
    var cursor = 0

    var current: LibraryEntry? {
        guard let entries, entries.indices.contains(cursor) else { return nil }
        return entries[cursor]
    }

    /// Sets a new list; the cursor stays on its layer.
    mutating func take(_ new: [LibraryEntry]) {
        let id = current?.id
        entries = new
        cursor = new.firstIndex { $0.id == id } ?? min(cursor, max(0, new.count - 1))
    }
}
