import PDFPages
import PageLayout

/// A cache of the most recently used page texts.
struct PageTexts: Equatable, Sendable {
    enum Entry: Equatable, Sendable {
        case loading
        case text(PageGlyphs)
        /// Why the page has no text, as a sentence.
        case failed(String)
    }

    private var entries: [Int: Entry] = [:]
    private var order: [Int] = []
    private static let maxPages = 16

    subscript(page: Int) -> Entry? { entries[page] }

    func glyphs(_ page: Int) -> PageGlyphs? {
        if case .text(let glyphs) = entries[page] { glyphs } else { nil }
    }

    /// Whether a page is loading. Only one page is loaded at a time.
    var isLoading: Bool { entries.values.contains(.loading) }

    mutating func set(_ page: Int, _ entry: Entry) {
        entries[page] = entry
        keep(page)
        if order.count > Self.maxPages { entries[order.removeFirst()] = nil }
    }

    /// Marks a page as the most recently used.
    mutating func keep(_ page: Int) {
        guard entries[page] != nil, order.last != page else { return }
        order.removeAll { $0 == page }
        order.append(page)
    }
}
