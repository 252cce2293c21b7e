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
    /// The pages that seem to have `sought`; the others are taken for pages without it until they are read. nil if
    /// nothing is known.
    private var likely: Set<Int>?

    mutating func add(_ page: Int, _ text: String) {
        texts[page] = text
        if !sought.isEmpty { counts[page] = PageGlyphs.count(of: sought, in: text) }
    }

    /// Returns whether other words were sought before.
    @discardableResult
    mutating func seek(_ text: String) -> Bool {
        let wanted = PageGlyphs.searchText(of: text)
        guard wanted != sought else { return false }
        sought = wanted
        likely = nil
        counts = texts.mapValues { PageGlyphs.count(of: wanted, in: $0) }
        return true
    }

    /// Notes the pages that seem to have this text, unless another one is sought by now.
    mutating func setLikely(_ pages: Set<Int>, for text: String) {
        if PageGlyphs.searchText(of: text) == sought { likely = pages }
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
        var isComplete = true
        for distance in stride(from: 1, through: pages, by: 1) {
            let next = ((page + step * distance) % pages + pages) % pages
            if let count = counts[next] {
                if count > 0 { return .page(next) }
            } else if problem != nil {
                return .nowhere
            } else if likely?.contains(next) == false {
                isComplete = false
            } else {
                return .notYet
            }
        }
        return isComplete ? .nowhere : .notYet
    }

    enum Found: Equatable {
        case page(Int)
        /// A page on the way, which may have a hit, has not been read yet.
        case notYet
        case nowhere
    }
}
