import Synchronization

extension PDFTools {
    /// The words of some pages, handed over one page after the other while the rest is still being read.
    ///
    /// The next page waits until `each` is done with the one before. A page without text comes with no words.
    package func text(
        of file: String, pages: ClosedRange<Int>, each: @escaping @Sendable (Int, PageText) async throws -> Void
    ) async throws {
        let listing = try await pageListing(of: file, pages: pages)
        let last = min(pages.upperBound, listing.pageCount - 1)
        let sizes = (pages.lowerBound...last).map { listing.sizes[$0] ?? .usual }
        let sink = PageSink(reader: PageTextReader(sizes: sizes), next: pages.lowerBound, each: each)
        let range = ["-f", "\(pages.lowerBound + 1)", "-l", "\(last + 1)"]
        let path = try Self.argument(for: file)
        let outcome = try await run(
            .pdftotext, ["-q", "-bbox-layout", "-cropbox"] + range + [path, "-"], into: sink)
        // Out of memory the tool may end well and have printed nothing: the pages are counted.
        guard outcome.exitCode == 0, outcome.sink.next == last + 1 else { throw try await reason(for: file) }
    }

    /// The words of one page.
    package func text(of file: String, page: Int) async throws -> PageText {
        let found = Mutex<PageText?>(nil)
        try await text(of: file, pages: page...page) { _, text in found.withLock { $0 = text } }
        guard let text = found.withLock({ $0 }) else { throw PDFError.damaged }
        return text
    }

    /// The listing of pages that are all, or at least in part, in the file.
    private func pageListing(of file: String, pages: ClosedRange<Int>) async throws -> InfoListing {
        guard pages.lowerBound >= 0 else { throw PDFError.noSuchPage(pages.lowerBound, count: 0) }
        do {
            let capped = pages.clamped(to: 0...max(limits.pages - 1, pages.lowerBound))
            return try await listing(of: file, pages: capped)
        } catch PDFError.damaged where pages.lowerBound > 0 {
            // The tool tells a page too far by failing.
            let count = try await listing(of: file, pages: 0...0).pageCount
            guard pages.lowerBound >= count else { throw PDFError.damaged }
            throw PDFError.noSuchPage(pages.lowerBound, count: count)
        }
    }
}

/// Hands on each page as soon as it is complete.
private struct PageSink: OutputSink {
    var reader: PageTextReader
    var next: Int
    let each: @Sendable (Int, PageText) async throws -> Void

    mutating func receive(_ bytes: [UInt8]) async throws {
        for page in reader.receive(bytes) {
            try await each(next, page)
            next += 1
        }
    }
}
