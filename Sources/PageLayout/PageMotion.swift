/// The cursor of a page: a glyph, and the preferred column for moving between rows.
package struct PageCursor: Hashable, Sendable {
    package var glyph: Int
    package var column: Int?

    package init(glyph: Int, column: Int? = nil) { (self.glyph, self.column) = (glyph, column) }
}

package enum PageMotion: Hashable, Sendable, CaseIterable {
    case left, right, up, down
    case wordForward, wordBack, wordEnd
    case rowStart, rowText, rowEnd
    case sentenceForward, sentenceBack
    case blockForward, blockBack
    case first, last
}

extension TypesetPage {
    /// Returns the target of a motion; nil at the end of the page, so that the caller can continue on the next page.
    /// `rowStart`, `rowText` and `rowEnd` stay in the row.
    package func moved(_ cursor: PageCursor, by motion: PageMotion, in page: PageGlyphs) -> PageCursor? {
        guard page.glyphs.indices.contains(cursor.glyph) else { return nil }
        switch motion {
        case .up: return movedRow(cursor, by: -1)
        case .down: return movedRow(cursor, by: 1)
        case .rowStart, .rowText, .rowEnd: return atRow(cursor, motion, page)
        default: return page.moved(cursor.glyph, by: motion).map { PageCursor(glyph: $0) }
        }
    }

    private func movedRow(_ cursor: PageCursor, by step: Int) -> PageCursor? {
        let column = cursor.column ?? spots[cursor.glyph].column
        var row = spots[cursor.glyph].row + step
        while rows.indices.contains(row) {
            if let glyph = glyph(inRow: row, nearest: column) { return PageCursor(glyph: glyph, column: column) }
            row += step
        }
        return nil
    }

    private func atRow(_ cursor: PageCursor, _ motion: PageMotion, _ page: PageGlyphs) -> PageCursor? {
        let row = rows[spots[cursor.glyph].row]
        let glyphs = row.cells.compactMap { cell -> Int? in
            if case .glyph(let index) = cell { index } else { nil }
        }
        let text = glyphs.filter { !page.glyphs[$0].isSpace }
        switch motion {
        case .rowStart: return PageCursor(glyph: glyphs.first ?? cursor.glyph)
        case .rowText: return PageCursor(glyph: text.first ?? cursor.glyph)
        default: return PageCursor(glyph: text.last ?? cursor.glyph, column: .max)
        }
    }
}

extension PageGlyphs {
    /// Returns the target of a motion that follows the text, not the rows.
    package func moved(_ glyph: Int, by motion: PageMotion) -> Int? {
        switch motion {
        case .left: return (0..<glyph).last { glyphs[$0].role != .lineEndHyphen }
        case .right: return (glyph + 1..<max(glyph + 1, count)).first { glyphs[$0].role != .lineEndHyphen }
        case .wordForward:
            let next = words.partitionPoint { $0.core.lowerBound <= glyph }
            return next < words.count ? words[next].core.lowerBound : nil
        case .wordBack:
            let next = words.partitionPoint { $0.core.lowerBound < glyph }
            return next > 0 ? words[next - 1].core.lowerBound : nil
        case .wordEnd:
            let next = words.partitionPoint { $0.core.upperBound - 1 <= glyph }
            return next < words.count ? words[next].core.upperBound - 1 : nil
        case .sentenceForward: return Self.following(glyph, sentenceStarts)
        case .sentenceBack: return Self.preceding(glyph, sentenceStarts)
        case .blockForward: return Self.following(glyph, blocks.map(\.glyphs.lowerBound))
        case .blockBack: return Self.preceding(glyph, blocks.map(\.glyphs.lowerBound))
        case .first: return glyphs.isEmpty ? nil : 0
        case .last: return glyphs.lastIndex { $0.role != .lineEndHyphen }
        case .up, .down, .rowStart, .rowText, .rowEnd: return nil
        }
    }

    private static func following(_ glyph: Int, _ starts: [Int]) -> Int? {
        let next = starts.partitionPoint { $0 <= glyph }
        return next < starts.count ? starts[next] : nil
    }

    private static func preceding(_ glyph: Int, _ starts: [Int]) -> Int? {
        let next = starts.partitionPoint { $0 < glyph }
        return next > 0 ? starts[next - 1] : nil
    }
}
