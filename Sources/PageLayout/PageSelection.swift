/// A selection of glyphs in reading order, never a rectangle. It continues from the bottom of a column to the top of
/// the next.
package struct PageSelection: Hashable, Sendable {
    package enum Unit: Hashable, Sendable {
        case characters
        /// Whole rows of the view.
        case rows
    }

    /// The fixed end, and the end that moves with the cursor.
    package var anchor: Int
    package var head: Int
    package var unit: Unit

    package init(at glyph: Int, unit: Unit = .characters) {
        anchor = glyph
        head = glyph
        self.unit = unit
    }

    package mutating func swapEnds() { swap(&anchor, &head) }

    /// Extends to the surrounding word, sentence or block, whichever is the next larger; does nothing once it covers
    /// the block.
    package mutating func grow(in page: PageGlyphs) {
        guard page.glyphs.indices.contains(anchor), page.glyphs.indices.contains(head) else { return }
        let own = min(anchor, head)..<max(anchor, head) + 1
        let (first, last) = (own.lowerBound, own.upperBound - 1)
        let steps = [
            page.words[page.glyphs[first].word].core.lowerBound..<page.words[page.glyphs[last].word].core.upperBound,
            page.sentence(around: first).lowerBound..<page.sentence(around: last).upperBound,
            page.block(of: first).glyphs.lowerBound..<page.block(of: last).glyphs.upperBound,
        ]
        guard let next = steps.first(where: { $0 != own && $0.lowerBound <= first && $0.upperBound > last }) else {
            return
        }
        (anchor, head, unit) = (next.lowerBound, next.upperBound - 1, .characters)
    }

    /// Returns the selected glyphs, without spaces at the ends.
    package func range(in view: TypesetPage, of page: PageGlyphs) -> Range<Int> {
        let limit = page.count
        guard limit > 0 else { return 0..<0 }
        let first = min(max(0, min(anchor, head)), limit - 1)
        let last = min(max(0, max(anchor, head)), limit - 1)
        switch unit {
        case .characters: return page.trimmed(first..<last + 1)
        case .rows:
            let top = view.glyphs(inRowOf: first)
            let bottom = view.glyphs(inRowOf: last)
            return page.trimmed(min(top.lowerBound, bottom.lowerBound)..<max(top.upperBound, bottom.upperBound))
        }
    }
}

extension TypesetPage {
    /// Returns the contiguous glyphs, in reading order, around a glyph in its row: the row in the reading view, the
    /// part in one column in the layout view.
    package func glyphs(inRowOf glyph: Int) -> Range<Int> {
        let row = spots[glyph].row
        var range = glyph..<glyph + 1
        while range.lowerBound > 0, spots[range.lowerBound - 1].row == row {
            range = range.lowerBound - 1..<range.upperBound
        }
        while range.upperBound < spots.count, spots[range.upperBound].row == row {
            range = range.lowerBound..<range.upperBound + 1
        }
        return range
    }
}

extension PageGlyphs {
    /// Returns the number of words that a range touches, except pure punctuation.
    package func wordCount(in range: Range<Int>) -> Int {
        let first = words.partitionPoint { $0.glyphs.upperBound <= range.lowerBound }
        let end = words.partitionPoint { $0.glyphs.lowerBound < range.upperBound }
        guard first < end else { return 0 }
        return words[first..<end].count { glyphs[$0.core.lowerBound].shown.isLetterOrDigit }
    }

    /// Whether a range begins or ends within a word.
    package func cutsWords(_ range: Range<Int>) -> Bool {
        guard !range.isEmpty, glyphs.indices.contains(range.lowerBound), glyphs.indices.contains(range.upperBound - 1)
        else { return false }
        let (first, last) = (words[glyphs[range.lowerBound].word].core, words[glyphs[range.upperBound - 1].word].core)
        return first.lowerBound < range.lowerBound && range.lowerBound < first.upperBound
            || last.lowerBound < range.upperBound && range.upperBound < last.upperBound
    }

    /// Returns an excerpt of a range, its beginning and end, of about `cells` cells: `some of … change`.
    package func excerpt(of range: Range<Int>, cells: Int = 24) -> String {
        let text = text(of: range).split { $0 == "\n" || $0 == " " }.map(String.init)
        let whole = text.joined(separator: " ")
        guard whole.count > cells, text.count > 2, let last = text.last else {
            return whole.count <= cells * 2 ? whole : String(whole.prefix(cells)) + "\u{2026}"
        }
        var start = ""
        for word in text.dropLast() {
            let longer = start.isEmpty ? word : start + " " + word
            if longer.count + last.count + 3 > cells, !start.isEmpty { break }
            start = longer
        }
        return start + " \u{2026} " + last
    }
}
