import Annotations

/// Two people changed one record: what it was, what it is, and what this person made of it.
struct ConflictCard: Equatable, Sendable {
    var id: Record.ID
    var kind: AnnotationKind
    var pageIndex: Int?
    /// nil: it did not exist.
    var base: Content?
    /// nil: deleted.
    var theirs: Content?
    /// nil: deleted.
    var mine: Content?
    var theirAuthor: String?
    /// The edit was never handed over: it is still only a text in the editor.
    var isUnsaved = false

    static func text(_ content: Content?) -> String? {
        content.map { Annotation(id: "", content: $0).text }
    }
}
