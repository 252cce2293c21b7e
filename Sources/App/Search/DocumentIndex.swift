import PageLayout

/// The text of all pages as it is compared in a search, as far as it was read: where a text occurs in the document.
struct DocumentIndex: Equatable, Sendable {
    /// By page.
    private var texts: [Int: String] = [:]
    /// It was asked for.
    var isAsked = false
    /// Why it will not become whole, in a sentence.
    var problem: String?

    private var sought = ""
    /// How often `sought` occurs on each page that was read.
    private var counts: [Int: Int] = [:]

    mutating func add(_ page: Int, _ text: String) {
        texts[page] = text
        if !sought.isEmpty { counts[page] = PageGlyphs.count(of: sought, in: text) }
    }

    mutating func seek(_ text: String) {
        let wanted = PageGlyphs.searchText(of: text)
        guard wanted != sought else { return }
        sought = wanted
        counts = texts.mapValues { PageGlyphs.count(of: wanted, in: $0) }
    }

    /// More of it is on its way.
    func isRunning(of pages: Int) -> Bool { isAsked && problem == nil && texts.count < pages }

    /// How often what is sought occurs on a page; nil while the page was not read.
    func hits(on page: Int) -> Int? { counts[page] }

    /// Hits on the pages before one.
    func hits(before page: Int) -> Int { counts.reduce(0) { $0 + ($1.key < page ? $1.value : 0) } }

    var total: Int { counts.values.reduce(0, +) }

    /// Hundredths of the document that were read.
    func percent(of pages: Int) -> Int { pages > 0 ? min(100, 100 * texts.count / pages) : 100 }

    /// The next page with a hit, round the end of the document back to the one it began at.
    ///
    /// - Parameter step: 1 or -1.
    func page(from page: Int, by step: Int, of pages: Int) -> Found {
        for distance in stride(from: 1, through: pages, by: 1) {
            let next = ((page + step * distance) % pages + pages) % pages
            guard let count = counts[next] else { return problem == nil ? .notYet : .nowhere }
            if count > 0 { return .page(next) }
        }
        return .nowhere
    }

    enum Found: Equatable {
        case page(Int)
        /// A page on the way was not read yet.
        case notYet
        case nowhere
    }
}
