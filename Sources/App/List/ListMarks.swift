import Annotations
import InstantCore

/// Rows marked for an action on several records.
struct ListMarks: Equatable, Sendable {
    /// The start of a range.
    struct Anchor: Equatable, Sendable {
        var id: Record.ID
        /// Index among all rows of the query.
        var index: Int
    }

    var ids: Set<ByteOrdered> = []
    /// The range from here to the cursor is marked too.
    var anchor: Anchor?

    /// The maximum number of changes that the server accepts in one request.
    static let maxCount = 1000

    var isEmpty: Bool { ids.isEmpty && anchor == nil }

    /// Returns the rows from the anchor to the cursor; nil without an anchor.
    func span(to cursor: Int) -> Range<Int>? {
        anchor.map { min($0.index, cursor)..<max($0.index, cursor) + 1 }
    }
}

extension ListPane {
    func isMarked(_ index: Int) -> Bool {
        marks.span(to: cursor)?.contains(index) == true
            || row(index).map { marks.ids.contains(ByteOrdered($0.id)) } == true
    }

    /// The number of marked rows, as far as known: unloaded rows of the range are assumed not to be marked already.
    var markedCount: Int {
        guard let span = marks.span(to: cursor) else { return marks.ids.count }
        return marks.ids.count
            + span.count { index in row(index).map { !marks.ids.contains(ByteOrdered($0.id)) } ?? true }
    }

    mutating func toggleMark() {
        guard let id = current.map({ ByteOrdered($0.id) }) else { return }
        if marks.ids.remove(id) == nil { marks.ids.insert(id) }
    }
}
