/// A PDF with one annotation of each kind of ISO 32000-2, table 171, and pages that are cropped, turned and scaled.
package enum EveryKindPDF {
    package struct Kind: Sendable, CustomStringConvertible {
        package var subtype: String
        /// The kind's name for the user; nil for a popup, which is part of another annotation.
        package var name: String?
        var entries: String

        package var description: String { subtype }
    }

    package static let file = "column,column\n1,2\n"

    /// `{file}` and the like stand for helper objects.
    package static let kinds: [Kind] = [
        Kind(subtype: "Text", name: "note", entries: "/Name/Help"),
        Kind(subtype: "Link", name: "link", entries: "/A<</S/URI/URI(https://example.com/)>>"),
        Kind(subtype: "FreeText", name: "free text", entries: "/DA(0 g /Helv 12 Tf)"),
        Kind(subtype: "Line", name: "line", entries: "/L[20 20 60 60]/LL 5"),
        Kind(subtype: "Square", name: "rectangle", entries: "/C[1 0 0]"),
        Kind(subtype: "Circle", name: "ellipse", entries: "/C[1 0 0]"),
        Kind(subtype: "Polygon", name: "polygon", entries: "/Vertices[20 20 60 60 20 60]/IT/PolygonDimension"),
        Kind(subtype: "PolyLine", name: "polyline", entries: "/Vertices[20 20 60 60 20 60]"),
        Kind(subtype: "Highlight", name: "highlight", entries: "/QuadPoints[20 60 60 60 20 20 60 20]"),
        Kind(subtype: "Underline", name: "underline", entries: "/QuadPoints[20 60 60 60 20 20 60 20]"),
        Kind(subtype: "Squiggly", name: "squiggly", entries: "/QuadPoints[20 60 60 60 20 20 60 20]"),
        Kind(subtype: "StrikeOut", name: "strike-out", entries: "/QuadPoints[20 60 60 60 20 20 60 20]"),
        Kind(subtype: "Caret", name: "caret", entries: "/Sy/P/RD[1 1 1 1]"),
        Kind(subtype: "Stamp", name: "stamp", entries: "/Name/SBApproved"),
        Kind(subtype: "Ink", name: "ink", entries: "/InkList[[20 20 60 60]]"),
        Kind(subtype: "Popup", name: nil, entries: "/Parent 99 0 R"),
        Kind(
            subtype: "FileAttachment", name: "attached file",
            entries: "/Name/Graph/FS<</Type/Filespec/F(table.csv)/UF(table.csv)/EF<</F {file}>>>>"),
        Kind(subtype: "Sound", name: "sound", entries: "/Sound {sound}/Name/Mic"),
        Kind(subtype: "Movie", name: "movie", entries: "/Movie<</F(film.mov)/Aspect[4 3]>>/A true"),
        Kind(subtype: "Screen", name: "screen", entries: "/MK<</CA(play)>>/A<</S/Rendition/OP 0>>"),
        Kind(subtype: "Widget", name: "form field", entries: "/FT/Tx/T(tax.year)/V(2025)/MK<</BC[0]>>"),
        Kind(subtype: "PrinterMark", name: "printer's mark", entries: "/MN/ColorBar"),
        Kind(subtype: "TrapNet", name: "trap network", entries: "/LastModified(D:2024)"),
        Kind(subtype: "Watermark", name: "watermark", entries: "/FixedPrint<</Type/FixedPrint/H .5>>"),
        Kind(subtype: "3D", name: "3D model", entries: "/3DD {model}/3DI false"),
        Kind(subtype: "Redact", name: "redaction", entries: "/QuadPoints[20 60 60 60 20 20 60 20]/RO {file}"),
        Kind(subtype: "Projection", name: "projection", entries: "/ExData<</Type/ExData/Subtype/3DM>>"),
        Kind(subtype: "RichMedia", name: "rich media", entries: "/RichMediaContent<</Assets<</Names[]>>>>"),
    ]

    /// Further pages, each with one rectangle over the same part of the paper.
    package static let pages: [(entries: String, box: [Double])] = [
        // 100 points right of and 50 above the corner of the displayed part.
        ("/MediaBox[0 0 600 800]/CropBox[50 60 550 760]", [100, 600, 100, 50]),
        ("/MediaBox[0 0 600 800]/Rotate 90", [110, 150, 50, 100]),
        ("/MediaBox[0 0 600 800]/CropBox[50 60 550 760]/Rotate 270", [600, 300, 50, 100]),
        ("/MediaBox[0 0 600 800]/UserUnit 2.5", [375, 1600, 250, 125]),
        ("/MediaBox[0 0 600 800]/CropBox[50 60 550 760]/Rotate 180/UserUnit 2", [600, 100, 200, 100]),
    ]

    /// The number of the first annotation's object; the others follow in the order of ``kinds``.
    package static var firstNumber: Int { 4 + 2 * (1 + pages.count) }

    /// The number of the rectangle of a further page.
    package static func rectangle(of page: Int) -> Int { firstNumber + kinds.count + page }

    package static var bytes: [UInt8] {
        var pdf = SmallPDF()
        let rectangles = pages.indices.map { rectangle(of: $0) }
        let helpers = firstNumber + kinds.count + pages.count
        let numbers = kinds.indices.map { "\(firstNumber + $0) 0 R" }.joined(separator: " ")
        pdf.pages = [("/MediaBox[0 0 612 792]/Annots[\(numbers)]", "BT /F1 20 Tf 100 602 Td (Word) Tj ET")]
        for (page, number) in zip(pages, rectangles) {
            pdf.pages.append(("\(page.entries)/Annots[\(number) 0 R]", "BT /F1 20 Tf 150 110 Td (Word) Tj ET"))
        }
        for kind in kinds {
            var entries = kind.entries
            for (index, name) in ["{file}", "{sound}", "{model}"].enumerated() {
                entries = entries.replacing(name, with: "\(helpers + index) 0 R")
            }
            pdf.extra.append(
                "<</Type/Annot/Subtype/\(kind.subtype)/Rect[20 20 60 60]/Contents(before)/Kept(all of it)\(entries)>>")
        }
        let isPaired = rectangles.count == pages.count
        precondition(isPaired)
        for _ in pages { pdf.extra.append("<</Type/Annot/Subtype/Square/Rect[150 110 250 160]/C[1 0 0]>>") }
        pdf.extra.append(stream("/Type/EmbeddedFile/Subtype/text#2Fcsv/Params<</Size \(file.utf8.count)>>", file))
        pdf.extra.append(stream("/Type/Sound/R 8000", "0"))
        pdf.extra.append(stream("/Type/3D/Subtype/U3D", "U3D"))
        pdf.catalog = "/AcroForm<</Fields[\(firstNumber + 20) 0 R]>>"
        return pdf.bytes
    }

    private static func stream(_ entries: String, _ content: String) -> String {
        "<<\(entries)/Length \(content.utf8.count)>>stream\n\(content)\nendstream"
    }
}
