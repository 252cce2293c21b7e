import Annotations
import App
import InstantCore

import enum SyncProtocol.ChangeKind

// The parts of a layer that the screen shows.
extension Layer {
    /// Returns a window of the list around a row or a position.
    func window(of request: RowRequest) throws -> RowWindow {
        try store.read { stored in
            let counts = try stored.counts(request.query, before: request.around)
            return try stored.window(of: request, counts: counts, anchor: counts.position)
        }
    }

    func windowAroundUnread(of request: RowRequest) throws -> RowWindow {
        try store.read { stored in
            let anchor = try stored.nextUnread(request.query, behind: request.index)
            return try stored.window(of: request, counts: stored.counts(request.query, before: nil), anchor: anchor)
        }
    }

    /// Returns a mark on the pages before or after one; nil if there are not that many.
    func mark(of request: MarkRequest) throws -> ListRow? {
        try store.read { stored in
            let total = try stored.count(request.query)
            // The rows are in page order, so the first one of the later pages is found by halving.
            let later = request.steps > 0
            var range = 0..<total
            while !range.isEmpty {
                let middle = range.lowerBound + range.count / 2
                guard let row = try stored.rows(request.query, offset: middle, limit: 1, of: total).first else {
                    return nil
                }
                let isBehind = later ? row.pageKey > request.page : row.pageKey >= request.page
                range = isBehind ? range.lowerBound..<middle : (middle + 1)..<range.upperBound
            }
            let index = range.lowerBound + (later ? request.steps - 1 : request.steps)
            guard (0..<total).contains(index) else { return nil }
            // Rows without a page are at the end.
            let row = try stored.rows(request.query, offset: index, limit: 1, of: total).first
            return row?.pageIndex == nil ? nil : row
        }
    }

    /// Returns the records to act on together, without any that have since been deleted.
    func batch(_ wanted: RecordBatchRequest) throws -> [BatchRecord] {
        let span = try wanted.span.map {
            try rows(wanted.query, offset: $0.lowerBound, limit: $0.count).map(\.id)
        }
        var seen: Set<ByteOrdered> = []
        return try deletions(of: ((span ?? []) + wanted.ids).filter { seen.insert(ByteOrdered($0)).inserted }).map {
            BatchRecord($0.record, comments: $0.comments, root: $0.root)
        }
    }

    func outboxItems() throws -> [OutboxItem] {
        let conflicts = Dictionary(
            try conflicts().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return try outbox().map { entry in
            let shown = entry.content ?? entry.base?.content
            let annotation = shown.map { Annotation(id: entry.id, content: $0) }
            let conflict = conflicts[Conflict.ID(seq: entry.seq)]
            let theirs = conflict?.theirs
            return OutboxItem(
                id: entry.id, action: entry.kind.action, kind: annotation?.kind ?? .unknown(""),
                pageIndex: annotation?.pageIndex, delivery: entry.delivery, since: entry.madeAt,
                reason: entry.reason, isAside: entry.isAside && entry.stage == .parked, base: entry.base?.content,
                mine: entry.content, theirs: theirs?.content,
                theirAuthor: theirs.flatMap { $0.updatedBy ?? Annotation($0).author }, sides: conflict?.sides)
        }
    }
}

extension StoredLayer {
    fileprivate func window(of request: RowRequest, counts: ListCounts, anchor: Int?) throws -> RowWindow {
        let offset = request.offset(middle: anchor ?? request.index, total: counts.matching)
        let rows = try withValues(
            rows(request.query, offset: offset, limit: request.limit, of: counts.matching))
        var window = RowWindow(
            query: request.query, request: request.number, offset: offset, total: counts.matching, rows: rows,
            anchor: anchor, all: counts.all, unread: counts.unread, hidden: counts.hidden)
        window.resolvedHidden = counts.resolvedHidden
        window.mentions = try ownMentions().count(where: \.isUnread)
        return window
    }
}

extension OutboxEntry {
    fileprivate var reason: String? {
        switch state {
        case .parked(let why), .conflict(let why), .refused(let why): why
        case .waiting, .sealed, .applied: nil
        }
    }

    fileprivate var delivery: DeliveryState {
        switch stage {
        case .waiting, .sealed: .unsent
        case .parked: .parked
        case .conflict: .conflict
        case .refused: .refused
        case .applied: .delivered
        }
    }
}

extension ChangeKind {
    fileprivate var action: OutboxItem.Action {
        switch self {
        case .create, .restore: .create
        case .update: .update
        case .delete: .delete
        }
    }
}

extension Layer {
    /// Returns the drafts that have lost a record: it does not exist, or may not be seen.
    func gone(_ drafts: [DraftKey]) throws -> [DraftKey] {
        try drafts.filter { try $0.records.contains { try record($0) == nil } }
    }
}
