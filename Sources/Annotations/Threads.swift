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
        let kind = AnnotationKind(of: object)
        return kind.beginsThreads ? nil : .isKind(kind)
    }
}

extension AnnotationKind {
    /// Whether annotations of this kind can be replied to: whether they are markup annotations (ISO 32000-2, 12.5.6.2).
    public var beginsThreads: Bool {
        switch self {
        case .comment, .link, .formField, .movie, .screen, .richMedia, .model3D, .watermark, .printersMark,
            .trapNetwork:
            false
        case .unknown(let type): !type.isEmpty
        default: true
        }
    }

    /// `a note`, `an ink`.
    package var withArticle: String {
        let isVowel = name.utf8.first.map { "aeiou".utf8.contains($0) } ?? false
        return (isVowel ? "an " : "a ") + name
    }
}
