import Annotations
import InstantCore

/// The user's edits that are not stored yet, in the order in which they were made. Until they are, data read from the
/// local store is shown with the edits applied.
struct PendingEdits: Equatable, Sendable {
    enum Work: Equatable, Sendable {
        case step(EditStep)
        case undo(EditStep)
        case resolution(Record.ID)

        func isResolution(of id: Record.ID) -> Bool {
            if case .resolution(let other) = self { other.isExactly(id) } else { false }
        }

        var ids: [Record.ID] {
            switch self {
            case .step(let step), .undo(let step): step.ids
            case .resolution(let id): [id]
            }
        }
    }

    enum Stage: Equatable, Sendable {
        case saving
        /// Stored, but the rows on the screen were read earlier.
        case saved
        /// Why, as a sentence.
        case failed(String)
    }

    struct Item: Equatable, Sendable {
        var work: Work
        /// The editor whose text was submitted. The text returns there if saving fails.
        var editor: Editor?
        /// The records that the step creates, as shown until they are stored.
        var made: [Record] = []
        var stage = Stage.saving

        fileprivate var hasFailed: Bool { if case .failed = stage { true } else { false } }
    }

    private(set) var items: [Item] = []

    var savingCount: Int { items.count { $0.stage == .saving } }

    var hasFailures: Bool { items.contains(where: \.hasFailed) }

    mutating func begin(_ work: Work, made: [Record] = [], from editor: Editor? = nil) {
        dropFailed()
        items.append(Item(work: work, editor: editor, made: made))
    }

    /// - Returns: nil if the work is unknown: a response from before the layer was closed and reopened.
    mutating func end(as stage: Stage, _ isIt: (Work) -> Bool) -> Item? {
        guard let index = items.firstIndex(where: { $0.stage == .saving && isIt($0.work) }) else { return nil }
        items[index].stage = stage
        return items[index]
    }

    /// Drops saved items after newer rows have arrived.
    mutating func dropSaved() { items.removeAll { $0.stage == .saved } }

    mutating func dropFailed() { items.removeAll(where: \.hasFailed) }

    /// Records that were never created, with the draft that holds their text. The text of a later edit is added to it.
    var failedDrafts: [ByteOrdered: DraftKey] {
        var keys: [ByteOrdered: DraftKey] = [:]
        for item in items where item.hasFailed {
            guard let key = item.editor?.draftKey else { continue }
            for record in item.made { keys[ByteOrdered(record.id)] = key }
        }
        return keys
    }

    // MARK: Display

    func isSaving(_ id: Record.ID) -> Bool {
        items.contains { $0.stage == .saving && $0.work.ids.containsExactly(id) }
    }

    /// Returns why the last failed edit of a record was not saved; nil if none failed.
    func failure(of id: Record.ID) -> String? {
        for item in items.reversed() where item.work.ids.containsExactly(id) {
            if case .failed(let why) = item.stage { return why }
        }
        return nil
    }

    /// Returns a record with the pending edits applied, whether it was read or is created by one of them.
    func applied(to record: Record?, _ id: Record.ID) -> Record? {
        guard !items.isEmpty else { return record }
        var record = record
        for item in items {
            if record == nil { record = item.made.first { $0.id.isExactly(id) } }
            if let known = record, let content = item.content(of: id) {
                record?.content = content.keepingOrigin(of: known.content)
            }
        }
        return record
    }

    /// Returns the comments under an annotation, new ones last.
    func applied(to comments: [Record], under root: Record.ID) -> [Record] {
        guard !items.isEmpty else { return comments }
        let known = Set(comments.map { ByteOrdered($0.id) })
        let new = made.filter {
            ($0.content["rootId"]?.string).isExactly(root) && !known.contains(ByteOrdered($0.id))
        }
        return (comments + new).map { applied(to: $0, $0.id) ?? $0 }
    }

    /// Returns the rows of one page, new ones last.
    func applied(to rows: [ListRow], onPage index: Int) -> [ListRow] {
        guard !items.isEmpty else { return rows }
        let known = Set(rows.map { ByteOrdered($0.id) })
        let new = newRows.filter { $0.pageIndex == index && !known.contains(ByteOrdered($0.id)) }
        return rows.map(applied) + new
    }

    /// Inserts new rows at their place in the order, unless a filter is set: only the store knows whether the filter
    /// matches them.
    func applied(to window: RowWindow) -> RowWindow {
        guard !items.isEmpty else { return window }
        var window = window
        window.rows = window.rows.map(applied)
        var filter = window.query.filter
        filter.hidesFurniture = false
        (filter.resolved, filter.headsOnly) = (filter.resolved == true ? true : nil, false)
        guard filter == ListFilter() else { return window }
        let isListed = { (row: ListRow) in !window.query.filter.hidesFurniture || !row.isHidden }
        for row in newRows.filter(isListed) where !window.rows.contains(where: { $0.id.isExactly(row.id) }) {
            let place = window.rows.firstIndex { window.query.order.puts(row, before: $0) } ?? window.rows.count
            let isAbove = place == 0 && window.offset > 0
            let isBelow = place == window.rows.count && window.offset + window.rows.count < window.total
            window.total += 1
            window.all += 1
            if let anchor = window.anchor, window.offset + place <= anchor { window.anchor = anchor + 1 }
            if isAbove { window.offset += 1 } else if !isBelow { window.rows.insert(row, at: place) }
        }
        return window
    }

    private var made: [Record] { items.flatMap(\.made) }

    private var newRows: [ListRow] {
        made.filter { $0.contentType == .annotations }.map { record in
            let now = applied(to: record, record.id) ?? record
            var row = ListRow(
                annotation: Annotation(now), createdBy: now.createdBy, updatedBy: nil, group: now.group,
                delivery: .unsent, replies: newReplies(to: record.id))
            row.color = now.content.color
            return row
        }
    }

    private func applied(to row: ListRow) -> ListRow {
        var row = row
        if let content = items.reversed().lazy.compactMap({ $0.content(of: row.id) }).first {
            var changed = ListRow(
                annotation: Annotation(id: row.id, content: content), createdBy: row.createdBy,
                updatedBy: row.updatedBy, group: row.group, delivery: .unsent, isUnread: row.isUnread,
                replies: row.replies)
            (changed.states, changed.review) = (row.states, row.review)
            changed.color = content.color
            row = changed
        }
        row.replies = max(row.replies, min(1, newReplies(to: row.id)))
        let states = made.filter { ($0.content["rootId"]?.string).isExactly(row.id) }.compactMap(\.content.state)
        row.states = max(row.states, min(1, states.count))
        row.review = states.last { $0.model == .review } ?? row.review
        return row
    }

    private func newReplies(to root: Record.ID) -> Int {
        made.count { ($0.content["rootId"]?.string).isExactly(root) }
    }
}

extension PendingEdits.Item {
    /// Returns the content that the step gives an existing record; nil if the step leaves it unchanged or failed.
    fileprivate func content(of id: Record.ID) -> Content? {
        guard case .step(let step) = work, !hasFailed else { return nil }
        for case .update(let updated, let content) in step.edits where updated.isExactly(id) { return content }
        return nil
    }
}
