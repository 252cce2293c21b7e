import Annotations
import InstantCore
import PageLayout
import Screen

// Links: link annotations and addresses in the text, selected by one or two letters.
extension AppState {
    mutating func showHints() {
        let links = document?.visibleLinks(rows: layout.page.rows) ?? []
        guard !links.isEmpty else {
            notice = .warning("No links on this screen")
            return
        }
        document?.page.hints = zip(LinkHint.labels(links.count), links).map { letters, link in
            LinkHint(letters: letters, glyph: link.glyph, target: link.target)
        }
        notice = .done(Self.hintNotice)
    }

    private static let hintNotice = "Type a link's letters to follow it; Esc cancels"

    /// Handles a letter of a hint; any other key removes the hints.
    mutating func hintPressed(_ key: Key) -> [Effect] {
        if notice?.text == Self.hintNotice { notice = nil }
        guard let page = document?.page else { return [] }
        guard case .character(let character) = key else {
            document?.page.hints = []
            return []
        }
        let typed = page.hintTyped + String(character)
        let left = page.hints.filter { $0.letters.begins(with: typed) }
        document?.page.hintTyped = left.count > 1 ? typed : ""
        document?.page.hints = left.count > 1 ? left : []
        guard left.count == 1, let hint = left.first else {
            if left.isEmpty { notice = .warning("No link \(typed)") }
            return []
        }
        switch hint.target {
        case .address(let address): return [.copy(address, isAddress: true)]
        case .record(let id):
            document?.batch = .follow
            return [.loadBatch(RecordBatchRequest(ids: [id]))]
        }
    }

    /// Follows a link annotation within the document. A URI is copied, not opened; other documents are not opened.
    mutating func follow(_ content: Content?) -> [Effect] {
        guard let document, let action = content?["action"] else { return only(.warning("This link has no target")) }
        let last = max(0, (document.pageCount ?? 1) - 1)
        switch (action["type"]?.string, action["action"]?.string) {
        case ("goTo", _):
            guard let page = action["pageIndex"]?.integer, (0...Int64(last)).contains(page) else {
                return only(.warning("This link leads to a page that does not exist"))
            }
            goTo(page: Int(page), .start)
        case ("named", "nextPage"): goTo(page: document.page.index + 1, .start)
        case ("named", "prevPage"): goTo(page: document.page.index - 1, .start)
        case ("named", "firstPage"): goTo(page: 0, .start)
        case ("named", "lastPage"): goTo(page: last, .start)
        case ("uri", _):
            guard let address = action["uri"]?.string else { return follow(nil) }
            guard LinkAddress.isAllowed(address) else {
                return only(.warning("This link leads to \(address), which postilla does not open"))
            }
            return [.copy(address, isAddress: true)]
        default:
            let file = action["relativePath"]?.string ?? action["filePath"]?.string ?? "another document"
            notice = .warning("This link leads to \(file), which postilla does not open")
        }
        return []
    }
}

extension DocumentState {
    /// Links on the screen, in text order.
    fileprivate func visibleLinks(rows: Int) -> [(glyph: Int, target: LinkHint.Target)] {
        guard let glyphs = page.glyphs, let typeset = page.typeset else { return [] }
        var links: [(glyph: Int, target: LinkHint.Target)] = []
        for row in page.rows where row.kind == .link {
            guard let box = row.box, let glyph = glyphs.ranges(in: [box]).first?.lowerBound else { continue }
            links.append((glyph, .record(row.id)))
        }
        let taken = Set(links.map { glyphs.glyphs[$0.glyph].word })
        for link in glyphs.addresses where !taken.contains(glyphs.glyphs[link.range.lowerBound].word) {
            links.append((link.range.lowerBound, .address(link.address)))
        }
        let shown = page.top..<page.top + max(1, rows)
        return links.filter { typeset.spot(of: $0.glyph).map { shown.contains($0.row) } ?? false }
            .sorted { $0.glyph < $1.glyph }
    }
}
