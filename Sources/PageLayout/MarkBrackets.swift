/// Brackets to set beside the glyphs of marked text, where marks cannot be shown by colours.
///
/// They take cells of their own, so that the words stay apart from their neighbours; only in a margin or a wide gap do
/// they take a blank.
package struct MarkBrackets: Equatable, Sendable {
    package static let none = MarkBrackets()

    /// The brackets before and after a glyph, by its index.
    private var before: [Int: String] = [:]
    private var after: [Int: String] = [:]

    private init() {}

    /// - Parameters:
    ///   - view: In the reading view, a mark over several rows opens in the first and closes in the last; in the layout
    ///     view, where other text is next to the mark, it does so in each line.
    ///   - presented: The selection of a presenter, in braces.
    package init(_ marks: PageMarks, presented: PageMarks? = nil, in view: TypesetPage.View, of page: PageGlyphs) {
        var stretches = marks.ranges.indices.flatMap { mark in
            marks.ranges[mark].map { Stretch(glyphs: $0, brackets: Self.brackets(depth: marks.depths[mark])) }
        }
        stretches += (presented?.ranges ?? []).joined().map { Stretch(glyphs: $0, brackets: ("{", "}")) }
        stretches = stretches.flatMap { stretch in
            stretch.pieces(in: view, of: page).map { Stretch(glyphs: $0, brackets: stretch.brackets) }
        }
        // Of marks that begin or end together, the longer one is outside.
        for stretch in stretches.sorted(by: { $0.glyphs.count < $1.glyphs.count }) {
            before[stretch.glyphs.lowerBound, default: ""].insert(stretch.brackets.0, at: "".startIndex)
            after[stretch.glyphs.upperBound - 1, default: ""].append(stretch.brackets.1)
        }
    }

    func before(_ glyph: Int) -> String { before[glyph] ?? "" }
    func after(_ glyph: Int) -> String { after[glyph] ?? "" }

    /// The cells that the brackets beside a glyph need.
    func cells(beside glyph: Int) -> Int { before(glyph).count + after(glyph).count }

    private static func brackets(depth: Int) -> (Character, Character) {
        switch depth {
        case 0: ("[", "]")
        case 1: ("<", ">")
        default: ("(", ")")
        }
    }
}

/// Marked glyphs, with their brackets.
private struct Stretch {
    var glyphs: Range<Int>
    var brackets: (Character, Character)

    /// Returns the parts with brackets of their own, without the spaces around them.
    func pieces(in view: TypesetPage.View, of page: PageGlyphs) -> [Range<Int>] {
        let shown = glyphs.filter { !page.glyphs[$0].isSpace && page.glyphs[$0].role != .lineEndHyphen }
        var pieces: [Range<Int>] = []
        for glyph in shown {
            if let last = pieces.last,
                view == .reading || page.glyphs[last.upperBound - 1].line == page.glyphs[glyph].line
            {
                pieces[pieces.count - 1] = last.lowerBound..<glyph + 1
            } else {
                pieces.append(glyph..<glyph + 1)
            }
        }
        return pieces
    }
}
