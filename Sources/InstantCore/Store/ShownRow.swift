package import Annotations

/// The stored row of a record, so that lists need not read the record: the row to draw, and the keys for sorting and
/// searching.
package struct ShownRow: Hashable, Sendable {
    /// Raised when the row derived from a record changes; stores then derive their rows again.
    package static let derivation: Int64 = 5

    package var row: ListRow
    /// The root of a comment. Comments are rows of a thread, not of the list.
    package var root: Record.ID?
    package var isComment: Bool
    package var place: Place

    package enum Place: Int64, Hashable, Sendable {
        /// Only in a thread, or the value of a form field.
        case none = 0
        case list = 1
        /// The heading of comments whose root is gone.
        case heading = 2
        /// In the list if hidden rows are asked for, see ``Annotation/isHidden``.
        case hidden = 3
    }
    package var createdAt: Timestamp?
    /// The state that a comment sets.
    package var state: AnnotationState?

    package init(_ record: Record, delivery: DeliveryState) {
        let annotation = Annotation(record)
        row = ListRow(
            annotation: annotation, createdBy: record.createdBy, updatedBy: record.updatedBy, group: record.group,
            delivery: delivery)
        root = annotation.rootID
        isComment = annotation.rootID != nil || annotation.kind == .comment
        createdAt = annotation.createdAt
        state = annotation.state
        place =
            isComment || annotation.isFormFieldValue ? .none : annotation.isHidden ? .hidden : .list
        var words = "\(annotation.summary)\n\(annotation.author ?? "")\n\(annotation.kind.name)".searchForm
        if words.utf8.contains(0) { words = words.replacing(scalars: "\0", with: " ") }
        if words.utf8.contains(0x1F) { words = words.replacing(scalars: "\u{1F}", with: " ") }
        search = Set(record.content.mentions.map { ByteOrdered($0.userID) }).sorted()
            .reduce(words) { $0 + Self.mark(ofMentioned: $1.text) }
    }

    /// Creates the row of an annotation that was deleted or is hidden: the heading of the comments that it left.
    package init(leftBy root: Record.ID, _ thread: ThreadSummary) {
        row = ListRow(
            id: root, kind: .comment, pageIndex: thread.pageIndex, box: nil, rects: [], text: "", author: nil,
            createdBy: nil, updatedBy: nil, group: nil, changedAt: thread.changedAt, delivery: .delivered,
            isUnread: false, warning: nil, replies: 0)
        row.isDeletedRoot = true
        isComment = false
        place = .heading
        search = ListRow.deletedRootName
    }

    /// Text, author and kind name in search form, then the marks of the users that a comment names. Contains no NUL,
    /// because text after one would not be found.
    package let search: String

    /// Returns what stands in ``search`` for a user whom a comment names. No text has this character, and no search for
    /// words, which are in lower case, finds the rest.
    package static func mark(ofMentioned user: String) -> String {
        var mark = "\u{1F}"
        for byte in user.utf8 {
            for half in [byte >> 4, byte & 15] { mark.unicodeScalars.append(Unicode.Scalar(UInt8(ascii: "A") + half)) }
        }
        return mark + "\u{1F}"
    }
}

/// The comments under a root, as far as the heading of a deleted root shows them.
package struct ThreadSummary: Hashable, Sendable {
    /// The first page that a comment names.
    package var pageIndex: Int?
    /// The newest change.
    package var changedAt: Timestamp?

    package init(pageIndex: Int?, changedAt: Timestamp?) {
        self.pageIndex = pageIndex
        self.changedAt = changedAt
    }
}

extension ListRow {
    /// The name of a deleted root for the user.
    package static let deletedRootName = "deleted annotation"

    /// The name of the kind for the user.
    package var name: String { isDeletedRoot ? Self.deletedRootName : kind.name }

    /// Rows without a page come last.
    package static let noPage = Int(Int32.max)
    package var pageKey: Int { pageIndex ?? Self.noPage }
    /// Points from the top of the page.
    package var topKey: Double { box?.top ?? rects.first?.top ?? 0 }
    package var changedKey: Int64 { changedAt?.milliseconds ?? Int64.min }
    package var authorKey: String { author?.searchForm ?? "" }
    package var groupKey: String { group ?? "" }
}
