package import Annotations

/// What a list of annotations shows, and in which order. A layer is never loaded whole to show 40 rows: a store
/// answers a query with a count and a window of rows.
package struct ListQuery: Hashable, Sendable {
    package enum Order: String, Hashable, Sendable, CaseIterable {
        /// By page, then from top to bottom, then by id. Rows without a page come last.
        case page
        /// Newest change first.
        case newest
        case author
        /// The null group first, each group as a page lists it.
        case group
    }

    package var order: Order
    package var filter: ListFilter

    package init(order: Order = .page, filter: ListFilter = ListFilter()) {
        self.order = order
        self.filter = filter
    }
}

/// Empty sets and nils let everything through. Comments of a thread are not rows of the list.
package struct ListFilter: Hashable, Sendable {
    package var kinds: Set<AnnotationKind> = []
    /// Case-insensitive, somewhere in text, author or kind name.
    package var text = ""
    /// Words whose letters occur in this order, with anything between them, where ``text`` is looked for.
    package var fuzzy: [String] = []
    /// Look in the words that a mark covers as well, as far as they are known here.
    package var inQuotes = false
    package var author: String?
    /// Empty: the null group.
    package var group: String?
    package var pageIndex: Int?
    package var unreadOnly = false
    package var pendingOnly = false

    package init() {}
}

/// What can be filtered by in a layer, and how many rows of the list each lets through; the most frequent first.
package struct ListFacets: Hashable, Sendable {
    package struct Facet<Value: Hashable & Sendable>: Hashable, Sendable {
        package var value: Value
        package var count: Int

        package init(_ value: Value, _ count: Int) {
            self.value = value
            self.count = count
        }
    }

    package var kinds: [Facet<AnnotationKind>]
    package var authors: [Facet<String>]
    /// Without the null group.
    package var groups: [Facet<String>]

    /// More authors or groups than anybody chooses from.
    package static let maxRows = 200

    package init(kinds: [Facet<AnnotationKind>] = [], authors: [Facet<String>] = [], groups: [Facet<String>] = []) {
        self.kinds = kinds
        self.authors = authors
        self.groups = groups
    }
}

/// How much there is of a list.
package struct ListCounts: Hashable, Sendable {
    /// Rows that the query lists.
    package var matching: Int
    /// Rows of the layer's list, and those of them that are unread, however filtered.
    package var all: Int
    package var unread: Int
    /// Where the row stands that was asked for; nil when the query does not list it.
    package var position: Int?

    package init(matching: Int, all: Int, unread: Int, position: Int? = nil) {
        self.matching = matching
        self.all = all
        self.unread = unread
        self.position = position
    }
}

/// One row: what a list draws without reading a record.
package struct ListRow: Hashable, Sendable, Identifiable {
    package var id: Record.ID
    package var kind: AnnotationKind
    package var pageIndex: Int?
    package var box: Rect?
    package var rects: [Rect]
    /// At most the first 512 characters, uncleaned.
    package var text: String
    package var author: String?
    package var createdBy: String?
    /// Who changed it last; nil: nobody has, or it is part of the PDF.
    package var updatedBy: String?
    package var group: String?
    package var changedAt: Timestamp?
    package var delivery: DeliveryState
    /// Changed by someone else since this person last saw it.
    package var isUnread: Bool
    package var warning: String?
    /// Comments below it.
    package var replies: Int

    package init(
        annotation: Annotation, createdBy: String?, updatedBy: String?, group: String?,
        delivery: DeliveryState = .delivered,
        isUnread: Bool = false, replies: Int = 0
    ) {
        id = annotation.id
        kind = annotation.kind
        pageIndex = annotation.pageIndex
        box = annotation.box
        rects = annotation.rects
        // A character has a byte at least: most texts need not be counted.
        text = annotation.text.utf8.count <= 512 ? annotation.text : String(annotation.text.prefix(512))
        author = annotation.author
        self.createdBy = createdBy
        self.updatedBy = updatedBy
        self.group = group
        changedAt = annotation.updatedAt ?? annotation.createdAt
        self.delivery = delivery
        self.isUnread = isUnread
        warning = annotation.warning
        self.replies = replies
    }
}

extension ListRow {
    /// A row as a store kept it.
    package init(
        id: Record.ID, kind: AnnotationKind, pageIndex: Int?, box: Rect?, rects: [Rect], text: String,
        author: String?, createdBy: String?, updatedBy: String?, group: String?, changedAt: Timestamp?,
        delivery: DeliveryState, isUnread: Bool, warning: String?, replies: Int
    ) {
        self.id = id
        self.kind = kind
        self.pageIndex = pageIndex
        self.box = box
        self.rects = rects
        self.text = text
        self.author = author
        self.createdBy = createdBy
        self.updatedBy = updatedBy
        self.group = group
        self.changedAt = changedAt
        self.delivery = delivery
        self.isUnread = isUnread
        self.warning = warning
        self.replies = replies
    }
}

/// How far a record's own edits have come.
public enum DeliveryState: String, Hashable, Sendable {
    /// Nothing of ours waits.
    case delivered
    /// Durable here, not yet applied by the server.
    case unsent
    /// Kept here because the present grant denies it.
    case parked
    /// Someone else was first: base, mine and theirs are kept.
    case conflict
    /// The server refused it; text and reason are kept.
    case refused
}

extension ListQuery.Order {
    /// Whether one row stands before another in a list of this order.
    package func puts(_ one: ListRow, before other: ListRow) -> Bool {
        switch self {
        case .page: break
        case .newest:
            if one.changedKey != other.changedKey { return one.changedKey > other.changedKey }
            return one.id.isBefore(other.id)
        case .author:
            if one.authorKey != other.authorKey { return one.authorKey.isBefore(other.authorKey) }
        case .group:
            if one.groupKey != other.groupKey { return one.groupKey.isBefore(other.groupKey) }
        }
        if one.pageKey != other.pageKey { return one.pageKey < other.pageKey }
        if one.topKey != other.topKey { return one.topKey < other.topKey }
        return one.id.isBefore(other.id)
    }
}

extension String {
    /// The order of bytes: that of a database, and of the server's snapshot pages.
    package func isBefore(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
