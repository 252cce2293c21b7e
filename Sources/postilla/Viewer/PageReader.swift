import App
import PDFPages
import Screen

/// The pages of one PDF on this machine, read ahead of the person: a page that was asked for brings its neighbours.
///
/// Each page is a child process of about 40 ms, so a page is read once, requests for one that is on its way join it,
/// and the pages last used are kept.
actor PageReader {
    private let file: String
    private let tools: PDFTools
    private let capacity = 64
    private var pages: [Int: Task<PageText, any Error>] = [:]
    /// Least recently used first.
    private var order: [Int] = []
    private var pageCount = Int.max
    /// What goes through the whole file, for as long as it is open.
    private var readings: [Task<Void, Never>] = []
    /// The one of them that reads all pages.
    private var texts: Task<Void, Never>?
    /// What reads the words under marks.
    private var quotes: Task<Void, Never>?
    /// Pages read in one process when all are wanted: the limits of a process are for a few.
    private static let stretch = 32
    /// The same where each brings the list anew.
    private static let quotedStretch = 8

    /// What is known of the file without looking into it.
    nonisolated let known: PDFInfo?
    private let found: @Sendable (PDFInfo) -> Void

    /// - Parameter found: told what had to be looked up.
    init(
        file: String, tools: PDFTools = PDFTools(), known: PDFInfo? = nil,
        found: @escaping @Sendable (PDFInfo) -> Void = { _ in }
    ) {
        self.file = file
        self.tools = tools
        self.known = known
        self.found = found
        if let known { pageCount = known.pages.count }
    }

    /// - Throws: ``PDFError``
    func info() async throws -> PDFInfo {
        if let known { return known }
        let info = try await tools.info(of: file)
        pageCount = info.pages.count
        found(info)
        return info
    }

    /// - Throws: ``PDFError``
    func text(_ page: Int) async throws -> PageText {
        let text = try await task(for: page).value
        for next in [page + 1, page - 1, page + 2] where next >= 0 && next < pageCount { _ = task(for: next) }
        return text
    }

    /// Painted as large as a frame lets it be, and no larger than so many pixels in all.
    ///
    /// - Throws: ``PDFError``
    func picture(_ page: Int, frame: (width: Int, height: Int), most: Int) async throws -> PagePicture {
        let sizes = try await info().pages
        guard sizes.indices.contains(page) else { throw PDFError.noSuchPage(page, count: sizes.count) }
        var size = Pixels.fitting((sizes[page].width, sizes[page].height), into: frame)
        if size.width * size.height > most {
            let scale = (Double(most) / Double(size.width * size.height)).squareRoot()
            size = (max(1, Int(Double(size.width) * scale)), max(1, Int(Double(size.height) * scale)))
        }
        return try await tools.picture(of: file, page: page, width: size.width, height: size.height)
    }

    private func task(for page: Int) -> Task<PageText, any Error> {
        order.removeAll { $0 == page }
        order.append(page)
        if let task = pages[page] { return task }
        let (file, tools) = (file, tools)
        let task = Task { try await tools.text(of: file, page: page) }
        pages[page] = task
        while order.count > capacity { pages.removeValue(forKey: order.removeFirst())?.cancel() }
        return task
    }

    /// Outline and labels, or that there are none: they are no part of what has to be seen.
    nonisolated func tellNavigation(_ post: @escaping @Sendable (Message) -> Void) {
        let (file, tools) = (file, tools)
        let task = Task(priority: .utility) {
            let navigation = (try? await tools.navigation(of: file)) ?? PDFNavigation()
            if !Task.isCancelled { post(.navigation(navigation)) }
        }
        Task { await keep(task) }
    }

    /// The text of every page, as it is searched.
    nonisolated func tellTexts(_ post: @escaping @Sendable (Message) -> Void) {
        let task = Task(priority: .utility) {
            do {
                try await readTexts { post(.indexed($0, $1)) }
            } catch is CancellationError {
                return
            } catch { post(.indexFailed("\(error)")) }
        }
        Task { await keep(texts: task) }
    }

    /// The words under marks, into the layer that has the marks; one round at a time.
    nonisolated func tellQuotes(_ reads: LayerReads) { Task { await quote(reads) } }

    private func quote(_ reads: LayerReads) {
        guard quotes == nil else { return }
        quotes = Task(priority: .utility) {
            let (file, tools) = (file, tools)
            // A record may name a page that is not there.
            let pages = await reads.pagesToQuote(from: file).filter { $0 < pageCount }
            for pages in pages.stretches(of: Self.quotedStretch) where !Task.isCancelled {
                // A page that cannot be read has no words that could be found.
                try? await tools.text(of: file, pages: pages) { reads.note(quotes: $1, ofPage: $0, from: file) }
                reads.note { _ in .quoted(isAll: false) }
            }
            reads.note { _ in .quoted(isAll: true) }
            quotes = nil
        }
    }

    nonisolated func stopTexts() { Task { await keep(texts: nil) } }

    private func keep(texts task: Task<Void, Never>?) {
        texts?.cancel()
        texts = task
    }

    private func readTexts(_ each: @escaping @Sendable (Int, String) -> Void) async throws {
        let count = try await info().pages.count
        for start in stride(from: 0, to: count, by: Self.stretch) {
            let pages = start...min(start + Self.stretch, count) - 1
            try await tools.text(of: file, pages: pages) { each($0, PageGlyphs($1).searchText) }
        }
    }

    private func keep(_ task: Task<Void, Never>) { readings.append(task) }

    func close() {
        for task in readings { task.cancel() }
        readings = []
        keep(texts: nil)
        quotes?.cancel()
        for task in pages.values { task.cancel() }
        pages = [:]
        order = []
    }
}

extension [Int] {
    /// Ascending numbers as ranges that hold them, each of so many at most and with nothing else in it.
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
