import PDFPages
import PageLayout

/// The texts of the pages that were looked at last.
struct PageTexts: Equatable, Sendable {
    enum Entry: Equatable, Sendable {
        case loading
        case text(PageGlyphs)
        /// Why there is none, in a sentence.
        case failed(String)
    }

    private var entries: [Int: Entry] = [:]
    private var order: [Int] = []
    private static let maxPages = 16

    subscript(page: Int) -> Entry? { entries[page] }

    func glyphs(_ page: Int) -> PageGlyphs? {
        if case .text(let glyphs) = entries[page] { glyphs } else { nil }
    }

    /// Whether a page is being fetched, so that only one at a time is.
    var isLoading: Bool { entries.values.contains(.loading) }

    mutating func set(_ page: Int, _ entry: Entry) {
        entries[page] = entry
        keep(page)
        if order.count > Self.maxPages { entries[order.removeFirst()] = nil }
    }

    /// Looked at just now: the last to go.
    mutating func keep(_ page: Int) {
        guard entries[page] != nil, order.last != page else { return }
        order.removeAll { $0 == page }
        order.append(page)
    }
}
