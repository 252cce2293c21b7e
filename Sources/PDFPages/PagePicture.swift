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

/// A part of a picture, in pixels.
package struct PixelArea: Hashable, Sendable {
    package var left: Int
    package var top: Int
    package var width: Int
    package var height: Int

    package init(left: Int, top: Int, width: Int, height: Int) {
        (self.left, self.top, self.width, self.height) = (left, top, width, height)
    }
}

/// An annotation to draw on a picture of its page.
package struct DrawnRecord: Hashable, Sendable {
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

    /// Paints a page, stretched to exactly the given size in pixels, or a part of that. A page that is turned by a quarter
    /// is not stretched: the sides must have the ratio of its own.
    ///
    /// - Parameters:
    ///   - part: the part to paint; nil for all.
    ///   - records: the annotations of a layer on this page, drawn instead of the file's own; those that equal one of
    ///     the file keep its appearance. nil: the file's own annotations.
    /// - Throws: ``PDFError``, also for more than ``maxPixels``.
    package func picture(
        of file: String, page: Int, width: Int, height: Int, part: PixelArea? = nil,
        showing records: [DrawnRecord]? = nil
    ) async throws -> PagePicture {
        let part = part ?? PixelArea(left: 0, top: 0, width: width, height: height)
        let sides = [width, height, part.width, part.height]
        guard sides.allSatisfy({ (1...Self.maxPixels).contains($0) }), part.width * part.height <= Self.maxPixels,
            part.left >= 0, part.top >= 0, part.left + part.width <= width, part.top + part.height <= height
        else { throw PDFError.tooMuchOutput(bytes: 3 * Self.maxPixels) }
        guard page >= 0, page < limits.pages else { throw PDFError.noSuchPage(page, count: 0) }
        guard let records else {
            return try await paint(file, page: page, width: width, height: height, part)
        }
        let folder = try ScratchFolder(in: scratchFolder)
        defer { withExtendedLifetime(folder) {} }
        let (single, annotated) = (folder.path("page.pdf"), folder.path("annotated.pdf"))
        try await takeOut(page, of: file, into: single)
        try await annotate(single, into: folder.file("annotated.pdf"), notes: folder.file("notes.json"), page: page) {
            for drawn in records { try $0.add(drawn.record, image: drawn.image) }
        }
        return try await paint(annotated, page: 0, width: width, height: height, part)
    }

    /// Writes a page as a separate file.
    private func takeOut(_ page: Int, of file: String, into target: String) async throws {
        let path = try Self.argument(for: file)
        guard try await !copy(page, of: path, into: target) else { return }
        let reason = try await reason(for: file)
        guard reason == .damaged, let rebuilt = try RebuiltFile(of: path, in: scratchFolder),
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

    private func paint(
        _ file: String, page: Int, width: Int, height: Int, _ part: PixelArea
    ) async throws -> PagePicture {
        let path = try Self.argument(for: file)
        func paint(_ width: Int, _ height: Int, _ part: PixelArea) async throws -> PagePicture? {
            let pixels = try await pixmap(of: path, page: page, width: width, height: height, part)
            return PagePicture(pixmap: pixels, width: part.width, height: part.height)
        }
        // poppler takes the sides of a page that is turned by a quarter for those that it has unturned. The size of what
        // is painted tells, but not that of a part.
        var isTurned = false
        if part != PixelArea(left: 0, top: 0, width: width, height: height), width != height {
            isTurned = try await paint(1, 2, PixelArea(left: 0, top: 0, width: 2, height: 1)) != nil
        }
        if !isTurned, let picture = try await paint(width, height, part) { return picture }
        if let picture = try await paint(height, width, part) { return picture }
        throw try await reason(for: file)
    }

    /// Paints a page that is so large, as pdftoppm understands it, or as much of the part as it has.
    private func pixmap(
        of path: String, page: Int, width: Int, height: Int, _ part: PixelArea
    ) async throws -> [UInt8] {
        let number = "\(page + 1)"
        let size =
            ["-scale-to-x", "\(width)", "-scale-to-y", "\(height)"]
            + ["-x", "\(part.left)", "-y", "\(part.top)", "-W", "\(part.width)", "-H", "\(part.height)"]
        let outcome = try await run(
            .pdftoppm, ["-q", "-cropbox", "-singlefile", "-f", number, "-l", number] + size + [path],
            into: CollectedOutput())
        return outcome.sink.bytes
    }
}
