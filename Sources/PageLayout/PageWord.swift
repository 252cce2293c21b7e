import Annotations
import PDFPages
import Screen

/// A word of the source that can be trusted: cleaned for the screen, with a finite box of some size.
struct PageWord {
    var shown: [Glyph]
    var box: Rect
    /// The line it had in the source. Poppler's lines are right about order within them, and sometimes run
    /// across the gap between two columns.
    var sourceLine: Int

    /// What the word takes on the screen.
    var cells: Int
    /// Whether it is written from right to left; its glyphs are in the order they are read all the same.
    var isRightToLeft: Bool
}

extension PageWord {
    /// More than this on one page is not reading matter; the rest is left out so that a hostile page stays quick.
    static let maxWords = 20_000
    static let maxGlyphs = 200_000

    /// The words of a page that have a place on it. What has no text, or a box that is no box, is dropped.
    static func words(of page: PageText) -> [PageWord] {
        var words: [PageWord] = []
        words.reserveCapacity(min(page.words.count, maxWords))
        var left = maxGlyphs
        for word in page.words.prefix(maxWords) where left > 0 {
            guard let box = word.box.usable else { continue }
            var shown = Array(glyphs(of: word.text).prefix(left))
            guard !shown.isEmpty else { continue }
            left -= shown.count
            let isRightToLeft = RightToLeft.isWritten(shown)
            if isRightToLeft { shown = RightToLeft.readingOrder(shown) }
            words.append(
                PageWord(
                    shown: shown, box: box, sourceLine: word.line, cells: shown.reduce(0) { $0 + $1.width },
                    isRightToLeft: isRightToLeft))
        }
        return words
    }

    /// The text cleaned. A soft hyphen is one only at the end of a word; elsewhere it shows nothing.
    private static func glyphs(of text: String) -> [Glyph] {
        var text = text
        if text.unicodeScalars.contains("\u{AD}") {
            let endsSoft = text.unicodeScalars.last == "\u{AD}"
            text.unicodeScalars.removeAll { $0 == "\u{AD}" }
            if endsSoft { text += "-" }
        }
        let all = Array(CleanText(cleaning: text).glyphs)
        guard let first = all.firstIndex(where: { $0 != .blank }), let last = all.lastIndex(where: { $0 != .blank })
        else { return [] }
        return Array(all[first...last])
    }
}

extension Rect {
    /// The box with its size made positive, or nil when a number in it is not finite or beyond any page.
    fileprivate var usable: Rect? {
        let limit = 100_000.0
        for number in [left, top, width, height] where !(number.magnitude <= limit) { return nil }
        return Rect(
            left: min(left, right), top: min(top, bottom), width: max(width.magnitude, 0.01),
            height: max(height.magnitude, 0.01))
    }

    /// How far two boxes share the same height on the page: 0 beside each other, 1 when the flatter one lies
    /// wholly within the other.
    func sharedHeight(_ other: Rect) -> Double {
        let shared = min(bottom, other.bottom) - max(top, other.top)
        return max(0, shared) / max(min(height, other.height), 0.01)
    }

    static func around(_ boxes: some Sequence<Rect>) -> Rect {
        var result: Rect?
        for box in boxes { result = result?.union(box) ?? box }
        return result ?? Rect(left: 0, top: 0, width: 0, height: 0)
    }
}

/// The middle value, or `otherwise` for nothing.
func median(_ values: [Double], otherwise: Double) -> Double {
    guard !values.isEmpty else { return otherwise }
    return values.sorted()[values.count / 2]
}
