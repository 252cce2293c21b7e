import Annotations
import InstantCore

/// The list of annotations: a window of rows around a cursor that is a record, not a number.
///
/// What arrives or goes elsewhere never moves the cursor off its record or its row on the screen.
struct ListPane: Equatable, Sendable {
    var query = ListQuery()
    /// The filter as it was typed.
    var filter = ""
    var window: RowWindow?
    /// Index of the cursor's row in all that the query lists.
    var cursor = 0
    var cursorID: Record.ID?
    var marks = ListMarks()
    /// Index of the first row on the screen.
    var top = 0

    /// The request whose answer is awaited.
    var asked: RowRequest?
    /// The request that was answered last: the same is not asked twice.
    private var answered: RowRequest?
    /// The answer's anchor is where the cursor goes.
    var isSeeking = false
    /// Something changed since the last request.
    var isStale = true

    var total: Int { max(0, window?.total ?? 0) }

    func row(_ index: Int) -> ListRow? {
        guard let window, window.rows.indices.contains(index - window.offset) else { return nil }
        return window.rows[index - window.offset]
    }

    var current: ListRow? { row(cursor) }

    mutating func move(to index: Int) {
        cursor = max(0, min(index, total - 1))
        cursorID = current?.id
    }

    /// Takes the answer to a request; false when it answers an older question.
    mutating func take(_ new: RowWindow) -> Bool {
        guard new.query == query else { return false }
        let wasSeeking = isSeeking
        (answered, asked, isSeeking, window) = (asked, nil, false, new)
        let found = new.rows.firstIndex { $0.id == cursorID }.map { $0 + new.offset }
        if wasSeeking, let anchor = new.anchor {
            cursor = anchor
        } else if let place = found {
            top = max(0, top + place - cursor)
            cursor = place
        }
        if let anchor = marks.anchor {
            marks.anchor?.index = new.rows.firstIndex { $0.id == anchor.id }.map { $0 + new.offset } ?? anchor.index
        }
        move(to: cursor)
        return true
    }

    mutating func scroll(rows: Int) {
        top = Scrolling.top(top, cursor: cursor, rows: rows, count: total)
    }

    /// What has to be asked for so that the rows around the cursor can be shown.
    mutating func request(rows: Int) -> RowRequest? {
        guard asked == nil else { return nil }
        let limit = max(400, 5 * rows)
        guard let window, !isStale else {
            isStale = false
            asked = RowRequest(query: query, around: cursorID, index: cursor, limit: limit)
            return asked
        }
        let first = max(0, top - rows)
        let last = min(total, top + 2 * rows)
        let request = RowRequest(query: query, index: cursor, limit: limit)
        guard first < window.offset || last > window.offset + window.rows.count, request != answered else { return nil }
        asked = request
        return asked
    }

    /// Lists something else: from the top, or still at the record the cursor was on.
    mutating func change(_ query: ListQuery) {
        guard query != self.query else { return }
        self.query = query
        (asked, isSeeking, isStale) = (nil, false, true)
    }
}

/// Who else changed something since this person last looked, oldest first: `2 new by ana`.
struct RecentAuthors: Equatable, Sendable {
    private(set) var authors: [String] = []

    mutating func add(_ author: String) {
        authors.removeAll { $0 == author }
        authors.append(author)
        // A row has room for a few.
        if authors.count > 3 { authors.removeFirst() }
    }

    mutating func clear() { authors = [] }
}

/// Where a pane starts so that its cursor is in sight.
enum Scrolling {
    /// Small steps scroll no further than they must; a jump lands with something to read before and behind it.
    ///
    /// - Parameters:
    ///   - top: first row shown so far.
    ///   - cursor: the row that has to be seen, from 0.
    ///   - rows: that fit.
    ///   - count: rows in all.
    static func top(_ top: Int, cursor: Int, rows: Int, count: Int) -> Int {
        let rows = max(1, rows)
        let isJump = cursor < top - rows / 2 || cursor >= top + rows + rows / 2
        let wanted = isJump ? cursor - rows / 3 : min(max(top, cursor - rows + 1), cursor)
        return max(0, min(wanted, count - rows))
    }
}
