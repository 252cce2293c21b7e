import Annotations
import InstantCore
import Screen

/// The list of annotations: a window of rows around a cursor that follows a record, not an index.
///
/// Changes elsewhere in the list never move the cursor off its record or its screen row.
struct ListPane: Equatable, Sendable {
    var query = ListQuery(filter: FilterSyntax.parse(""))
    /// The filter as typed.
    var filter = ""
    var window: RowWindow?
    /// Index of the cursor's row among all rows of the query.
    var cursor = 0
    var cursorID: Record.ID?
    /// The record that the user moved to last. Letters of a filter may have moved the cursor since.
    private var chosen: Record.ID?
    /// The record to return to once something matches again.
    private var left: Record.ID?
    var marks = ListMarks()
    /// Index of the first row on the screen.
    var top = 0
    /// Whether the user has moved the cursor.
    var hasMoved = false
    /// Whether records still arrive for the first time. Until the user moves, the cursor is on the first row meanwhile.
    var isFilling = false

    /// The pending request.
    private(set) var asked: RowRequest?
    /// The number of requests made so far.
    private var requests = 0
    /// The last answered request, which is not repeated.
    private var answered: RowRequest?
    /// Whether the cursor moves to the anchor of the response.
    var isSeeking = false
    var seeksQuietly = false
    /// Whether something changed since the last request.
    var isStale = true

    var total: Int { max(0, window?.total ?? 0) }

    func row(_ index: Int) -> ListRow? {
        guard let window, window.rows.indices.contains(index - window.offset) else { return nil }
        return window.rows[index - window.offset]
    }

    var current: ListRow? { row(cursor) }

    /// `12 links hidden, 3 resolved hidden`; empty if nothing is.
    var hidden: CleanText {
        let furniture = window?.hidden ?? []
        var words: [CleanText] = furniture.map { "\($0.count) \($0.value.name)\($0.count == 1 ? "" : "s")" }
        if words.count > 2 { words = ["\(furniture.reduce(0) { $0 + $1.count })"] }
        var parts = words.isEmpty ? [] : [words.dropFirst().reduce(words[0]) { $0 + ", " + $1 } + " hidden"]
        if let resolved = window?.resolvedHidden, resolved > 0 { parts.append("\(resolved) resolved hidden") }
        return parts.dropFirst().reduce(parts.first ?? "") { $0 + ", " + $1 }
    }

    mutating func move(to index: Int) {
        hasMoved = true
        place(at: index)
        chosen = cursorID
    }

    private mutating func place(at index: Int) {
        cursor = max(0, min(index, total - 1))
        if let cursorID, total == 0 { left = chosen ?? cursorID }
        cursorID = current?.id
        if cursorID != nil { left = nil }
    }

    /// Numbers a request and makes it the pending one. The responses to earlier ones are no longer accepted.
    mutating func ask(_ request: RowRequest) -> RowRequest {
        requests += 1
        var request = request
        request.number = requests
        asked = request
        return request
    }

    /// Accepts the response to the pending request; false if it is the response to another one.
    mutating func take(_ new: RowWindow) -> Bool {
        guard new.query == query, new.request == asked?.number else { return false }
        let wasSeeking = isSeeking
        (answered, asked, isSeeking, window) = (asked, nil, false, new)
        let before = cursorID ?? left
        let found = new.rows.firstIndex { before.isExactly($0.id) }.map { $0 + new.offset }
        if wasSeeking, let anchor = new.anchor {
            (cursor, hasMoved, chosen) = (anchor, true, row(anchor)?.id)
        } else if isFilling, !hasMoved {
            (cursor, top) = (0, 0)
        } else if let place = found {
            top = max(0, top + place - cursor)
            cursor = place
        }
        if let anchor = marks.anchor {
            marks.anchor?.index =
                new.rows.firstIndex { $0.id.isExactly(anchor.id) }.map { $0 + new.offset } ?? anchor.index
        }
        place(at: cursor)
        return true
    }

    mutating func scroll(rows: Int) {
        top = Scrolling.top(top, cursor: cursor, rows: rows, count: total)
        // Headings take lines of their own.
        while cursor < total, top < cursor, !shownRows(rows: rows).contains(cursor) { top += 1 }
    }

    /// Returns the request for the rows around the cursor that are missing.
    mutating func request(rows: Int) -> RowRequest? {
        guard asked == nil else { return nil }
        let limit = max(400, 5 * rows)
        guard let window, !isStale else {
            isStale = false
            let stays = hasMoved || !isFilling
            return ask(
                RowRequest(
                    query: query, around: stays ? cursorID ?? left : nil, index: stays ? cursor : 0, limit: limit))
        }
        let first = max(0, top - rows)
        let last = min(total, top + 2 * rows)
        let request = RowRequest(query: query, index: cursor, limit: limit)
        guard first < window.offset || last > window.offset + window.rows.count,
            answered?.asksForTheSame(as: request) != true
        else { return nil }
        return ask(request)
    }

    /// Has the rows read again: the pending response may predate an edit that has been stored since.
    mutating func readAgain() {
        isStale = true
        // The response to a seek moves the cursor. It is kept, and the rows are read once more after it.
        if !isSeeking { asked = nil }
    }

    /// Changes the query. The cursor stays on its record if the query lists it, else at its index.
    mutating func change(_ query: ListQuery) {
        guard query != self.query else { return }
        self.query = query
        (asked, isSeeking, isStale) = (nil, false, true)
    }
}

/// The other users who made unread changes, oldest first: `2 new by ana`.
struct RecentAuthors: Equatable, Sendable {
    private(set) var authors: [String] = []

    mutating func add(_ author: String) {
        authors.removeAll { $0 == author }
        authors.append(author)
        // The list header has room for three.
        if authors.count > 3 { authors.removeFirst() }
    }

    mutating func clear() { authors = [] }
}

/// The scroll position of a pane that keeps its cursor visible.
enum Scrolling {
    /// Returns the first row to show. Small steps scroll as little as necessary; a jump leaves context before and after
    /// the cursor.
    ///
    /// - Parameters:
    ///   - top: The first row shown so far.
    ///   - cursor: The row that must be visible, counted from 0.
    ///   - rows: Rows that fit.
    ///   - count: Total rows.
    static func top(_ top: Int, cursor: Int, rows: Int, count: Int) -> Int {
        let rows = max(1, rows)
        let isJump = cursor < top - rows / 2 || cursor >= top + rows + rows / 2
        let wanted = isJump ? cursor - rows / 3 : min(max(top, cursor - rows + 1), cursor)
        return max(0, min(wanted, count - rows))
    }
}
