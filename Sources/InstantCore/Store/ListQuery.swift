public import Annotations

/// The filter and order of an annotation list. A layer is never loaded as a whole to show 40 rows; instead, a store
/// answers a query with a count and a window of rows.
public struct ListQuery: Hashable, Sendable {
    public enum Order: String, Hashable, Sendable, CaseIterable {
        /// By page, then from top to bottom, then by id. Rows without a page come last.
        case page
        /// Newest change first.
        case newest
        case author
        /// The null group first; each group in page order.
        case group
    }

    public var order: Order
    public var filter: ListFilter

    public init(order: Order = .page, filter: ListFilter = ListFilter()) {
        self.order = order
        self.filter = filter
    }
}

/// Empty sets and nil match everything. Comments of a thread are not rows of the list, but a root that was deleted or is
/// hidden keeps a row as long as it has comments.
public struct ListFilter: Hashable, Sendable {
    public var kinds: Set<AnnotationKind> = []
    /// Matches text, author or kind name, case-insensitively.
    public var text = ""
    /// Words whose letters occur in this order, possibly with gaps, in the fields that ``text`` searches.
    public var fuzzy: [String] = []
    /// Whether to also search the words that a markup covers, if they are stored.
    public var inQuotes = false
    /// Whether ``text`` and the words of ``excluded`` also search the comments under an annotation.
    public var inComments = false
    /// Annotations with a comment that names this user.
    public var mentions: String?
    public var author: String?
    /// Empty for the null group.
    public var group: String?
    /// Also finds annotations of earlier pages that stand on this page, too.
    public var pageIndex: Int?
    public var unreadOnly = false
    public var pendingOnly = false
    /// Annotations with one of these states; see ``AnnotationStates/review``.
    public var states: Set<AnnotationState> = []
    /// Only resolved annotations if true, only the others if false.
    public var resolved: Bool?
    /// Whether to leave out the parts of a group whose head is listed.
    public var headsOnly = false
    /// Whether to leave out the rows of deleted roots.
    public var recordsOnly = false
    /// Kinds, authors, groups (empty for the null group), pages and words that rows must not have.
    public var excluded = Excluded()
    /// Whether to leave out links, form fields and other furniture without a remark.
    public var hidesFurniture = false

    public init() {}
}

extension ListFilter {
    /// The filter with only what lists leave out by default: furniture, parts of groups and resolved annotations.
    package var withoutSearch: ListFilter {
        var filter = ListFilter()
        (filter.hidesFurniture, filter.headsOnly) = (hidesFurniture, headsOnly)
        filter.resolved = resolved == false ? false : nil
        return filter
    }

    /// What a filter leaves out.
    public struct Excluded: Hashable, Sendable {
        public var kinds: Set<AnnotationKind> = []
        public var authors: Set<String> = []
        public var groups: Set<String> = []
        public var pages: Set<Int> = []
        /// In the fields that ``ListFilter/text`` searches.
        public var words: Set<String> = []

        public init() {}

        public var isEmpty: Bool { self == Excluded() }
    }
}

/// The filter values of a layer, each with its number of rows; the most frequent first.
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

    /// The maximum number of listed authors, and of listed groups.
    package static let maxRows = 200

    package init(kinds: [Facet<AnnotationKind>] = [], authors: [Facet<String>] = [], groups: [Facet<String>] = []) {
        self.kinds = kinds
        self.authors = authors
        self.groups = groups
    }
}

/// A user whose records the token sees.
package struct RecordCreator: Hashable, Sendable {
    package var userID: String
    /// The name that stands on most of this user's records; nil if none does. Untrusted like any text.
    package var name: String?

    package init(userID: String, name: String?) {
        (self.userID, self.name) = (userID, name)
    }

    /// The most people that a store returns.
    package static let maxCount = 200
}

/// A comment that names a user.
package struct MentioningComment: Hashable, Sendable {
    package var id: Record.ID
    package var root: Record.ID
    package var isUnread: Bool

    package init(id: Record.ID, root: Record.ID, isUnread: Bool) {
        (self.id, self.root, self.isUnread) = (id, root, isUnread)
    }
}

/// The counts of a list.
package struct ListCounts: Hashable, Sendable {
    /// Rows that match the query.
    package var matching: Int
    /// The rows that the same list has without a search; see ``ListFilter/withoutSearch``.
    package var all: Int
    /// The unread rows, regardless of the filter.
    package var unread: Int
    /// The index of the requested row; nil if the query does not list it.
    package var position: Int?
    /// The furniture that ``ListFilter/hidesFurniture`` leaves out, by kind; the most frequent first. Empty if the query
    /// leaves out none.
    package var hidden: [ListFacets.Facet<AnnotationKind>] = []
    /// Rows that are left out because they are resolved, regardless of the rest of the filter; 0 unless
    /// ``ListFilter/resolved`` is false.
    package var resolvedHidden = 0

    package init(matching: Int, all: Int, unread: Int, position: Int? = nil) {
        self.matching = matching
        self.all = all
        self.unread = unread
        self.position = position
    }
}

/// One row of a list, drawn without reading the record.
package struct ListRow: Hashable, Sendable, Identifiable {
    package var id: Record.ID
    package var kind: AnnotationKind
    package var pageIndex: Int?
    package var box: Rect?
    package var rects: [Rect]
    /// At most the first 512 characters, not cleaned for display.
    package var text: String
    package var author: String?
    package var createdBy: String?
    /// The user who changed it last; nil if no user has, or if it is part of the PDF.
    package var updatedBy: String?
    package var group: String?
    package var changedAt: Timestamp?
    package var delivery: DeliveryState
    /// Whether another user changed it since this user last saw it.
    package var isUnread: Bool
    package var warning: String?
    /// The number of comments under it, states included.
    package var replies: Int
    /// The number of comments under it that only set a state.
    package var states = 0
    /// The state that the annotation shows; see ``AnnotationStates/review``.
    package var review: AnnotationState?
    /// The head of the group that the annotation is a part of.
    package var head: Record.ID?
    /// Whether the annotation was deleted or is hidden, and only its comments remain.
    package var isDeletedRoot = false
    /// The colour of the mark as written, usually `#rrggbb`; nil if that is longer than any colour.
    package var color: String?

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
        let text = annotation.summary
        // A character has at least one byte, so most texts need not be counted.
        self.text = text.utf8.count <= 512 ? text : String(text.prefix(512))
        author = annotation.author
        self.createdBy = createdBy
        self.updatedBy = updatedBy
        self.group = group
        changedAt = annotation.updatedAt ?? annotation.createdAt
        self.delivery = delivery
        self.isUnread = isUnread
        warning = annotation.warning
        head = annotation.head
        color = annotation.color.flatMap { $0.utf8.count <= 32 ? $0 : nil }
        self.replies = replies
    }
}

extension ListRow {
    /// Whether ``ListFilter/hidesFurniture`` leaves out this new row.
    package var isHidden: Bool { kind.isFurniture && text.isBlank }

    /// Creates a row from stored values.
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

/// The delivery state of a record's local edits.
public enum DeliveryState: String, Hashable, Sendable {
    /// No local edit is pending.
    case delivered
    /// Stored durably here, not yet applied by the server.
    case unsent
    /// Parked here because the current grant denies it.
    case parked
    /// Another client's change came first; the base and both versions are stored.
    case conflict
    /// The server refused it; text and reason are stored.
    case refused
}

extension ListRow {
    package var isResolved: Bool { review?.isResolving ?? false }
    /// The number of comments that say something.
    package var remarks: Int { max(0, replies - states) }
}

extension ListRow {
    /// Returns the row as a further page of the annotation shows it; nil if it does not stand there, for example because
    /// a local edit moves it.
    ///
    /// - Parameter content: what the PDF says.
    package func standing(on page: Int, as content: Content) -> ListRow? {
        guard pageIndex != page, content["pageIndex"]?.integer == pageIndex.map(Int64.init),
            let place = content.otherPlaces.first(where: { $0.pageIndex == page })
        else { return nil }
        var row = self
        if let box = place.box { (row.box, row.rects) = (box, rects.isEmpty ? [] : [box]) }
        return row
    }
}

extension [ListRow] {
    /// From top to bottom, whatever their first page.
    package var sortedOnPage: [ListRow] {
        sorted { $0.topKey != $1.topKey ? $0.topKey < $1.topKey : $0.id.isBefore($1.id) }
    }
}

extension ListQuery.Order {
    /// Whether one row comes before another in this order.
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
    /// Compares bytes, as the database and the server's snapshot pages do.
    package func isBefore(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
