/// What a PDF says about itself, without its pages' content.
package struct PDFInfo: Hashable, Sendable {
    /// As the file has it: hostile, never to be drawn uncleaned.
    package var title: String?
    /// Whether the file is encrypted; one that is listed here can be read all the same.
    package var isEncrypted: Bool
    /// One for each page, in order.
    package var pages: [PageSize]

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

    /// US letter: what readers take for a page that does not say.
    static let usual = PageSize(width: 612, height: 792)
}

extension PDFTools {
    /// Title and page sizes of a file.
    package func info(of file: String) async throws -> PDFInfo {
        let listing = try await listing(of: file, pages: 0...limits.pages - 1)
        guard listing.pageCount <= limits.pages else {
            throw PDFError.tooManyPages(listing.pageCount, limit: limits.pages)
        }
        let pages = (0..<listing.pageCount).map { listing.sizes[$0] ?? .usual }
        return PDFInfo(title: listing.title, isEncrypted: listing.isEncrypted, pages: pages)
    }

    /// What `pdfinfo` tells of the file, with the sizes of some of its pages.
    func listing(of file: String, pages: ClosedRange<Int>) async throws -> InfoListing {
        let range = ["-f", "\(pages.lowerBound + 1)", "-l", "\(pages.upperBound + 1)"]
        let path = try Self.argument(for: file)
        let outcome = try await run(.pdfinfo, ["-enc", "UTF-8"] + range + [path], into: CollectedOutput())
        let listing = InfoListing(outcome.sink.bytes)
        guard outcome.exitCode == 0, listing.pageCount > 0 else { throw try await reason(for: file) }
        return listing
    }
}
