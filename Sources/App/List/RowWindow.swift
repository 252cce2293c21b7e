package import Annotations
package import InstantCore

/// A request for a part of the list. A layer is never loaded whole: the list holds a few hundred rows around its
/// cursor.
package struct RowRequest: Hashable, Sendable {
    package var query: ListQuery
    /// The row at the centre of the window, if the query still lists it; takes precedence over `index`.
    package var around: Record.ID?
    /// The centre of the window otherwise.
    package var index = 0
    /// The maximum number of rows, about half of them before the centre.
    package var limit = 400
    /// Tells its response from those to other requests, also equal ones.
    package var number = 0

    func asksForTheSame(as other: RowRequest) -> Bool {
        var other = other
        other.number = number
        return self == other
    }

    /// Returns the start of the window if its centre is at row `middle` of `total` rows.
    package func offset(middle: Int, total: Int) -> Int {
        max(0, min(middle - limit / 2, total - limit))
    }
}

/// A request for a mark on another page.
package struct MarkRequest: Hashable, Sendable {
    /// In page order.
    package var query: ListQuery
    /// The page from which it is sought, counted from 0.
    package var page: Int
    /// 1 is the first mark on the pages after it, -1 the last one before it.
    package var steps: Int

    package init(query: ListQuery, page: Int, steps: Int) {
        (self.query, self.page, self.steps) = (query, page, steps)
    }
}

/// A part of the list, and the total counts.
package struct RowWindow: Hashable, Sendable {
    package var query: ListQuery
    /// `RowRequest.number`
    package var request: Int
    /// Index of the first of `rows` among all rows of the query.
    package var offset: Int
    /// The number of rows that the query lists.
    package var total: Int
    package var rows: [ListRow]
    /// Index of `RowRequest.around` or of the row that was found; nil if the query does not list it.
    package var anchor: Int?
    /// Records in the layer, regardless of the filter.
    package var all: Int
    /// Unread records in the layer, regardless of the filter.
    package var unread: Int
    /// What the query leaves out as furniture.
    package var hidden: [ListFacets.Facet<AnnotationKind>] = []
    /// Resolved rows that the query leaves out.
    package var resolvedHidden = 0
    /// Unread comments that name the user, regardless of the filter.
    package var mentions = 0

    package init(
        query: ListQuery, request: Int, offset: Int = 0, total: Int, rows: [ListRow], anchor: Int? = nil, all: Int,
        unread: Int,
        hidden: [ListFacets.Facet<AnnotationKind>] = []
    ) {
        self.query = query
        self.request = request
        self.offset = offset
        self.total = total
        self.rows = rows
        self.anchor = anchor
        self.all = all
        self.unread = unread
        self.hidden = hidden
    }
}
