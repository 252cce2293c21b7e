import Foundation
import TestSupport

/// Valid PDFs with many pages of text, or many annotations.
enum LongPDF {
    /// The word on one page only, near the end.
    static let rareWord = "heliotrope"
    static func rarePage(of pages: Int) -> Int { pages - pages / 50 - 1 }

    /// Writes a document of this many pages with about 400 words each, as a book has.
    static func write(pages: Int, to file: URL) throws {
        var random = SeededRandom(seed: 5)
        let words = ["harbour", "light", "engine", "water", "morning", "the", "a", "of", "under", "letter", "reading"]
        var writer = Objects()
        writer.add("<</Type/Catalog/Pages 2 0 R>>")
        let kids = (0..<pages).map { "\(4 + 2 * $0) 0 R" }.joined(separator: " ")
        writer.add("<</Type/Pages/Kids[\(kids)]/Count \(pages)>>")
        writer.add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
        for page in 0..<pages {
            writer.add(
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents \(5 + 2 * page) 0 R/Resources<</Font<</F1 3 0 R>>>>>>"
            )
            var lines = ["BT /F1 11 Tf 14 TL 72 720 Td"]
            for line in 0..<40 {
                var text = (0..<10).map { _ in random.pick(words) }
                if page == rarePage(of: pages), line == 20 { text[5] = rareWord }
                lines.append("(\(text.joined(separator: " "))) Tj T*")
            }
            let stream = lines.joined(separator: "\n") + "\nET"
            writer.add("<</Length \(stream.utf8.count)>>stream\n\(stream)\nendstream")
        }
        try writer.finish(to: file)
    }

    /// Writes a document of 100 pages with this many annotations.
    static func write(annotations: Int, to file: URL) throws {
        var writer = Objects()
        let pages = 100
        writer.add("<</Type/Catalog/Pages 2 0 R>>")
        let kids = (0..<pages).map { "\(3 + $0) 0 R" }.joined(separator: " ")
        writer.add("<</Type/Pages/Kids[\(kids)]/Count \(pages)>>")
        for page in 0..<pages {
            let list = stride(from: page, to: annotations, by: pages).map { "\(3 + pages + $0) 0 R" }
            writer.add("<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Annots[\(list.joined(separator: " "))]>>")
        }
        for number in 0..<annotations {
            let top = 700 - (number / pages % 60) * 10
            let place = "/Rect[72 \(top) 300 \(top + 9)]/QuadPoints[72 \(top + 9) 300 \(top + 9) 72 \(top) 300 \(top)]"
            writer.add("<</Type/Annot/Subtype/Highlight\(place)/C[1 1 0]/T(Ana)/Contents(Remark \(number))/F 4>>")
        }
        try writer.finish(to: file)
    }

    private struct Objects {
        private var bytes = Data("%PDF-1.7\n".utf8)
        private var offsets: [Int] = []

        mutating func add(_ object: String) {
            offsets.append(bytes.count)
            bytes += Data("\(offsets.count) 0 obj\n\(object)\nendobj\n".utf8)
        }

        mutating func finish(to file: URL) throws {
            let table = bytes.count
            bytes += Data("xref\n0 \(offsets.count + 1)\n0000000000 65535 f \n".utf8)
            bytes += Data(offsets.map { String(format: "%010d 00000 n \n", $0) }.joined().utf8)
            bytes += Data(
                "trailer<</Size \(offsets.count + 1)/Root 1 0 R>>\nstartxref\n\(table)\n%%EOF\n".utf8)
            try bytes.write(to: file)
        }
    }
}
