/// A page painted by poppler: rows from the top, three bytes per pixel: red, green, blue.
package struct PagePicture: Hashable, Sendable {
    package let width: Int
    package let height: Int
    package let pixels: [UInt8]

    /// Reads a portable pixmap (`P6`, eight bits) as `pdftoppm` prints it; nil for other data, a truncated file or
    /// another size.
    init?(pixmap: [UInt8], width: Int, height: Int) {
        let head = Array("P6\n\(width) \(height)\n255\n".utf8)
        guard pixmap.starts(with: head), pixmap.count == head.count + 3 * width * height else { return nil }
        self.width = width
        self.height = height
        pixels = Array(pixmap[head.count...])
    }
}

extension PDFTools {
    /// Limit on the pixels of a picture, enough for a large terminal.
    package static let maxPixels = 4_000_000

    /// Paints a page, stretched to exactly the given size in pixels.
    ///
    /// - Throws: ``PDFError``, also for more than ``maxPixels``.
    package func picture(of file: String, page: Int, width: Int, height: Int) async throws -> PagePicture {
        guard width > 0, height > 0, width <= Self.maxPixels, width * height <= Self.maxPixels else {
            throw PDFError.tooMuchOutput(bytes: 3 * Self.maxPixels)
        }
        guard page >= 0, page < limits.pages else { throw PDFError.noSuchPage(page, count: 0) }
        let number = "\(page + 1)"
        let size = ["-scale-to-x", "\(width)", "-scale-to-y", "\(height)"]
        let path = try Self.argument(for: file)
        let outcome = try await run(
            .pdftoppm, ["-q", "-cropbox", "-singlefile", "-f", number, "-l", number] + size + [path],
            into: CollectedOutput())
        guard let picture = PagePicture(pixmap: outcome.sink.bytes, width: width, height: height) else {
            throw try await reason(for: file)
        }
        return picture
    }
}
