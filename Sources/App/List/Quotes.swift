import Annotations
import InstantCore
import PageLayout

/// The words under marks, by record, for pages that have been read.
struct Quotes: Equatable, Sendable {
    private struct Quote: Equatable {
        var rects: [Rect]
        var words: String
    }

    private var quotes: [ByteOrdered: Quote] = [:]
    private static let maxCount = 5000

    /// Returns the marked words; empty if the mark covers none, nil if its page has not been read yet.
    func words(of row: ListRow) -> String? {
        guard let quote = quotes[ByteOrdered(row.id)], quote.rects == row.rects else { return nil }
        return quote.words
    }

    static func isNeeded(for row: ListRow) -> Bool {
        row.kind.isMarkup && !row.rects.isEmpty && row.pageIndex != nil
    }

    /// Reads the words of the rows on a page.
    mutating func read(_ rows: [ListRow], of page: Int, in glyphs: PageGlyphs?) {
        if quotes.count > Self.maxCount { quotes = [:] }
        for row in rows where row.pageIndex == page && Self.isNeeded(for: row) && words(of: row) == nil {
            quotes[ByteOrdered(row.id)] = Quote(
                rects: row.rects, words: glyphs.map { $0.words(under: row.rects) } ?? "")
        }
    }
}
