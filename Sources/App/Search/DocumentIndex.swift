import PageLayout

/// The text of the pages read so far, in search form, with the places where a text occurs.
struct DocumentIndex: Equatable, Sendable {
    /// By page.
    private(set) var texts: [Int: String] = [:]
    /// Whether indexing was requested.
    var isAsked = false
    /// Why the index stays incomplete, as a sentence.
    var problem: String?

    private var sought = ""
    /// Occurrences of `sought` on each page read so far.
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

    /// Returns whether indexing is still running.
    func isRunning(of pages: Int) -> Bool { isAsked && problem == nil && texts.count < pages }

    /// Returns the occurrences on a page; nil until the page is read.
    func hits(on page: Int) -> Int? { counts[page] }

    /// Returns the hits on all earlier pages.
    func hits(before page: Int) -> Int { counts.reduce(0) { $0 + ($1.key < page ? $1.value : 0) } }

    var total: Int { counts.values.reduce(0, +) }

    /// Returns the percentage of pages read.
    func percent(of pages: Int) -> Int { pages > 0 ? min(100, 100 * texts.count / pages) : 100 }

    /// Returns the next page with a hit, wrapping around the document back to the start page.
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
        /// A page on the way has not been read yet.
        case notYet
        case nowhere
    }
}
