import Screen

/// Fills rows with running text, breaking at spaces and between wide letters.
struct RowFiller {
    var rows: RowSetter
    private let page: PageGlyphs
    private let width: Int
    /// Of the text being filled.
    private var indent = 0
    private var role = TypesetRow.Role.body

    /// A piece of text that is not broken, waiting for its place.
    private enum Piece: Equatable {
        case glyph(Int)
        /// A hyphen that is not shown.
        case hidden(Int)
        case ornament(Character)
    }
    private var pending: [Piece] = []
    private var pendingWidth = 0
    /// Blank cells owed before the pending piece, if it does not begin a row.
    private var owed = 0

    init(page: PageGlyphs, width: Int) {
        rows = RowSetter(page: page)
        self.page = page
        self.width = width
    }

    /// Begins a text.
    /// - Parameters:
    ///   - indent: cells left blank before its rows; only before those after the first with `outdent`.
    ///   - lead: what is put before it.
    mutating func begin(_ role: TypesetRow.Role, indent: Int = 0, outdent: Bool = false, lead: String = "") {
        self.role = role
        self.indent = indent
        if !outdent { rows.advance(to: 1 + indent) }
        rows.set(ornament: lead)
    }

    /// One line of the source, going on from the one before it as its joint says.
    mutating func add(_ line: PageGlyphs.Line, isFirst: Bool) {
        if !isFirst {
            switch line.joint {
            case .row: breakRow()
            case .gap: space(2)
            case .space: space(1)
            case .word: break
            }
        }
        add(line.glyphs)
    }

    mutating func add(_ range: Range<Int>) {
        for index in range {
            let glyph = page.glyphs[index]
            switch glyph.role {
            case .space: add(space: index)
            case .lineEndHyphen: pending.append(.hidden(index))
            case .raised, .lowered, .letter:
                if let sign = sign(before: index) {
                    pending.append(.ornament(sign))
                    pendingWidth += 1
                }
                if canBreak(before: index) { place() }
                pending.append(.glyph(index))
                pendingWidth += glyph.cells
            }
        }
    }

    /// The bar between two cells of a table that does not fit.
    mutating func addBar() {
        space(1)
        pending.append(.ornament("|"))
        pendingWidth += 1
        space(1)
    }

    mutating func end() {
        place()
        rows.endRow(role)
    }

    private mutating func breakRow() {
        place()
        owed = 0
        rows.endRow(role)
        rows.advance(to: 1 + indent)
    }

    private mutating func space(_ count: Int) {
        place()
        owed = max(owed, count)
    }

    /// A space of the page stands behind its word, in the margin if need be, so that it has a cell.
    private mutating func add(space index: Int) {
        place()
        if rows.column <= width + 1 { rows.set(index) } else { rows.pass(index) }
    }

    /// Puts what is pending in this row, or in the next when it does not fit; cuts what fits in none.
    private mutating func place() {
        guard !pending.isEmpty else { return }
        let isFresh = rows.column <= 1 + indent
        if !isFresh {
            let column = rows.column
            wrap(before: owed + pendingWidth)
            if rows.column == column { rows.advance(to: column + owed) }
        }
        for piece in pending {
            switch piece {
            case .glyph(let index):
                wrap(before: page.glyphs[index].cells)
                rows.set(index)
            case .hidden(let index): rows.pass(index)
            case .ornament(let sign):
                wrap(before: 1)
                rows.set(ornament: String(sign))
            }
        }
        pending = []
        pendingWidth = 0
        owed = 0
    }

    /// Goes on in the next row when so many cells do not fit in this one.
    private mutating func wrap(before cells: Int) {
        guard rows.column + cells > width + 1, rows.column > 1 + indent else { return }
        rows.endRow(role)
        rows.advance(to: 1 + indent)
    }

    private func canBreak(before index: Int) -> Bool {
        guard case .glyph(let last)? = pending.last else { return false }
        let (left, right) = (page.glyphs[last].shown, page.glyphs[index].shown)
        guard left.isWideLetter || right.isWideLetter else { return false }
        return !Self.neverFirst.contains(right.base)
    }

    /// `^` or `_` where raised or lowered glyphs begin.
    private func sign(before index: Int) -> Character? {
        let glyph = page.glyphs[index]
        if glyph.role == .letter { return nil }
        if index > 0, page.glyphs[index - 1].line == glyph.line, page.glyphs[index - 1].role == glyph.role {
            return nil
        }
        return glyph.role == .raised ? "^" : "_"
    }

    /// Closing signs that begin no row.
    private static let neverFirst: Set<Unicode.Scalar> = [
        "、", "。", "，", "．", "！", "？", "：", "；", "）", "」", "』", "】", "〉", "》", "〕", ",", ".", ")", "]", "!", "?", ":",
        ";",
        "ー", "・", "…", "”", "’",
    ]
}
