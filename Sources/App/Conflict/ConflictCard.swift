import Annotations
import InstantCore
import Screen

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
    /// The versions that a decision about this applies to.
    var sides: Conflict.Sides
    /// Whether the user's edit exists only as text in the editor and was never submitted.
    var isUnsaved = false
    /// First line shown.
    var top = 0

    var textMerge: TextMerge { Self.merge(base, theirs, mine, theirAuthor) }

    static func merge(_ base: Content?, _ theirs: Content?, _ mine: Content?, _ theirAuthor: String?) -> TextMerge {
        let (theirs, mine) = (text(theirs) ?? "", text(mine) ?? "")
        guard !theirs.isEmpty, !mine.isEmpty else { return TextMerge(only: theirs + mine) }
        return TextMerge(
            base: text(base), theirs: theirs, mine: mine,
            theirName: CleanText(cleaning: theirAuthor ?? "someone").string)
    }

    static func text(_ content: Content?) -> String? {
        content.map { Annotation(id: "", content: $0).text }
    }
}
