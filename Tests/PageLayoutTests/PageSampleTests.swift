import Annotations
import PDFPages
import Screen
import TestSupport
import TestThreads
import Testing

@testable import PageLayout

/// Real files, if available: the views lose nothing.
@Suite(.onOwnThreads) struct PageSampleTests {
    static let files = Repository.samples.filter { $0.name.hasSuffix(".pdf") }

    private func pages(of file: String) async throws -> [PageText] {
        let tools = PDFTools()
        let count = try await tools.info(of: file).pages.count
        var pages: [PageText] = []
        for page in 0..<count { pages.append(try await tools.text(of: file, page: page)) }
        return pages
    }

    @Test(arguments: files)
    func everyWordIsInBothViews(name: String, path: String) async throws {
        for text in try await pages(of: path) {
            let page = PageGlyphs(text)
            let words = text.words.map { CleanText(cleaning: $0.text).string.filter { $0 != " " } }
            for view in [TypesetPage.layout(page), .reading(page, width: 74, opened: Set(page.blocks.indices))] {
                var letters: [Character: Int] = [:]
                for row in view.rows where row.role != .rule {
                    for case .glyph(let index) in row.cells where !page.glyphs[index].isSpace {
                        for scalar in page.glyphs[index].shown.scalars {
                            letters[Character(scalar), default: 0] += 1
                        }
                    }
                }
                // Wide letters have two cells; a joined hyphen is not shown.
                for character in words.joined().unicodeScalars.map(Character.init) where character != "-" {
                    #expect(letters[character] ?? 0 > 0, "\(name) loses \(character)")
                }
                #expect(letters.values.reduce(0, +) >= words.joined().unicodeScalars.count - page.hiddenHyphens)
            }
        }
    }

    @Test(arguments: files)
    func everyAnnotationHasItsPlaceInTheText(name: String, path: String) async throws {
        let texts = try await pages(of: path)
        for record in try await PDFTools().annotations(of: path).records {
            let annotation = Annotation(record)
            guard let number = annotation.pageIndex, texts.indices.contains(number), !texts[number].words.isEmpty
            else { continue }
            let page = PageGlyphs(texts[number])
            let mark = PageMark(
                id: annotation.id, letter: annotation.kind.letter,
                rects: annotation.kind.isMarkup ? annotation.rects : [], box: annotation.box ?? .zero)
            let marks = PageMarks([mark], on: page)
            #expect(marks.anchors[0] != nil, "\(name) \(record.id)")
            if name.contains("hotos17"), annotation.kind.isMarkup {
                #expect(!page.words(under: mark.rects).isEmpty, "\(record.id) marks no words")
            }
        }
    }
}

extension PageGlyphs {
    var hiddenHyphens: Int { glyphs.count { $0.role == .lineEndHyphen } }
}
