/// The kinds of annotation, by their Instant JSON `type`.
public enum AnnotationKind: Hashable, Sendable {
    case highlight, underline, strikeOut, squiggly
    case note, text, ink, line, rectangle, ellipse, polygon, polyline, stamp, image, link
    case commentMarker
    case comment
    case caret, redaction
    /// A file attachment of a page.
    case file
    /// The place of a form field on a page: a widget.
    case formField
    case sound, movie, screen, richMedia, model3D, projection
    case watermark, printersMark, trapNetwork
    /// Any other type, with its text; shown as unknown, never lost.
    case unknown(String)

    public init(type: String) {
        self = Self.byType[type] ?? .unknown(type)
    }

    public var type: String {
        if case .unknown(let type) = self { return type }
        return Self.byKind[self] ?? "pspdfkit/unknown"
    }

    /// Whether it marks text, with one box (`rects`) for each line.
    public var isMarkup: Bool { Self.markups.contains(self) }

    package static let markups: [AnnotationKind] = [.highlight, .underline, .strikeOut, .squiggly]

    /// The letter in the gutter and in lists.
    public var letter: Character {
        switch self {
        case .highlight: "H"
        case .underline: "U"
        case .strikeOut: "X"
        case .squiggly: "Z"
        case .note: "N"
        case .comment, .commentMarker: "C"
        case .text: "T"
        case .ink: "I"
        case .line, .rectangle, .ellipse, .polygon, .polyline: "S"
        case .stamp, .image: "M"
        case .link: "K"
        case .caret: "C"
        case .redaction: "R"
        case .file: "F"
        case .formField: "W"
        case .sound, .movie, .screen, .richMedia, .model3D, .projection: "V"
        case .watermark, .printersMark, .trapNetwork: "P"
        case .unknown: "?"
        }
    }

    /// The kind's name for the user.
    public var name: String {
        switch self {
        case .highlight: "highlight"
        case .underline: "underline"
        case .strikeOut: "strike-out"
        case .squiggly: "squiggly"
        case .note: "note"
        case .text: "free text"
        case .ink: "ink"
        case .line: "line"
        case .rectangle: "rectangle"
        case .ellipse: "ellipse"
        case .polygon: "polygon"
        case .polyline: "polyline"
        case .stamp: "stamp"
        case .image: "image"
        case .link: "link"
        case .commentMarker: "comment marker"
        case .comment: "comment"
        case .caret: "caret"
        case .redaction: "redaction"
        case .file: "attached file"
        case .formField: "form field"
        case .sound: "sound"
        case .movie: "movie"
        case .screen: "screen"
        case .richMedia: "rich media"
        case .model3D: "3D model"
        case .projection: "projection"
        case .watermark: "watermark"
        case .printersMark: "printer's mark"
        case .trapNetwork: "trap network"
        case .unknown: "unknown"
        }
    }

    /// Whether it belongs to the page or the form more than to the people who read it. Lists hide such annotations
    /// unless someone wrote a remark on them.
    public var isFurniture: Bool { Self.furniture.contains(self) }

    package static let furniture: [AnnotationKind] = [
        .link, .formField, .watermark, .printersMark, .trapNetwork,
    ]

    /// All kinds except unknown ones.
    package static var known: [AnnotationKind] { types.map(\.1) }

    private static let types: [(String, AnnotationKind)] = [
        ("pspdfkit/markup/highlight", .highlight), ("pspdfkit/markup/underline", .underline),
        ("pspdfkit/markup/strikeout", .strikeOut), ("pspdfkit/markup/squiggly", .squiggly),
        ("pspdfkit/note", .note), ("pspdfkit/text", .text), ("pspdfkit/ink", .ink),
        ("pspdfkit/shape/line", .line), ("pspdfkit/shape/rectangle", .rectangle),
        ("pspdfkit/shape/ellipse", .ellipse), ("pspdfkit/shape/polygon", .polygon),
        ("pspdfkit/shape/polyline", .polyline), ("pspdfkit/stamp", .stamp), ("pspdfkit/image", .image),
        ("pspdfkit/link", .link), ("pspdfkit/comment-marker", .commentMarker), ("pspdfkit/comment", .comment),
        ("pspdfkit/markup/redaction", .redaction), ("pspdfkit/widget", .formField), ("pspdfkit/media", .richMedia),
        ("postilla/caret", .caret), ("postilla/file", .file), ("postilla/sound", .sound), ("postilla/movie", .movie),
        ("postilla/screen", .screen), ("postilla/3d", .model3D), ("postilla/projection", .projection),
        ("postilla/watermark", .watermark), ("postilla/printers-mark", .printersMark),
        ("postilla/trap-network", .trapNetwork),
    ]
    private static let byType = Dictionary(uniqueKeysWithValues: types)
    private static let byKind = Dictionary(uniqueKeysWithValues: types.map { ($1, $0) })
}

// Kinds that earlier versions read as unknown, and noted as `postilla.pdfSubtype`.
extension AnnotationKind {
    /// Reads the kind of a content.
    public init(of object: JSONObject) {
        let type = object["type"]?.string ?? (object["rootId"] == nil ? "" : "pspdfkit/comment")
        self.init(type: type)
        guard case .unknown = self, let subtype = object["postilla"]?["pdfSubtype"]?.string,
            let kind = AnnotationKind(pdfSubtype: subtype)
        else { return }
        self = kind
    }

    /// - Parameter pdfSubtype: the `Subtype` of a kind of which Instant JSON has no annotation, or one of few members.
    package init?(pdfSubtype: String) {
        guard let kind = Self.bySubtype[pdfSubtype] else { return nil }
        self = kind
    }

    package var pdfSubtype: String? { Self.bySubtype.first { $0.value == self }?.key }

    /// ISO 32000-2, table 171, without the kinds that are read in more detail.
    private static let bySubtype: [String: AnnotationKind] = [
        "Caret": .caret, "Redact": .redaction, "FileAttachment": .file, "Widget": .formField, "Sound": .sound,
        "Movie": .movie, "Screen": .screen, "RichMedia": .richMedia, "3D": .model3D, "Projection": .projection,
        "Watermark": .watermark, "PrinterMark": .printersMark, "TrapNet": .trapNetwork,
    ]
}
