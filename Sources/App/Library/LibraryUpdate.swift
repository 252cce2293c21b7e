import Annotations
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
        guard opening == nil else { return [] }
        if let file = library.currentFile { return open(file) }
        guard let entry = library.current else { return [] }
        if let problem = entry.problem { return only(.error(problem.asSentence)) }
        if let tab = tab(of: entry.id) { return show(tab: tab) }
        opening = Opening()
        return [.openLayer(entry.id)]
    }

    private mutating func open(_ file: LibraryFile) -> [Effect] {
        let open = openLayers.firstIndex { $0.isLocal && $0.file?.path.isExactly(file.path) == true }
        if let open { return show(tab: open) }
        opening = Opening()
        return [.openFile(file.path)]
    }

    mutating func startDemo() -> [Effect] {
        guard opening == nil else { return [] }
        opening = Opening()
        notice = Self.startingDemo
        return [.startDemo]
    }

    private static let startingDemo = Notice.done("Starting a server with sample documents ...")

    mutating func demoStarted(_ server: String, _ token: TokenText) -> [Effect] {
        if notice == Self.startingDemo { notice = nil }
        return document == nil ? [.join(server: server, token: token)] : []
    }

    mutating func askToRemove() {
        if document == nil, let file = library.currentFile {
            let place = CleanText(cleaning: file.path).truncated(to: 40).string
            notice = .warning("\(place) is a file, and stays: only layers are removed here")
            return
        }
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
        if command == .otherPane || command == .paneBefore {
            library.changeSection()
            return []
        }
        let last = max(0, library.count - 1)
        let step = max(1, size.rows - 5)
        guard let place = command.row(from: library.cursor, count: count, screen: step, last: last) else { return [] }
        library.move(to: place)
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

/// PDFs and the layers on this machine, one list below the other, and the cursor in them.
struct LibraryState: Equatable, Sendable {
    /// nil until loaded.
    private(set) var entries: [LibraryEntry]?
    /// The PDFs that are offered above the layers.
    private(set) var files: [LibraryFile] = []
    /// Counted over both lists.
    private(set) var cursor = 0
    /// Whether the user has moved the cursor; until then it is on the first row, whichever list comes first.
    private var hasMoved = false

    var count: Int { files.count + (entries?.count ?? 0) }

    var currentFile: LibraryFile? { files.indices.contains(cursor) ? files[cursor] : nil }

    var current: LibraryEntry? {
        let index = cursor - files.count
        guard let entries, entries.indices.contains(index) else { return nil }
        return entries[index]
    }

    /// Sets new layers; the cursor stays on its row.
    mutating func take(_ new: [LibraryEntry]) { keepingCursor { $0.entries = new } }

    /// Sets new files; the cursor stays on its row.
    mutating func take(_ new: [LibraryFile]) { keepingCursor { $0.files = new } }

    private mutating func keepingCursor(_ body: (inout LibraryState) -> Void) {
        let (file, layer) = (currentFile?.path, current?.id)
        body(&self)
        let place =
            files.firstIndex { file.isExactly($0.path) }
            ?? entries?.firstIndex { $0.id == layer }.map { files.count + $0 }
        cursor = hasMoved ? place ?? min(cursor, max(0, count - 1)) : 0
    }

    mutating func move(to place: Int) {
        cursor = place
        hasMoved = true
    }

    /// Moves to the first row of the other list.
    mutating func changeSection() {
        guard !files.isEmpty, entries?.isEmpty == false else { return }
        move(to: currentFile == nil ? 0 : files.count)
    }
}
