package import Annotations
import Synchronization

extension PDFTools {
    /// Delivers the words of a range of pages, page by page, while the rest is still being read.
    ///
    /// The next page waits until `each` returns. A page without text is delivered without words.
    ///
    /// - Parameter sizes: of all pages of the file, if they are known.
    package func text(
        of file: String, pages: ClosedRange<Int>, sizes: [PageSize]? = nil,
        each: @escaping @Sendable (Int, PageText) async throws -> Void
    ) async throws {
        guard let sizes else {
            let listing = try await pageListing(of: file, pages: pages)
            let last = min(pages.upperBound, listing.pageCount - 1)
            let sizes = (pages.lowerBound...last).map { listing.sizes[$0] ?? .usual }
            return try await read(file, pages.lowerBound...last, sizes: sizes, each: each)
        }
        guard sizes.indices.contains(pages.lowerBound) else {
            throw PDFError.noSuchPage(pages.lowerBound, count: sizes.count)
        }
        let pages = pages.clamped(to: 0...sizes.count - 1)
        try await read(file, pages, sizes: Array(sizes[pages]), each: each)
    }

    /// Returns the words of all pages of a file, given its frames.
    package func text(of file: String, on frames: [PageFrame]) async throws -> [PageText] {
        let sizes = frames.map { PageSize(width: $0.displayedWidth, height: $0.displayedHeight) }
        guard !sizes.isEmpty else { return [] }
        let pages = Mutex(sizes.map { PageText(width: $0.width, height: $0.height, words: []) })
        try await text(of: file, pages: 0...sizes.count - 1, sizes: sizes) { index, page in
            pages.withLock { if $0.indices.contains(index) { $0[index] = page.scaled(to: sizes[index]) } }
        }
        return pages.withLock { $0 }
    }

    /// Returns the words of one page. A page without words is an error if it may have some that cannot be read.
    ///
    /// - Parameter size: of the page, if it is known. Otherwise a second process finds it at the same time.
    package func text(of file: String, page: Int, size: PageSize? = nil) async throws -> PageText {
        guard page >= 0 else { throw PDFError.noSuchPage(page, count: 0) }
        let found = Mutex<PageText?>(nil)
        async let listing = size == nil ? pageListing(of: file, pages: page...page) : nil
        do {
            try await read(file, page...page, sizes: [size ?? .usual]) { _, text in found.withLock { $0 = text } }
        } catch let error as PDFError {
            // Only the listing shows whether the page exists.
            _ = try await listing
            throw error
        }
        guard var text = found.withLock({ $0 }) else { throw PDFError.damaged }
        if text.words.isEmpty, try await lacksCharacterMaps(file, page: page) { throw PDFError.characterMapsMissing }
        if let listing = try await listing {
            let size = listing.sizes[page] ?? .usual
            (text.width, text.height) = (size.width, size.height)
        }
        return text
    }

    /// Returns the text of a range of pages as poppler orders it, in UTF-8, without places.
    package func plainText(of file: String, pages: ClosedRange<Int>) async throws -> [Int: [UInt8]] {
        let range = ["-f", "\(pages.lowerBound + 1)", "-l", "\(pages.upperBound + 1)"]
        let outcome = try await run(
            .pdftotext, ["-q"] + range + [try Self.argument(for: file), "-"], into: CollectedOutput())
        // Each page ends with a form feed.
        let texts = outcome.sink.bytes.split(separator: 0x0C, omittingEmptySubsequences: false)
        guard outcome.exitCode == 0, texts.count > pages.count else { throw try await reason(for: file) }
        return Dictionary(uniqueKeysWithValues: zip(pages, texts.map(Array.init)))
    }

    /// - Parameter sizes: of these pages.
    private func read(
        _ file: String, _ pages: ClosedRange<Int>, sizes: [PageSize],
        each: @escaping @Sendable (Int, PageText) async throws -> Void
    ) async throws {
        let sink = PageSink(reader: PageTextReader(sizes: sizes), next: pages.lowerBound, each: each)
        let range = ["-f", "\(pages.lowerBound + 1)", "-l", "\(pages.upperBound + 1)"]
        let path = try Self.argument(for: file)
        let outcome = try await run(
            .pdftotext, ["-q", "-bbox-layout", "-cropbox"] + range + [path, "-"], into: sink)
        // When out of memory, pdftotext may exit with 0 and print nothing, so the pages are counted.
        guard outcome.exitCode == 0, outcome.sink.next == pages.upperBound + 1 else {
            throw try await reason(for: file)
        }
    }

    /// Returns the listing for a range of pages that overlaps the file's pages.
    private func pageListing(of file: String, pages: ClosedRange<Int>) async throws -> InfoListing {
        guard pages.lowerBound >= 0 else { throw PDFError.noSuchPage(pages.lowerBound, count: 0) }
        do {
            let capped = pages.clamped(to: 0...max(limits.pages - 1, pages.lowerBound))
            return try await listing(of: file, pages: capped)
        } catch PDFError.damaged where pages.lowerBound > 0 {
            // pdfinfo fails when the range begins after the last page.
            let count = try await listing(of: file, pages: 0...0).pageCount
            guard pages.lowerBound >= count else { throw PDFError.damaged }
            throw PDFError.noSuchPage(pages.lowerBound, count: count)
        }
    }
}

/// Delivers each page as soon as it is complete.
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
