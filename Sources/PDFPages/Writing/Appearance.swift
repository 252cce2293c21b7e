import Annotations

/// The appearance of an annotation: a form XObject (ISO 32000-1, 12.5.5), drawn as on the displayed page and rotated
/// back to the sheet by its matrix.
struct Appearance {
    /// The drawing area; rotated text sees it upright.
    var area: Rect
    /// The area it covers, as displayed.
    var place: Rect
    var stream: String
    /// The page's clockwise quarter turns, minus the annotation's.
    var turns: Int
    var opacity = 1.0
    /// Whether it blends like ink on paper, with the page showing through.
    var multiplies = false
    /// The standard fonts that the stream calls `F`, `F1`, `F2` and so on.
    var fonts: [String] = []
    var image: EmbeddedImage?

    /// Returns the dictionary of the stream.
    ///
    /// - Parameter picture: the image's object in the file.
    func dictionary(picture: ObjectID?) -> [String: PDFObject] {
        var resources: [String: PDFObject] = [:]
        var state: [String: PDFObject] = ["Type": .name("ExtGState"), "CA": .rounded(opacity), "ca": .rounded(opacity)]
        if multiplies { state["BM"] = .name("Multiply") }
        resources["ExtGState"] = .dictionary(["G": .dictionary(state)])
        if !fonts.isEmpty {
            let entries = fonts.enumerated().map { index, font in
                (
                    Self.fontName(index),
                    PDFObject.dictionary([
                        "Type": .name("Font"), "Subtype": .name("Type1"), "BaseFont": .name(font),
                        "Encoding": .name("WinAnsiEncoding"),
                    ])
                )
            }
            resources["Font"] = .dictionary(Dictionary(uniqueKeysWithValues: entries))
        }
        if let picture { resources["XObject"] = .dictionary(["I": .reference(picture)]) }
        return [
            "Type": .name("XObject"), "Subtype": .name("Form"), "FormType": .number(1),
            "BBox": .numbers([0, 0, area.width, area.height]), "Matrix": .array(Self.matrix(turns)),
            "Resources": .dictionary(resources),
        ]
    }

    /// What a stream calls one of its fonts.
    static func fontName(_ index: Int) -> String { index == 0 ? "F" : "F\(index)" }

    /// Returns the matrix that rotates the appearance counterclockwise, against a page's clockwise rotation.
    private static func matrix(_ turns: Int) -> [PDFObject] {
        let turn =
            switch (turns % 4 + 4) % 4 {
            case 1: [0, 1, -1, 0]
            case 2: [-1, 0, 0, -1]
            case 3: [0, -1, 1, 0]
            default: [1, 0, 0, 1]
            }
        return (turn + [0, 0]).map { .number(Double($0)) }
    }
}
