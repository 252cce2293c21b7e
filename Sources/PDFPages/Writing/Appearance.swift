import Annotations

/// How an annotation looks: a form XObject (ISO 32000-1, 12.5.5), drawn as on the page displayed and turned back to the
/// sheet by its matrix.
struct Appearance {
    /// What is drawn on; letters that are turned see it upright.
    var area: Rect
    /// What it covers, as displayed.
    var place: Rect
    var stream: String
    /// Quarter turns clockwise of the page, less those of the annotation itself.
    var turns: Int
    var opacity = 1.0
    /// As ink on paper: what lies beneath is seen through it.
    var multiplies = false
    var font: String?
    var image: EmbeddedImage?

    /// The dictionary of the stream.
    ///
    /// - Parameter picture: where the image stands in the file.
    func dictionary(picture: ObjectID?) -> [String: PDFObject] {
        var resources: [String: PDFObject] = [:]
        var state: [String: PDFObject] = ["Type": .name("ExtGState"), "CA": .rounded(opacity), "ca": .rounded(opacity)]
        if multiplies { state["BM"] = .name("Multiply") }
        resources["ExtGState"] = .dictionary(["G": .dictionary(state)])
        if let font {
            resources["Font"] = .dictionary([
                "F": .dictionary([
                    "Type": .name("Font"), "Subtype": .name("Type1"), "BaseFont": .name(font),
                    "Encoding": .name("WinAnsiEncoding"),
                ])
            ])
        }
        if let picture { resources["XObject"] = .dictionary(["I": .reference(picture)]) }
        return [
            "Type": .name("XObject"), "Subtype": .name("Form"), "FormType": .number(1),
            "BBox": .numbers([0, 0, area.width, area.height]), "Matrix": .array(Self.matrix(turns)),
            "Resources": .dictionary(resources),
        ]
    }

    /// Turns counterclockwise what is shown on a page that is turned clockwise.
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
