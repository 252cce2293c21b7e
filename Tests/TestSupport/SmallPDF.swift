/// Writes PDFs small enough to read in a test: uncompressed, one font, page contents given as words.
///
/// Objects 1 and 2 are the catalog and the page tree, 3 is the font; each page takes the next two numbers (page,
/// content), and ``extra`` objects follow.
package struct SmallPDF {
    /// The pages' own entries (`/MediaBox[0 0 612 792] /Annots[…]`) and content streams.
    package var pages: [(entries: String, content: String)] = []
    /// Bodies of further objects; the first has the number ``firstExtra``.
    package var extra: [String] = []
    package var catalog = ""
    package var info = ""

    package init() {}

    /// Creates one page of the usual size with a word and annotations, each in a separate object.
    package init(annotations: [String], entries: String = "/MediaBox[0 0 612 792]", word: String = "Word") {
        extra = annotations
        let references = annotations.indices.map { "\(6 + $0) 0 R" }.joined(separator: " ")
        pages = [("\(entries)/Annots[\(references)]", "BT /F1 20 Tf 100 602 Td (\(word)) Tj ET")]
    }

    package var firstExtra: Int { 4 + 2 * pages.count }

    package var bytes: [UInt8] {
        let kids = pages.indices.map { "\(4 + 2 * $0) 0 R" }.joined(separator: " ")
        var objects = [
            "<</Type/Catalog/Pages 2 0 R\(catalog)>>",
            "<</Type/Pages/Kids[\(kids)]/Count \(pages.count)>>",
            "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        ]
        for (index, page) in pages.enumerated() {
            objects.append(
                "<</Type/Page/Parent 2 0 R/Resources<</Font<</F1 3 0 R>>>>/Contents \(5 + 2 * index) 0 R\(page.entries)>>"
            )
            objects.append("<</Length \(page.content.utf8.count)>>stream\n\(page.content)\nendstream")
        }
        objects += extra
        return Self.file(objects, trailer: "/Root 1 0 R" + (info.isEmpty ? "" : "/Info<<\(info)>>"))
    }

    private static func file(_ objects: [String], trailer: String) -> [UInt8] {
        var text = Array("%PDF-1.7\n".utf8)
        var offsets: [Int] = []
        for (index, body) in objects.enumerated() {
            offsets.append(text.count)
            text += "\(index + 1) 0 obj\n\(body)\nendobj\n".utf8
        }
        let table = text.count
        text += "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n".utf8
        for offset in offsets {
            let digits = String(offset)
            text += "\(String(repeating: "0", count: 10 - digits.count))\(digits) 00000 n \n".utf8
        }
        text += "trailer<</Size \(objects.count + 1)\(trailer)>>\nstartxref\n\(table)\n%%EOF\n".utf8
        return text
    }
}
