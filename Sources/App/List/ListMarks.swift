import Annotations
import InstantCore

/// Rows that were chosen to be acted on together.
struct ListMarks: Equatable, Sendable {
    /// Where a range begins.
    struct Anchor: Equatable, Sendable {
        var id: Record.ID
        /// In all that the query lists.
        var index: Int
    }

    var ids: Set<Record.ID> = []
    /// The range from here to the cursor is chosen, too.
    var anchor: Anchor?

    /// A server takes no more changes at once.
    static let maxCount = 1000

    var isEmpty: Bool { ids.isEmpty && anchor == nil }

    /// The rows from the anchor to the cursor; nil without an anchor.
    func span(to cursor: Int) -> Range<Int>? {
        anchor.map { min($0.index, cursor)..<max($0.index, cursor) + 1 }
    }
}

extension ListPane {
    func isMarked(_ index: Int) -> Bool {
        marks.span(to: cursor)?.contains(index) == true || row(index).map { marks.ids.contains($0.id) } == true
    }

    /// How many rows are acted on together, as far as it is known: a range may hold rows that are marked already.
    var markedCount: Int {
        guard let span = marks.span(to: cursor) else { return marks.ids.count }
        return marks.ids.count + span.count { index in row(index).map { !marks.ids.contains($0.id) } ?? true }
    }

    mutating func toggleMark() {
        guard let id = current?.id else { return }
        if marks.ids.remove(id) == nil { marks.ids.insert(id) }
    }
}
