package import Annotations
package import InstantCore

/// Asks for a stretch of the list. A layer is never loaded whole: the list holds a few hundred rows around its cursor.
package struct RowRequest: Hashable, Sendable {
    package var query: ListQuery
    /// The row that the window is laid around, if the query still lists it; wins over `index`.
    package var around: Record.ID?
    /// Where the window is laid around otherwise.
    package var index = 0
    /// At most so many rows, about half of them before the middle.
    package var limit = 400

    /// Where the window starts when its middle stands at `index` of `total` rows.
    package func offset(middle: Int, total: Int) -> Int {
        max(0, min(middle - limit / 2, total - limit))
    }
}

/// A stretch of the list and how much there is in all.
package struct RowWindow: Hashable, Sendable {
    package var query: ListQuery
    /// Index of the first of `rows` in all that the query lists.
    package var offset: Int
    /// How many rows the query lists.
    package var total: Int
    package var rows: [ListRow]
    /// Where `RowRequest.around` stands, or the row that was looked for; nil when the query does not list it.
    package var anchor: Int?
    /// Records in the layer, however filtered.
    package var all: Int
    /// Unread records in the layer, however filtered.
    package var unread: Int

    package init(
        query: ListQuery, offset: Int = 0, total: Int, rows: [ListRow], anchor: Int? = nil, all: Int, unread: Int
    ) {
        self.query = query
        self.offset = offset
        self.total = total
        self.rows = rows
        self.anchor = anchor
        self.all = all
        self.unread = unread
    }
}
