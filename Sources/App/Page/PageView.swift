import Annotations
import InstantCore
import PageLayout
import Screen

extension Canvas {
    mutating func drawPageHeader(_ state: AppState, _ document: DocumentState, in area: Area) {
        guard !area.isEmpty else { return }
        let page = document.page
        let count = document.pageCount.map { " of \($0)" } ?? ""
        let label = document.label(of: page.index)
        let number: CleanText = label == "\(page.index + 1)" ? "" : " (\(page.index + 1)\(count))"
        let place: CleanText = "    Page \(label)\(number.isEmpty ? CleanText(cleaning: count) : number)"
        let forms: [CleanText]
        switch page.typeset?.view {
        case .reading?:
            forms = [" - reading view (L: layout, \(page.layoutWidth ?? 0) wide)", " - reading (L: layout)"]
        case .layout?:
            let zoom: CleanText = page.zoom == 100 ? "" : " at \(page.zoom)%"
            forms = [" - layout view\(zoom) (L: reading)", " - layout\(zoom) (L: reading)", zoom]
        case nil: forms = [""]
        }
        var right = CleanText()
        if let typeset = page.typeset, layoutRows(of: state) > 0 {
            let last = min(typeset.rows.count, page.top + layoutRows(of: state))
            right = "lines \(page.top + 1)-\(last)"
            if page.left > 0 { right = "column \(page.left + 1)  \(right)" }
        }
        if let search = page.search {
            let percent = document.index.percent(of: document.pageCount ?? 0)
            right = "/\(search.text)\(percent < 100 ? " \(percent)%" : "")  \(right)"
        }
        let style = document.focus == .page ? state.theme.title : state.theme.dimmed
        let room = area.columns - right.width - 1
        if room > 12 {
            let form = forms.first { place.width + $0.width < room } ?? ""
            write((place + form).truncated(to: room - 1), in: area, style: style)
            write(right, in: area, column: room, style: state.theme.dimmed)
        } else {
            write(place.truncated(to: area.columns), in: area, style: style)
        }
    }

    private func layoutRows(of state: AppState) -> Int { state.layout.page.rows }

    mutating func drawPage(_ state: AppState, _ document: DocumentState, in area: Area) {
        guard !area.isEmpty, state.picture == nil else { return }
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
                draw(rowMarks, page, row: row, in: text) { mark in
                    state.theme.style(of: page.rows[mark].kind).adding(isFlashing(mark) ? state.theme.flash : .normal)
                }
            }
            if let presented = page.presentedMarks[index] {
                draw(presented, page, row: row, in: text) { _ in state.theme.presenting }
            }
        }
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

    /// Draws the brackets around marked words and their styles.
    private mutating func draw(
        _ marks: RowMarks, _ page: PagePane, row: Int, in text: Area, style: (Int) -> Style
    ) {
        for span in marks.spans {
            let columns = span.columns
            let style = style(span.mark)
            let area = Area(
                row: text.row + row, column: text.column + columns.lowerBound - page.left, rows: 1,
                columns: columns.count)
            restyle(area.intersection(text)) { $0.adding(style) }
        }
        for bracket in marks.brackets where bracket.column >= page.left {
            write(
                CleanText(cleaning: String(bracket.character)), in: text, row: row, column: bracket.column - page.left)
        }
    }

    /// Adds a style to the visible part of a range of glyphs.
    private mutating func restyle(_ range: Range<Int>, _ page: PagePane, in text: Area, _ style: Style) {
        guard let typeset = page.typeset, let glyphs = page.glyphs else { return }
        for piece in typeset.pieces(of: range.clamped(to: 0..<glyphs.count), page: glyphs) {
            let row = piece.row - page.top
            guard (0..<text.rows).contains(row) else { continue }
            let area = Area(
                row: text.row + row, column: text.column + piece.columns.lowerBound - page.left, rows: 1,
                columns: piece.columns.count)
            restyle(area.intersection(text)) { $0.adding(style) }
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
