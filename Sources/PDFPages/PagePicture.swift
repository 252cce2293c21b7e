package import Annotations

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

/// An annotation to draw on a picture of its page.
package struct DrawnRecord: Sendable {
    package var record: Record
    /// The file that an image annotation shows, if it is available.
    package var image: [UInt8]?

    package init(_ record: Record, image: [UInt8]? = nil) {
        self.record = record
        self.image = image
    }
}

extension PDFTools {
    /// Limit on the pixels of a picture, enough for a large terminal.
    package static let maxPixels = 4_000_000

    /// Paints a page, stretched to exactly the given size in pixels.
    ///
    /// - Parameter records: the annotations of a layer on this page, drawn instead of the file's own; those that equal
    ///   one of the file keep its appearance. nil: the file's own annotations.
    /// - Throws: ``PDFError``, also for more than ``maxPixels``.
    package func picture(
        of file: String, page: Int, width: Int, height: Int, showing records: [DrawnRecord]? = nil
    ) async throws -> PagePicture {
        guard width > 0, height > 0, width <= Self.maxPixels, width * height <= Self.maxPixels else {
            throw PDFError.tooMuchOutput(bytes: 3 * Self.maxPixels)
        }
        guard page >= 0, page < limits.pages else { throw PDFError.noSuchPage(page, count: 0) }
        guard let records else { return try await paint(file, page: page, width: width, height: height) }
        let folder = try ScratchFolder()
        defer { withExtendedLifetime(folder) {} }
        let (single, annotated) = (folder.path("page.pdf"), folder.path("annotated.pdf"))
        try await takeOut(page, of: file, into: single)
        try await annotate(single, into: folder.file("annotated.pdf"), notes: folder.file("notes.json"), page: page) {
            for drawn in records { try $0.add(drawn.record, image: drawn.image) }
        }
        return try await paint(annotated, page: 0, width: width, height: height)
    }

    /// Writes a page as a separate file.
    private func takeOut(_ page: Int, of file: String, into target: String) async throws {
        let path = try Self.argument(for: file)
        guard try await !copy(page, of: path, into: target) else { return }
        let reason = try await reason(for: file)
        guard reason == .damaged, let rebuilt = try RebuiltFile(of: path),
            try await copy(page, of: rebuilt.path, into: target)
        else { throw reason }
    }

    private func copy(_ page: Int, of path: String, into target: String) async throws -> Bool {
        let room = try Self.length(of: path) * 2 + Int64(64 << 20)
        let outcome = try await run(
            .qpdf, ["--no-warn", "--empty", "--pages", path, "\(page + 1)", "--", target], writing: room,
            into: CollectedOutput())
        return outcome.exitCode == 0 || outcome.exitCode == 3
    }

    private func paint(_ file: String, page: Int, width: Int, height: Int) async throws -> PagePicture {
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
