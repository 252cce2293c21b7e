import Annotations
import App
import PDFPages
import PageLayout

/// The words that annotations mark, read from the PDF one page at a time.
struct MarkedWords {
    /// nil when the PDF is not available locally; then no words are reported.
    let file: String?
    private var page: Int?
    private var glyphs: PageGlyphs?
    private let texts: PageTextCache
    private let trueSizes: @Sendable (Int) -> PDFPages.PageSize?

    /// - Parameter trueSizes: The size of a page in points with its user unit, if it is known.
    init(file: String?, trueSizes: @escaping @Sendable (Int) -> PDFPages.PageSize? = { _ in nil }) {
        self.file = file
        self.trueSizes = trueSizes
        texts = PageTextCache(besides: file)
    }

    /// Returns the words on one line; nil if the annotation marks none or the page has no text.
    mutating func of(_ annotation: Annotation) async -> String? {
        guard let file, annotation.kind.isMarkup, let index = annotation.pageIndex else { return nil }
        if page != index {
            page = index
            glyphs = await text(of: index, file).map { PageGlyphs($0.scaled(to: trueSizes(index))) }
        }
        guard let words = glyphs?.words(under: annotation.rects), !words.isEmpty else { return nil }
        return words
    }

    private func text(of page: Int, _ file: String) async -> PageText? {
        if let kept = await texts.words(on: page) { return kept }
        guard let text = try? await PDFTools().text(of: file, page: page) else { return nil }
        texts.keep(text, of: page)
        return text
    }
}
