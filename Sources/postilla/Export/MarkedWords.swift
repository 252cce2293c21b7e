import Annotations
import App
import PDFPages
import PageLayout

/// The words that annotations mark, read from the PDF a page at a time.
struct MarkedWords {
    /// nil: the PDF is not here, and no words are told.
    let file: String?
    private var page: Int?
    private var glyphs: PageGlyphs?

    init(file: String?) { self.file = file }

    /// On one line; nil where it marks none, or the page shows no text.
    mutating func of(_ annotation: Annotation) async -> String? {
        guard let file, annotation.kind.isMarkup, let index = annotation.pageIndex else { return nil }
        if page != index {
            page = index
            glyphs = (try? await PDFTools().text(of: file, page: index)).map { PageGlyphs($0) }
        }
        guard let words = glyphs?.words(under: annotation.rects), !words.isEmpty else { return nil }
        return words
    }
}
