import Annotations
import InstantCore
import PageLayout
import Screen

extension Canvas {
    mutating func drawPage(_ state: AppState, _ document: DocumentState, in area: Area) {
        guard !area.isEmpty else { return }
        if let picture = state.picture, picture.hasTheArea {
            if let cells = picture.cells { draw(cells, in: area) }
            return
        }
        let page = document.page
        guard let typeset = page.typeset else {
            drawWithoutText(state, document, in: area)
            return
        }
        let text = area.split(left: PagePane.gutter).rest
        for row in 0..<area.rows where typeset.rows.indices.contains(page.top + row) {
            let index = page.top + row
            write(
                page.lines[index].dropping(columns: page.left), in: text, row: row,
                style: state.theme.style(of: typeset.rows[index].role))
            if let rowMarks = page.rowMarks[index] {
                let isFlashing = {
                    !document.highlights.isEmpty && document.highlights.contains(page.rows[$0].id, at: state.now)
                }
                let flash = rowMarks.marks.contains(where: isFlashing) ? state.theme.flash : .normal
                let gutter = state.theme.otherMark.adding(flash)
                write(page.gutters[index] ?? "", in: area, row: row, style: gutter)
                let current = document.currentMark
                draw(
                    rowMarks, page, row: row, in: text, current: current,
                    combinesStrike: state.markStyle.combinesStrike && art == .unicode
                ) { mark in
                    let style = state.style(of: page.rows[mark])
                    let lit = mark == current ? style.adding(state.theme.litMark) : style
                    return isFlashing(mark) ? lit.adding(state.theme.flash) : lit
                }
            }
            if let presented = page.presentedMarks[index] {
                draw(presented, page, row: row, in: text, current: nil) { _ in state.theme.presenting }
            }
        }
        for link in page.links { draw(link, page, in: text) }
        for hit in page.search?.hits ?? [] { restyle(hit, page, in: text, state.theme.searchMatch) }
        if let selected = page.selected { restyle(selected, page, in: text, state.theme.selectedText) }
        drawCursor(state, document, typeset, in: text)
        for hint in page.hints { draw(hint, page, state.theme, in: text) }
    }

    /// Draws `[a]` over the start of a link.
    private mutating func draw(_ hint: LinkHint, _ page: PagePane, _ theme: Theme, in text: Area) {
        guard let spot = page.typeset?.spot(of: hint.glyph) else { return }
        let letters = hint.letters.dropFirst(page.hintTyped.count)
        write(
            "[\(String(letters))]", in: text, row: spot.row - page.top, column: spot.column - page.left,
            style: theme.hint)
    }

    /// Draws marked words in the styles of their marks: of the shortest mark where several overlap, of the current one
    /// over all.
    private mutating func draw(
        _ marks: RowMarks, _ page: PagePane, row: Int, in text: Area, current: Int?, combinesStrike: Bool = false,
        style: (Int) -> Style
    ) {
        let spans = marks.spans.sorted { one, other in
            if (one.mark == current) != (other.mark == current) { return other.mark == current }
            return one.columns.count > other.columns.count
        }
        for span in spans {
            let columns = span.columns
            let style = style(span.mark)
            let area = Area(
                row: text.row + row, column: text.column + columns.lowerBound - page.left, rows: 1,
                columns: columns.count)
            restyle(area.intersection(text)) { $0.adding(style) }
            if combinesStrike, page.rows[span.mark].kind == .strikeOut { strike(area.intersection(text)) }
        }
    }

    /// Makes an address in the text clickable.
    private mutating func draw(_ link: PageLink, _ page: PagePane, in text: Area) {
        for area in visibleAreas(of: link.range, page, in: text) { self.link(area, to: link.target) }
    }

    /// Adds a style to the visible part of a range of glyphs.
    private mutating func restyle(_ range: Range<Int>, _ page: PagePane, in text: Area, _ style: Style) {
        for area in visibleAreas(of: range, page, in: text) { restyle(area) { $0.adding(style) } }
    }

    private func visibleAreas(of range: Range<Int>, _ page: PagePane, in text: Area) -> [Area] {
        guard let typeset = page.typeset, let glyphs = page.glyphs else { return [] }
        return typeset.pieces(of: range.clamped(to: 0..<glyphs.count), page: glyphs).compactMap { piece in
            let row = piece.row - page.top
            guard (0..<text.rows).contains(row) else { return nil }
            let area = Area(
                row: text.row + row, column: text.column + piece.columns.lowerBound - page.left, rows: 1,
                columns: piece.columns.count)
            return area.intersection(text)
        }
    }

    private mutating func drawCursor(
        _ state: AppState, _ document: DocumentState, _ typeset: TypesetPage, in text: Area
    ) {
        guard document.focus == .page, let spot = typeset.spot(of: document.page.cursor.glyph) else { return }
        let place = Position(
            row: text.row + spot.row - document.page.top, column: text.column + spot.column - document.page.left)
        guard text.contains(place) else { return }
        restyle(Area(row: place.row, column: place.column, rows: 1, columns: 1)) { $0.adding(.reverse) }
        cursor = place
    }
}

extension AppState {
    /// Whether marked words stand in brackets: only where their colours cannot be shown.
    var showsBrackets: Bool { markColors.depth == .mono || markStyle.hasBrackets }

    /// The style of a mark's words, in its own colour.
    fileprivate func style(of row: ListRow) -> Style {
        guard markColors.depth != .mono else { return row.isResolved ? theme.dimmed : theme.style(of: row.kind) }
        let color = row.color.flatMap { RGB(hex: $0) } ?? row.kind.usualColor
        if row.isResolved { return Style(.dim, foreground: markColors.ink(color)) }
        switch row.kind {
        case .highlight: return markColors.highlight(color)
        case .underline: return Style(.underline, foreground: markColors.ink(color))
        case .squiggly: return Style([.underline, .italic], foreground: markColors.ink(color))
        case .strikeOut: return Style(theme.strikeOutMark.attributes, foreground: markColors.ink(color))
        default: return theme.style(of: row.kind)
        }
    }
}

extension AnnotationKind {
    /// The colour of a mark that names none.
    fileprivate var usualColor: RGB {
        switch self {
        case .underline: RGB(46, 139, 87)
        case .strikeOut, .squiggly: RGB(220, 50, 47)
        default: RGB(255, 216, 63)
        }
    }
}

extension DocumentState {
    /// The mark under the cursor of the page or of the list: an index in the page's rows.
    fileprivate var currentMark: Int? {
        if focus == .page {
            return page.marks?.marks(at: page.cursor.glyph).first
        }
        guard let id = list.cursorID else { return nil }
        return page.rows.firstIndex { $0.id.isExactly(id) }
    }
}

extension DeliveryState {
    /// The sign in rows and gutters; nil if delivered. `!` sorts before `^` and takes precedence.
    var sign: Character? {
        switch self {
        case .delivered: nil
        case .unsent, .parked: "^"
        case .conflict, .refused: "!"
        }
    }
}

extension Theme {
    func style(of role: TypesetRow.Role) -> Style {
        switch role {
        case .body: text
        case .heading: heading
        case .dim: dimmed
        case .rule: rule
        case .placeholder: dimmed
        }
    }

    func style(of kind: AnnotationKind) -> Style {
        switch kind {
        case .highlight: highlightMark
        case .underline: underlineMark
        case .strikeOut: strikeOutMark
        case .squiggly: squigglyMark
        case .note, .comment, .commentMarker: noteMark
        default: otherMark
        }
    }
}
