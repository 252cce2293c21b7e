import Annotations
import PDFPages
import Screen

/// A validated source word: cleaned for the screen, with a finite, non-empty box.
struct PageWord {
    var shown: [Glyph]
    var box: Rect
    /// Its line in the source. The words of a Poppler line are in the right order, but a line sometimes spans the gap
    /// between two columns.
    var sourceLine: Int

    /// Width of the word on the screen.
    var cells: Int
    /// Whether it is written from right to left; its glyphs are in reading order regardless.
    var isRightToLeft: Bool
}

extension PageWord {
    /// Limits per page; the rest is dropped so that a hostile page stays fast.
    static let maxWords = 20_000
    static let maxGlyphs = 200_000

    /// Returns the valid words of a page; words without text or with an invalid box are dropped.
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

    /// Cleans a text. A soft hyphen at its end becomes a hyphen; others are removed.
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
    /// The box with positive size; nil when a number is not finite or beyond any page.
    fileprivate var usable: Rect? {
        let limit = 100_000.0
        for number in [left, top, width, height] where !(number.magnitude <= limit) { return nil }
        return Rect(
            left: min(left, right), top: min(top, bottom), width: max(width.magnitude, 0.01),
            height: max(height.magnitude, 0.01))
    }

    /// Returns the shared part of two boxes' heights: 0 without overlap, 1 when the flatter one is wholly within the
    /// other.
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

/// Returns the median, or `otherwise` if there are no values.
func median(_ values: [Double], otherwise: Double) -> Double {
    guard !values.isEmpty else { return otherwise }
    return values.sorted()[values.count / 2]
}
