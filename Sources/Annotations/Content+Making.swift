// New annotations as Instant JSON v1. The library stamps author, times, group and id.
extension Content {
    /// The side of a note's icon, in points.
    package static let noteSide = 32.0

    /// Returns a note.
    ///
    /// - Parameter corner: The top left corner of the icon.
    public static func note(onPage page: Int, at corner: Point, text: String) -> Content {
        let box = Rect(left: corner.x, top: corner.y, width: noteSide, height: noteSide)
        return make("pspdfkit/note", page, box) {
            $0["text"] = .string(text)
            $0["icon"] = "comment"
            $0["color"] = "#ffd83f"
        }
    }

    /// Returns a text markup.
    ///
    /// - Parameter rects: One box for each line of marked text. Without any, the content is invalid.
    public static func markup(_ kind: MarkupKind, onPage page: Int, rects: [Rect]) -> Content {
        make(kind.annotationKind.type, page, Rect.around(rects)) {
            $0["rects"] = .array(rects.map(\.json))
            $0["color"] = .string(color(of: kind))
            if kind == .highlight { $0["blendMode"] = "multiply" }
        }
    }

    /// Returns the content with another text, in the member for its kind: `text` for notes, free texts and comments,
    /// `note` for everything else. An object stays an object, but its formatting is lost; ``replacingText(with:)`` keeps
    /// it.
    public func changingText(to text: String) -> Content {
        changing {
            let key = $0.textMember
            if $0[key]?.object != nil {
                $0[key] = ["format": "plain", "value": .string(text)]
            } else {
                $0[key] = .string(text)
            }
            $0.removeMisplacedText()
        }
    }

    /// - Parameter box: nil for content that is invalid, because nothing of it is on the page.
    static func make(
        _ type: String, _ page: Int, _ box: Rect?, _ fill: (inout JSONObject) -> Void
    ) -> Content {
        var object = JSONObject()
        object["v"] = 1
        object["type"] = .string(type)
        object["pageIndex"] = .number(JSONNumber(Int64(page)))
        if let box { object["bbox"] = box.json }
        object["opacity"] = 1
        fill(&object)
        return Content(object)
    }

    private static func color(of kind: MarkupKind) -> String {
        switch kind {
        case .highlight: "#fcee7c"
        case .strikeOut: "#d1202f"
        case .squiggly: "#bd10e0"
        case .underline: "#2293fb"
        }
    }
}

/// The kinds of text markup.
public enum MarkupKind: Hashable, Sendable, CaseIterable {
    case highlight, underline, strikeOut, squiggly

    /// - Returns: nil for a kind that does not mark text.
    public init?(_ kind: AnnotationKind) {
        switch kind {
        case .highlight: self = .highlight
        case .underline: self = .underline
        case .strikeOut: self = .strikeOut
        case .squiggly: self = .squiggly
        default: return nil
        }
    }

    public var annotationKind: AnnotationKind {
        switch self {
        case .highlight: .highlight
        case .underline: .underline
        case .strikeOut: .strikeOut
        case .squiggly: .squiggly
        }
    }
}

extension JSONObject {
    private var kind: AnnotationKind { AnnotationKind(of: self) }

    /// The name of the member with the readable text of this content.
    var textMember: String {
        switch kind {
        case .note, .text, .comment, .commentMarker: "text"
        case .unknown: self["text"] == nil && self["rootId"] == nil ? "note" : "text"
        default: "note"
        }
    }

    /// Removes the text of a kind that has only a note; earlier versions stored it there, and it would be shown first.
    mutating func removeMisplacedText() {
        switch kind {
        case .note, .text, .comment, .commentMarker, .unknown: break
        default: if !kind.isMarkup { self["text"] = nil }
        }
    }
}
