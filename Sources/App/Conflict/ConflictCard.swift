import Annotations

/// The versions of a record that two users changed: the base, theirs and mine.
struct ConflictCard: Equatable, Sendable {
    var id: Record.ID
    var kind: AnnotationKind
    var pageIndex: Int?
    /// nil if the record did not exist.
    var base: Content?
    /// nil if deleted.
    var theirs: Content?
    /// nil if deleted.
    var mine: Content?
    var theirAuthor: String?
    /// Whether the user's edit exists only as text in the editor and was never submitted.
    var isUnsaved = false
    /// First line shown.
    var top = 0

    static func text(_ content: Content?) -> String? {
        content.map { Annotation(id: "", content: $0).text }
    }
}
