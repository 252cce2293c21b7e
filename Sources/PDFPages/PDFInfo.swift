/// The metadata and page sizes of a PDF.
package struct PDFInfo: Hashable, Sendable {
    /// Unchanged from the file: hostile, and never drawn without cleaning.
    package var title: String?
    /// Whether the file is encrypted; even then, it can be read without a password.
    package var isEncrypted: Bool
    /// One for each page, in order.
    package var pages: [PageSize]

    /// Returns the sizes in points: poppler gives them in the pages' own units (`UserUnit`).
    ///
    /// - Parameter size: The size of a page in points, if it is known.
    package func scaled(to size: (Int) -> PageSize?) -> PDFInfo {
        var info = self
        for (index, page) in pages.enumerated() {
            if let size = size(index), page.scale(to: size) != nil { info.pages[index] = size }
        }
        return info
    }

    package init(title: String?, isEncrypted: Bool, pages: [PageSize]) {
        self.title = title
        self.isEncrypted = isEncrypted
        self.pages = pages
    }
}

/// The size of a page as displayed (crop box, turned), in points.
package struct PageSize: Hashable, Sendable {
    package var width: Double
    package var height: Double

    package init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    /// Returns the factor to the same page in other units; nil if that is another page, or in the same units.
    func scale(to size: PageSize) -> Double? {
        guard width > 0, height > 0 else { return nil }
        let scale = size.width / width
        let isSamePage = abs(size.height / height - scale) < 0.01 * scale
        return isSamePage && abs(scale - 1) > 0.01 ? scale : nil
    }

    /// US letter, which readers assume for a page without a size.
    package static let usual = PageSize(width: 612, height: 792)
}

extension PDFTools {
    /// Returns the title and page sizes of a file.
    package func info(of file: String) async throws -> PDFInfo {
        try await info(of: file, pages: 0...limits.pages - 1)
    }

    /// Returns the title and the number of pages, all with the size of the first: quicker than ``info(of:)`` where
    /// there are many pages.
    package func firstInfo(of file: String) async throws -> PDFInfo {
        var info = try await info(of: file, pages: 0...0)
        info.pages = info.pages.map { _ in info.pages[0] }
        return info
    }

    private func info(of file: String, pages: ClosedRange<Int>) async throws -> PDFInfo {
        let listing = try await listing(of: file, pages: pages)
        guard listing.pageCount <= limits.pages else {
            throw PDFError.tooManyPages(listing.pageCount, limit: limits.pages)
        }
        let pages = (0..<listing.pageCount).map { listing.sizes[$0] ?? .usual }
        return PDFInfo(title: listing.title, isEncrypted: listing.isEncrypted, pages: pages)
    }

    /// Returns `pdfinfo`'s output for a file, with the sizes of a range of pages.
    func listing(of file: String, pages: ClosedRange<Int>) async throws -> InfoListing {
        let range = ["-f", "\(pages.lowerBound + 1)", "-l", "\(pages.upperBound + 1)"]
        let path = try Self.argument(for: file)
        let outcome = try await run(.pdfinfo, ["-enc", "UTF-8"] + range + [path], into: CollectedOutput())
        let listing = InfoListing(outcome.sink.bytes)
        guard outcome.exitCode == 0, listing.pageCount > 0 else { throw try await reason(for: file) }
        return listing
    }
}
