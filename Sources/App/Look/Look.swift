import Annotations
import InstantCore
import PageLayout
import Screen

/// A look at the place that a link or a reference such as `[12]` leads to, without going there.
struct Look: Equatable, Sendable {
    /// The reference whose entry is sought; nil for a link.
    var reference: String?
    /// The page, counted from 0; nil until the entry is found.
    var page: Int?
    /// Why there is nothing to see, as a sentence.
    var problem: String?
    /// First line shown, counted from the place that it leads to.
    var top = 0
}

extension AppState {
    /// Looks where the link or the reference at the page's cursor leads.
    mutating func lookAt() -> [Effect] {
        guard let document else { return [] }
        if let link = document.linkAtCursor {
            self.document?.batch = .look
            return [.loadBatch(RecordBatchRequest(ids: [link.id]))]
        }
        guard let reference = document.referenceAtCursor else {
            return only(.warning("No link and no reference such as [12] at the cursor"))
        }
        self.document?.look = Look(reference: reference)
        guard !document.index.isAsked else {
            findReference()
            return []
        }
        self.document?.index.isAsked = true
        return [.indexDocument(seeking: reference)]
    }

    /// Opens the look at the target of a link in this document.
    mutating func look(_ content: Content?) -> [Effect] {
        let action = content?["action"]
        guard action?["type"]?.string == "goTo", let page = action?["pageIndex"]?.integer,
            (0..<Int64(document?.pageCount ?? 0)).contains(page)
        else { return only(.warning("This link leads to no page of this document; f follows it")) }
        document?.look = Look(page: Int(page))
        return []
    }

    /// Finds the entry of the sought reference: its last occurrence, once all pages are read.
    mutating func findReference() {
        guard let document, let look = document.look, let reference = look.reference, look.page == nil else { return }
        guard document.index.percent(of: document.pageCount ?? 0) == 100 || document.index.problem != nil else {
            return
        }
        guard let page = document.index.lastPage(with: reference) else {
            self.document?.look?.problem = document.index.problem ?? "\(reference) is nowhere else in this document."
            return
        }
        self.document?.look?.page = page
    }

    mutating func runInLook(_ command: Command, _ count: Int?) -> [Effect] {
        guard let document, let look = document.look else { return [] }
        if command == .goTo {
            guard let page = look.page else { return [] }
            self.document?.look = nil
            goTo(page: page, look.glyph(in: document).map { .glyph($0) } ?? .start)
            self.document?.focus = .page
            return []
        }
        let rows = lookBox.inside.rows
        let last = max(0, lookLines.count - max(1, rows))
        if let top = command.row(from: min(look.top, last), count: count, screen: rows, last: last) {
            self.document?.look?.top = top
        }
        return []
    }

    // MARK: Drawing

    var lookBox: OverlayBox {
        OverlayBox(size, rows: max(3, min(lookLines.count, size.rows / 2)), columns: 80)
    }

    /// The lines from the place on.
    var lookLines: [CleanText] {
        guard let document, let look = document.look else { return [] }
        let columns = OverlayBox.columns(size, 80)
        if let problem = look.problem { return CleanText(cleaning: problem).wrapped(to: columns) }
        guard let page = look.page else {
            return ["Searching the document: \(document.index.percent(of: document.pageCount ?? 0))%"]
        }
        switch document.texts[page] {
        case .text(let glyphs) where !glyphs.isEmpty:
            let typeset = TypesetPage.reading(glyphs, width: columns)
            let start = look.glyph(in: document).flatMap { typeset.spot(of: $0) } ?? TypesetPage.Spot(row: 0, column: 0)
            return (start.row..<typeset.rows.count).map { row in
                let text = typeset.text(of: row, in: glyphs)
                return row == start.row ? text.dropping(columns: start.column) : text
            }
        case .text: return ["This page has no text."]
        case .failed(let why): return CleanText(cleaning: why).wrapped(to: columns)
        case .loading, nil: return ["Reading page \(document.label(of: page)) ..."]
        }
    }
}

extension Look {
    /// The glyph at which the entry begins; nil for the start of the page.
    fileprivate func glyph(in document: DocumentState) -> Int? {
        guard let reference, let page, let glyphs = document.texts.glyphs(page) else { return nil }
        return glyphs.occurrences(of: reference).last?.lowerBound
    }
}

extension DocumentState {
    /// The link annotation at the page's cursor.
    fileprivate var linkAtCursor: ListRow? {
        guard let glyphs = page.glyphs?.glyphs, glyphs.indices.contains(page.cursor.glyph) else { return nil }
        let place = glyphs[page.cursor.glyph].box.middle
        return page.rows.first { $0.kind == .link && $0.box?.contains(place) == true }
    }

    /// The number at the page's cursor, if it stands in square brackets: `[12]`, also in `[3, 12]`.
    fileprivate var referenceAtCursor: String? {
        guard let glyphs = page.glyphs, glyphs.glyphs.indices.contains(page.cursor.glyph) else { return nil }
        let start = max(0, page.cursor.glyph - 60)
        let text = Array(glyphs.glyphs[start..<min(glyphs.count, page.cursor.glyph + 60)]).map { glyph in
            glyph.isSpace ? " " : Character(glyph.shown.base)
        }
        let cursor = page.cursor.glyph - start
        guard let open = text[...cursor].lastIndex(of: "["),
            let close = text[cursor...].firstIndex(of: "]"), !text[open..<cursor].contains("]")
        else { return nil }
        let inside = text[(open + 1)..<close]
        guard inside.contains(where: \.isNumber), inside.allSatisfy({ $0.isNumber || " ,;-–".contains($0) }) else {
            return nil
        }
        // The number under the cursor, else the first one.
        var from = min(max(cursor, open + 1), close - 1)
        if !text[from].isNumber { from = inside.firstIndex(where: \.isNumber) ?? from }
        let first = text[...from].lastIndex { !$0.isNumber }.map { $0 + 1 } ?? 0
        let last = text[from...].firstIndex { !$0.isNumber } ?? text.count
        return "[" + String(text[first..<last]) + "]"
    }
}

extension DocumentIndex {
    /// Returns the last page with a text.
    func lastPage(with text: String) -> Int? {
        let sought = PageGlyphs.searchText(of: text)
        return texts.filter { PageGlyphs.count(of: sought, in: $0.value) > 0 }.keys.max()
    }
}

extension Canvas {
    mutating func drawLook(_ state: AppState) {
        guard let document = state.document, let look = document.look else { return }
        let box = state.lookBox
        let place: CleanText = look.page.map { "page \(document.label(of: $0))" } ?? ""
        let name = [CleanText(cleaning: look.reference ?? ""), place].filter { !$0.isEmpty }
        draw(box, name.dropFirst().reduce(name.first ?? "A look") { $0 + art.dot + $1 }, state)
        let lines = state.lookLines
        let top = max(0, min(look.top, lines.count - box.inside.rows))
        for (row, line) in lines.dropFirst(top).prefix(box.inside.rows).enumerated() {
            write(line, in: box.inside, row: row, style: state.theme.text)
        }
    }
}
