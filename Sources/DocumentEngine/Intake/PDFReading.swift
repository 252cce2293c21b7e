import Annotations
import EngineCore
import PDFPages

/// What the intake reads from a PDF.
struct PDFContents: Sendable {
    var title: String?
    var pages: [ServerDocument.Page]
    var records: [Record]
    /// How many of the records are incomplete.
    var warnings: Int

    /// Reads a file in separate, limited processes, and writes its stripped copy.
    ///
    /// - Parameters:
    ///   - stripped: path of an existing file, which is overwritten.
    ///   - notes: path of another existing file, for intermediate data.
    /// - Throws: `PDFError` if it cannot be read.
    static func read(
        _ path: String, strippedInto stripped: String, notes: String, tools: PDFTools
    ) async throws -> PDFContents {
        let info = try await tools.info(of: path)
        let base = try await tools.annotations(of: path, strippedInto: stripped, notes: notes)
        return PDFContents(
            title: info.title,
            pages: info.pages.indices.map { index in
                // Beyond the pages that the other tool found, only the sizes are known.
                let size = info.pages[index]
                return ServerDocument.Page(
                    base.frames.indices.contains(index)
                        ? base.frames[index] : PageFrame(width: size.width, height: size.height))
            },
            records: base.records + base.values, warnings: base.warnings.count)
    }
}
