/// The reason why a record cannot be replied to. Threads are flat: a reply to a comment stands under its root.
public enum NoThread: Error, Hashable, Sendable, CustomStringConvertible {
    case isComment
    case isKind(AnnotationKind)

    public var description: String {
        switch self {
        case .isComment: "threads are flat; reply to the annotation, not to a comment"
        case .isKind(let kind): "\(kind.withArticle) cannot be replied to, only markup and notes"
        }
    }
}

extension Content {
    /// Why this record cannot be the root of a thread; nil if it can.
    public var noThread: NoThread? {
        if contentType == .comments { return .isComment }
        let kind = AnnotationKind(type: self["type"]?.string ?? "")
        let subtype = self["postilla"]?["pdfSubtype"]?.string ?? ""
        return kind.beginsThreads && !Self.subtypesWithoutReplies.contains(subtype) ? nil : .isKind(kind)
    }

    /// Annotations that are not markup annotations (ISO 32000-2, 12.5.6.2).
    private static let subtypesWithoutReplies: Set = [
        "Link", "Popup", "Movie", "Screen", "Widget", "PrinterMark", "TrapNet", "Watermark", "3D", "RichMedia",
    ]
}

extension AnnotationKind {
    /// Whether annotations of this kind can be replied to.
    public var beginsThreads: Bool {
        switch self {
        case .comment, .link: false
        case .unknown(let type): !["", "pspdfkit/widget", "pspdfkit/media"].contains(type)
        default: true
        }
    }

    /// `a note`, `an ink`.
    package var withArticle: String {
        let isVowel = name.utf8.first.map { "aeiou".utf8.contains($0) } ?? false
        return (isVowel ? "an " : "a ") + name
    }
}
