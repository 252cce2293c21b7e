/// The kinds of annotation, by their Instant JSON `type`.
public enum AnnotationKind: Hashable, Sendable {
    case highlight, underline, strikeOut, squiggly
    case note, text, ink, line, rectangle, ellipse, polygon, polyline, stamp, image, link
    case commentMarker
    case comment
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
        case .unknown: "unknown"
        }
    }

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
    ]
    private static let byType = Dictionary(uniqueKeysWithValues: types)
    private static let byKind = Dictionary(uniqueKeysWithValues: types.map { ($1, $0) })
}
