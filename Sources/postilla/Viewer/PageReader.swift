import PDFPages

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

    init(file: String, tools: PDFTools = PDFTools()) {
        self.file = file
        self.tools = tools
    }

    /// - Throws: ``PDFError``
    func info() async throws -> PDFInfo {
        let info = try await tools.info(of: file)
        pageCount = info.pages.count
        return info
    }

    /// - Throws: ``PDFError``
    func text(_ page: Int) async throws -> PageText {
        let text = try await task(for: page).value
        for next in [page + 1, page - 1, page + 2] where next >= 0 && next < pageCount { _ = task(for: next) }
        return text
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

    func close() {
        for task in pages.values { task.cancel() }
        pages = [:]
        order = []
    }
}
