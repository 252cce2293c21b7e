import PDFPages

/// XFDF (ISO 19444-1) writes the dictionary of an annotation as an element: which attribute stands for which entry.
enum XFDFNames {
    static let namespace = "http://ns.adobe.com/xfdf/"

    /// How an entry is spelled.
    enum Kind {
        case text, name, number, numbers, color, flags, justification
    }

    /// In the order in which they are written.
    static let attributes: [(name: String, key: String, kind: Kind)] = [
        ("rect", "Rect", .numbers), ("color", "C", .color), ("interior-color", "IC", .color),
        ("opacity", "CA", .number), ("title", "T", .text), ("subject", "Subj", .text), ("date", "M", .text),
        ("creationdate", "CreationDate", .text), ("flags", "F", .flags), ("icon", "Name", .name),
        ("coords", "QuadPoints", .numbers), ("justification", "Q", .justification), ("rotation", "Rotate", .number),
    ]

    /// By element; the rest is told.
    static let subtypes = [
        "text": "Text", "highlight": "Highlight", "underline": "Underline", "strikeout": "StrikeOut",
        "squiggly": "Squiggly", "freetext": "FreeText", "ink": "Ink", "line": "Line", "square": "Square",
        "circle": "Circle", "polygon": "Polygon", "polyline": "PolyLine", "stamp": "Stamp", "link": "Link",
        "caret": "Caret", "fileattachment": "FileAttachment", "sound": "Sound", "redact": "Redact",
    ]

    static let elements = Dictionary(uniqueKeysWithValues: subtypes.map { ($1, $0) })

    /// Bit 1 first.
    static let flags = [
        "invisible", "hidden", "print", "nozoom", "norotate", "noview", "readonly", "locked", "togglenoview",
        "lockedcontents",
    ]

    static let justifications = ["left", "centered", "right"]

    /// Of `BS`; `cloudy` is an effect and no style.
    static let styles = ["solid": "S", "dash": "D", "bevelled": "B", "inset": "I", "underline": "U"]
}
