import App
import PDFPages
import PageLayout
import Screen
import Synchronization

/// Reads the pages of one local PDF and prefetches the neighbours of each requested page.
///
/// Each page needs a child process of about 40 ms, so a page is read once, concurrent requests share the read, and the
/// text is kept in a ``PageTextCache``.
actor PageReader {
    nonisolated let file: String
    private let tools: PDFTools
    private let capacity = 64
    private var pages: [Int: Task<PageText, any Error>] = [:]
    /// Least recently used first.
    private var order: [Int] = []
    private var pageCount = Int.max
    /// The sizes of the pages as poppler gives them, without user units; empty until they are known.
    private var sizes: [PageSize] = []
    private let texts: PageTextCache
    /// The tasks that read the whole file while it is open. They start and stop in the order of the calls, which
    /// separate tasks would not guarantee.
    private struct Background {
        var navigation: [Task<Void, Never>] = []
        /// The task that reads all pages, and the number of times it was started or stopped.
        var texts: Task<Void, Never>?
        var textsRound = 0
        /// The task that reads the words under marks.
        var quotes: Task<Void, Never>?
        var isClosed = false
    }

    private let background = Mutex(Background())
    /// The number of pages that one process reads when all are requested; a process's limits are set for a few pages.
    private static let stretch = 128
    /// The same when the words under marks are read, because the list is refreshed after each process.
    private static let quotedStretch = 8

    /// The number of unread pages above which those with the words sought are found first.
    private static let worthSifting = 2 * stretch

    /// How many processes read at the same time when all pages are requested.
    private static let readers = 2

    private var read: PDFInfo?
    private var first: Task<PDFInfo, any Error>?
    /// The plain text of all pages, once a search needed it.
    private var sifted: [Int: SiftedText]?
    /// Facts known without reading the file.
    nonisolated let known: PDFInfo?
    private let found: @Sendable (PDFInfo) -> Void
    /// Waits until what is read ahead takes no time from something that the person waits for.
    private nonisolated let turn: (@Sendable () async -> Void)?
    /// The sizes of the pages with their user units, as far as they are known.
    private nonisolated let trueSizes: @Sendable (Int) -> PageSize?

    /// - Parameters:
    ///   - texts: Where the text of the pages is kept, as poppler gives it; by default in memory.
    ///   - trueSizes: The size of a page in points with its user unit, if it is known.
    ///   - found: Called with facts read from the file.
    ///   - turn: Waits until what is read ahead takes no time from something that the person waits for.
    init(
        file: String, tools: PDFTools = PDFTools(), known: PDFInfo? = nil, texts: PageTextCache = PageTextCache(),
        trueSizes: @escaping @Sendable (Int) -> PageSize? = { _ in nil },
        found: @escaping @Sendable (PDFInfo) -> Void = { _ in }, turn: (@Sendable () async -> Void)? = nil
    ) {
        self.file = file
        self.tools = tools
        self.known = known?.scaled(to: trueSizes)
        self.trueSizes = trueSizes
        (self.turn, self.found) = (turn, found)
        self.texts = texts
        if let known { (pageCount, sizes) = (known.pages.count, known.pages) }
    }

    /// - Throws: ``PDFError``
    func info() async throws -> PDFInfo {
        if let info = known ?? read { return info }
        // A document usually opens on its first page, which is read while its pages are counted.
        _ = try? task(for: 0)
        let info = try await tools.info(of: file)
        let scaled = info.scaled(to: trueSizes)
        (pageCount, sizes, read) = (info.pages.count, info.pages, scaled)
        found(info)
        return scaled
    }

    /// Returns the facts without the sizes of later pages, and starts reading the first page.
    ///
    /// - Throws: ``PDFError``
    func firstInfo() async throws -> PDFInfo {
        if let info = known ?? read { return info }
        let task = first ?? Task { [file, tools] in try await tools.firstInfo(of: file) }
        first = task
        _ = try? self.task(for: 0)
        let info = try await task.value
        pageCount = info.pages.count
        return info.scaled(to: trueSizes)
    }

    /// Waits until the page requested last is read, or cannot be.
    func finishNewestPage() async {
        if let newest = order.last, let task = pages[newest] { _ = try? await task.value }
    }

    /// - Throws: ``PDFError``
    func text(_ page: Int) async throws -> PageText {
        let text = try await task(for: page).value
        if let turn {
            Task {
                await turn()
                try readNeighbours(of: page)
            }
        } else {
            try readNeighbours(of: page)
        }
        return text
    }

    private func readNeighbours(of page: Int) throws {
        for next in [page + 1, page - 1, page + 2] where next >= 0 && next < pageCount { _ = try task(for: next) }
    }

    /// Posts the text, unless the file has since been closed.
    nonisolated func tellText(_ page: Int, _ post: @escaping @Sendable (Message) -> Void) {
        Task {
            do {
                post(.page(page, try await text(page)))
            } catch is CancellationError {
                return
            } catch { post(.pageFailed(page, "\(error)")) }
        }
    }

    /// Whether the file has this page, as far as is known.
    func has(_ page: Int) -> Bool { page >= 0 && page < pageCount }

    /// Renders a page as large as the frame and the limit of pixels allow, or an enlarged part of it.
    ///
    /// - Parameters:
    ///   - records: The layer's annotations on the page; nil for those of the file.
    ///   - view: The part wanted.
    /// - Returns: The picture, and the part that it shows.
    /// - Throws: ``PDFError``
    func picture(
        _ page: Int, showing records: [DrawnRecord]?, frame: (width: Int, height: Int), maxPixels: Int,
        view: PictureView
    ) async throws -> (picture: PagePicture, view: PictureView) {
        let sizes = try await info().pages
        guard sizes.indices.contains(page) else { throw PDFError.noSuchPage(page, count: sizes.count) }
        var size = Pixels.fitting((sizes[page].width, sizes[page].height), into: frame)
        if size.width * size.height > maxPixels {
            let scale = (Double(maxPixels) / Double(size.width * size.height)).squareRoot()
            size = (max(1, Int(Double(size.width) * scale)), max(1, Int(Double(size.height) * scale)))
        }
        let whole = (width: Int(Double(size.width) * view.zoom), height: Int(Double(size.height) * view.zoom))
        var part = (width: min(whole.width, frame.width), height: min(whole.height, frame.height))
        if part.width * part.height > maxPixels {
            let scale = (Double(maxPixels) / Double(part.width * part.height)).squareRoot()
            part = (max(1, Int(Double(part.width) * scale)), max(1, Int(Double(part.height) * scale)))
        }
        let (x, left) = Self.place(view.x, part: part.width, whole: whole.width)
        let (y, top) = Self.place(view.y, part: part.height, whole: whole.height)
        var shown = view
        (shown.x, shown.y) = (x, y)
        let picture = try await tools.picture(
            of: file, page: page, width: whole.width, height: whole.height,
            part: PixelArea(left: left, top: top, width: part.width, height: part.height), showing: records)
        return (picture, shown)
    }

    /// Returns the middle of the visible part that the page allows, and where the part begins.
    private static func place(_ middle: Double, part: Int, whole: Int) -> (middle: Double, start: Int) {
        guard part < whole else { return (0.5, 0) }
        let start = max(0, min(whole - part, Int(middle * Double(whole)) - part / 2))
        return ((Double(start) + Double(part) / 2) / Double(whole), start)
    }

    private func task(for page: Int) throws -> Task<PageText, any Error> {
        guard !background.withLock(\.isClosed) else { throw CancellationError() }
        order.removeAll { $0 == page }
        order.append(page)
        if let task = pages[page] { return task }
        let (file, tools, texts, trueSizes) = (file, tools, texts, trueSizes)
        let size = sizes.indices.contains(page) ? sizes[page] : nil
        let first = page == 0 && size == nil ? first : nil
        let task = Task {
            if let kept = await texts.words(on: page) { return kept.scaled(to: trueSizes(page)) }
            var text = try await tools.text(of: file, page: page, size: first == nil ? size : .usual)
            if let size = try await first?.value.pages.first { (text.width, text.height) = (size.width, size.height) }
            texts.keep(text, of: page)
            return text.scaled(to: trueSizes(page))
        }
        pages[page] = task
        while order.count > capacity { pages.removeValue(forKey: order.removeFirst())?.cancel() }
        return task
    }

    /// Posts outline and labels; a failure counts as having none, because the display does not depend on them.
    nonisolated func tellNavigation(_ post: @escaping @Sendable (Message) -> Void) {
        let (file, tools, turn) = (file, tools, turn)
        background.withLock { background in
            guard !background.isClosed else { return }
            background.navigation.append(
                Task(priority: .utility) {
                    await finishNewestPage()
                    await turn?()
                    guard !Task.isCancelled else { return }
                    let navigation = (try? await tools.navigation(of: file)) ?? PDFNavigation()
                    if !Task.isCancelled { post(.navigation(navigation)) }
                })
        }
    }

    /// Posts the text of every page, for search. Replaces a search in progress.
    ///
    /// - Parameter words: pages that seem to have them come first.
    nonisolated func tellTexts(seeking words: String = "", _ post: @escaping @Sendable (Message) -> Void) {
        background.withLock { background in
            guard !background.isClosed else { return }
            background.texts?.cancel()
            background.textsRound += 1
            let round = background.textsRound
            background.texts = Task(priority: .utility) {
                do {
                    try await readTexts(seeking: words) { self.tell($0, in: round, post) }
                } catch is CancellationError {
                    return
                } catch { self.tell(.indexFailed("\(error)"), in: round, post) }
            }
        }
    }

    /// Posts nothing once the round has been stopped.
    private nonisolated func tell(_ message: Message, in round: Int, _ post: @Sendable (Message) -> Void) {
        background.withLock { if $0.textsRound == round { post(message) } }
    }

    nonisolated func stopTexts() { background.withLock { Self.stopTexts(&$0) } }

    private static func stopTexts(_ background: inout Background) {
        background.texts?.cancel()
        background.texts = nil
        background.textsRound += 1
    }

    /// Stores the words under marks in the layer with the marks; one round at a time.
    nonisolated func tellQuotes(_ reads: LayerReads) {
        background.withLock { background in
            guard !background.isClosed, background.quotes == nil else { return }
            background.quotes = Task(priority: .utility) {
                await quote(reads)
                self.background.withLock { $0.quotes = nil }
            }
        }
    }

    private func quote(_ reads: LayerReads) async {
        // A record may refer to a missing page.
        var (unread, hasKept): ([Int], Bool) = ([], false)
        for page in await reads.pagesToQuote(from: file) where page < pageCount {
            guard !Task.isCancelled else { return }
            if let kept = await texts.words(on: page) {
                reads.note(quotes: kept.scaled(to: trueSizes(page)), ofPage: page, from: file)
                hasKept = true
            } else {
                unread.append(page)
            }
        }
        if hasKept { reads.note { _ in .quoted(isAll: false) } }
        let (file, tools, texts, sizes, trueSizes) = (file, tools, texts, sizes, trueSizes)
        for pages in unread.stretches(of: Self.quotedStretch) where !Task.isCancelled {
            // An unreadable page has no words to find.
            try? await tools.text(of: file, pages: pages, sizes: sizes.isEmpty ? nil : sizes) {
                texts.keep($1, of: $0)
                reads.note(quotes: $1.scaled(to: trueSizes($0)), ofPage: $0, from: file)
            }
            reads.note { _ in .quoted(isAll: false) }
        }
        reads.note { _ in .quoted(isAll: true) }
    }

    /// Delivers all pages: first those that are kept, then those that seem to have the words, then the others, each from
    /// the current page on.
    private func readTexts(seeking words: String, _ tell: @escaping @Sendable (Message) -> Void) async throws {
        _ = try await info()
        let sizes = sizes
        let kept = await texts.searchTexts().filter { $0.key < sizes.count }
        try Task.checkCancellation()
        if !kept.isEmpty { tell(.indexed(kept)) }
        let unread = sizes.indices.filter { kept[$0] == nil }
        let found = await likelyPages(among: unread, seeking: words)
        try Task.checkCancellation()
        if let found { tell(.likelyPages(found, seeking: words)) }
        let stretches = Self.stretches(of: unread, likely: found ?? [], current: order.last ?? 0)
        let (file, tools, texts) = (file, tools, texts)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, pages) in stretches.enumerated() {
                if index >= Self.readers { try await group.next() }
                group.addTask(priority: .utility) {
                    try await tools.text(of: file, pages: pages, sizes: sizes) { page, text in
                        let searchText = PageGlyphs(text).searchText
                        texts.keep(text, of: page, searchText: searchText)
                        tell(.indexed([page: searchText]))
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Returns the ranges of pages in the order in which they are read.
    static func stretches(of unread: [Int], likely: Set<Int>, current: Int) -> [ClosedRange<Int>] {
        [unread.filter(likely.contains), unread.filter { !likely.contains($0) }].flatMap { pages in
            let stretches = pages.stretches(of: stretch)
            let first = stretches.firstIndex { $0.upperBound >= current } ?? 0
            return stretches[first...] + stretches[..<first]
        }
    }

    /// Returns the pages whose plain text seems to have the words; nil if finding them is impossible or not worth it.
    private func likelyPages(among unread: [Int], seeking words: String) async -> Set<Int>? {
        guard unread.count >= Self.worthSifting, let words = SiftedText(words: words) else { return nil }
        if sifted == nil { sifted = try? await siftedPages() }
        return sifted.map { sifted in Set(unread.filter { sifted[$0]?.contains(words) != false }) }
    }

    /// Reads the plain text of all pages, which takes poppler a third of the time that places take.
    private func siftedPages() async throws -> [Int: SiftedText] {
        let (file, tools, count) = (file, tools, sizes.count)
        let share = (count + Self.readers - 1) / Self.readers
        return try await withThrowingTaskGroup(of: [Int: SiftedText].self) { group in
            for first in stride(from: 0, to: count, by: share) {
                group.addTask(priority: .utility) {
                    try await tools.plainText(of: file, pages: first...min(first + share, count) - 1)
                        .mapValues(SiftedText.init(page:))
                }
            }
            return try await group.reduce(into: [:]) { $0.merge($1) { $1 } }
        }
    }

    /// Stops all reading; no task starts afterwards.
    nonisolated func close() {
        background.withLock { background in
            background.isClosed = true
            for task in background.navigation { task.cancel() }
            background.navigation = []
            Self.stopTexts(&background)
            background.quotes?.cancel()
        }
        Task { await dropPages() }
    }

    /// Reads each page again when it is next needed, because its size is known now.
    func forget() { dropPages() }

    private func dropPages() {
        for task in pages.values { task.cancel() }
        pages = [:]
        order = []
    }
}

extension [Int] {
    /// Returns ascending numbers as contiguous ranges of at most `most` elements.
    func stretches(of most: Int) -> [ClosedRange<Int>] {
        reduce(into: []) { stretches, number in
            if let last = stretches.last, last.upperBound == number - 1, last.count < most {
                stretches[stretches.count - 1] = last.lowerBound...number
            } else {
                stretches.append(number...number)
            }
        }
    }
}
