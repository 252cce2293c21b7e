import Screen

/// Fills rows with running text, with breaks at spaces and between wide letters.
struct RowFiller {
    var rows: RowSetter
    private let page: PageGlyphs
    private let width: Int
    /// Indent of the current text.
    private var indent = 0
    private var role = TypesetRow.Role.body

    /// A part of unbroken text waiting to be placed.
    private enum Piece: Equatable {
        case glyph(Int)
        /// A hyphen that is not shown.
        case hidden(Int)
        case ornament(Character)
    }
    private var pending: [Piece] = []
    private var pendingWidth = 0
    /// Blank cells before the pending pieces, unless they begin a row.
    private var owed = 0

    init(page: PageGlyphs, width: Int, brackets: MarkBrackets) {
        rows = RowSetter(page: page, brackets: brackets)
        self.page = page
        self.width = width
    }

    /// Begins a text.
    /// - Parameters:
    ///   - indent: blank cells before its rows; with `outdent`, not before the first.
    ///   - lead: text before it.
    mutating func begin(_ role: TypesetRow.Role, indent: Int = 0, outdent: Bool = false, lead: String = "") {
        self.role = role
        self.indent = indent
        if !outdent { rows.advance(to: 1 + indent) }
        rows.set(ornament: lead)
    }

    /// Adds a source line, connected to the previous one by its joint.
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
                pendingWidth += rows.cells(of: index)
            }
        }
    }

    /// Adds the bar between two cells of a table that is too wide.
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

    /// Puts a space of the page after its word, in the margin if necessary, so that it has a cell.
    private mutating func add(space index: Int) {
        place()
        if rows.column <= width + 1 { rows.set(index) } else { rows.pass(index) }
    }

    /// Puts the pending text into this row, or into the next if it does not fit; splits text longer than a row.
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
                wrap(before: rows.cells(of: index))
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

    /// Starts the next row when the cells do not fit into this one.
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

    /// Returns `^` or `_` where raised or lowered glyphs begin.
    private func sign(before index: Int) -> Character? {
        let glyph = page.glyphs[index]
        if glyph.role == .letter { return nil }
        if index > 0, page.glyphs[index - 1].line == glyph.line, page.glyphs[index - 1].role == glyph.role {
            return nil
        }
        return glyph.role == .raised ? "^" : "_"
    }

    /// Closing punctuation that must not begin a row.
    private static let neverFirst: Set<Unicode.Scalar> = [
        "、", "。", "，", "．", "！", "？", "：", "；", "）", "」", "』", "】", "〉", "》", "〕", ",", ".", ")", "]", "!", "?", ":",
        ";",
        "ー", "・", "…", "”", "’",
    ]
}
