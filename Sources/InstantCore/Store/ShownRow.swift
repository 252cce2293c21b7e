package import Annotations

/// The stored row of a record, so that lists need not read the record: the row to draw, and the keys for sorting and
/// searching.
package struct ShownRow: Hashable, Sendable {
    /// Raised when the row derived from a record changes; stores then derive their rows again.
    package static let derivation: Int64 = 1

    package var row: ListRow
    /// The root of a comment. Comments are rows of a thread, not of the list.
    package var root: Record.ID?
    package var isComment: Bool
    package var createdAt: Timestamp?

    package init(_ record: Record, delivery: DeliveryState) {
        let annotation = Annotation(record)
        row = ListRow(
            annotation: annotation, createdBy: record.createdBy, updatedBy: record.updatedBy, group: record.group,
            delivery: delivery)
        root = annotation.rootID
        isComment = annotation.rootID != nil || annotation.kind == .comment
        createdAt = annotation.createdAt
        let words = "\(annotation.text)\n\(annotation.author ?? "")\n\(annotation.kind.name)".lowercased()
        search = words.utf8.contains(0) ? words.replacing("\0", with: " ") : words
    }

    /// Text, author and kind name in lower case. Contains no NUL, because text after one would not be found.
    package let search: String
}

extension ListRow {
    /// Rows without a page come last.
    package static let noPage = Int(Int32.max)
    package var pageKey: Int { pageIndex ?? Self.noPage }
    /// Points from the top of the page.
    package var topKey: Double { box?.top ?? rects.first?.top ?? 0 }
    package var changedKey: Int64 { changedAt?.milliseconds ?? Int64.min }
    package var authorKey: String { author?.lowercased() ?? "" }
    package var groupKey: String { group ?? "" }
}
