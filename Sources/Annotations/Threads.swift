/// The reason why a record cannot have comments. Threads are flat, and begin at a text markup or at a comment marker
/// (guide: comments).
public enum NoThread: Error, Hashable, Sendable, CustomStringConvertible {
    case isComment
    case isKind(AnnotationKind)

    public var description: String {
        switch self {
        case .isComment: "threads are flat; reply to the annotation, not to a comment"
        case .isKind(let kind): "a thread needs a text markup or a comment marker, not \(kind.withArticle)"
        }
    }
}

extension Content {
    /// Why this record cannot be the root of a thread; nil if it can.
    public var noThread: NoThread? {
        if contentType == .comments { return .isComment }
        let kind = AnnotationKind(type: self["type"]?.string ?? "")
        return kind.beginsThreads ? nil : .isKind(kind)
    }
}

extension AnnotationKind {
    public var beginsThreads: Bool { isMarkup || self == .commentMarker }

    /// `a note`, `an ink`.
    package var withArticle: String {
        let isVowel = name.utf8.first.map { "aeiou".utf8.contains($0) } ?? false
        return (isVowel ? "an " : "a ") + name
    }
}
