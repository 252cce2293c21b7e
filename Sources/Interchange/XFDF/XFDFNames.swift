import PDFPages

/// The mapping of XFDF (ISO 19444-1) elements and attributes to the entries of annotation dictionaries.
enum XFDFNames {
    static let namespace = "http://ns.adobe.com/xfdf/"

    /// The format of an entry's value.
    enum Kind {
        case text, name, number, numbers, color, flags, justification
    }

    /// In output order.
    static let attributes: [(name: String, key: String, kind: Kind)] = [
        ("rect", "Rect", .numbers), ("color", "C", .color), ("interior-color", "IC", .color),
        ("opacity", "CA", .number), ("title", "T", .text), ("subject", "Subj", .text), ("date", "M", .text),
        ("creationdate", "CreationDate", .text), ("flags", "F", .flags), ("icon", "Name", .name),
        ("coords", "QuadPoints", .numbers), ("justification", "Q", .justification), ("rotation", "Rotate", .number),
        ("fringe", "RD", .numbers), ("callout", "CL", .numbers), ("IT", "IT", .name), ("state", "State", .text),
        ("statemodel", "StateModel", .text),
    ]

    /// Keyed by element; other elements are reported.
    static let subtypes = [
        "text": "Text", "highlight": "Highlight", "underline": "Underline", "strikeout": "StrikeOut",
        "squiggly": "Squiggly", "freetext": "FreeText", "ink": "Ink", "line": "Line", "square": "Square",
        "circle": "Circle", "polygon": "Polygon", "polyline": "PolyLine", "stamp": "Stamp", "link": "Link",
        "caret": "Caret", "fileattachment": "FileAttachment", "sound": "Sound", "redact": "Redact",
    ]

    /// Keyed by subtype. An element of a sound is invalid without its data, which a layer does not have.
    static let elements = Dictionary(
        uniqueKeysWithValues: subtypes.filter { $0.key != "sound" }.map { ($1, $0) })

    /// Bit 1 first.
    static let flags = [
        "invisible", "hidden", "print", "nozoom", "norotate", "noview", "readonly", "locked", "togglenoview",
        "lockedcontents",
    ]

    static let justifications = ["left", "centered", "right"]

    /// Values of `BS`; `cloudy` is an effect, not a style.
    static let styles = ["solid": "S", "dash": "D", "bevelled": "B", "inset": "I", "underline": "U"]
}
