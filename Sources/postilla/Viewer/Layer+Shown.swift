import Annotations
import App
import InstantCore

import enum SyncProtocol.ChangeKind

// What the screen shows of a layer.
extension Layer {
    /// A window of the list, laid around a row or a place.
    func window(of request: RowRequest) throws -> RowWindow {
        try window(of: request, anchor: request.around.flatMap { try position(of: $0, in: request.query) })
    }

    func windowAroundUnread(of request: RowRequest) throws -> RowWindow {
        try window(of: request, anchor: nextUnread(request.query, behind: request.index))
    }

    private func window(of request: RowRequest, anchor: Int?) throws -> RowWindow {
        let total = try count(request.query)
        let offset = request.offset(middle: anchor ?? request.index, total: total)
        let isWhole = request.query.filter == ListFilter()
        return RowWindow(
            query: request.query, offset: offset, total: total,
            rows: try rows(request.query, offset: offset, limit: request.limit), anchor: anchor,
            all: isWhole ? total : try count(ListQuery()), unread: try unreadCount())
    }

    /// Records that are to be acted on together; those that are gone meanwhile are left out.
    func gathered(_ wanted: Gathering) throws -> [Gathered] {
        let span = try wanted.span.map {
            try rows(wanted.query, offset: $0.lowerBound, limit: $0.count).map(\.id)
        }
        var seen: Set<Record.ID> = []
        return try ((span ?? []) + wanted.ids).filter { seen.insert($0).inserted }.compactMap { id in
            try record(id).map { Gathered($0, replies: try thread(under: id).count) }
        }
    }

    func outboxItems() throws -> [OutboxItem] {
        let conflicts = Dictionary(
            try conflicts().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return try outbox().map { entry in
            let shown = entry.content ?? entry.base?.content
            let annotation = shown.map { Annotation(id: entry.id, content: $0) }
            let theirs = conflicts[entry.seq]?.theirs
            return OutboxItem(
                id: entry.id, action: entry.kind.action, kind: annotation?.kind ?? .unknown(""),
                pageIndex: annotation?.pageIndex, delivery: entry.delivery, since: entry.madeAt,
                reason: entry.reason, base: entry.base?.content, mine: entry.content, theirs: theirs?.content,
                theirAuthor: theirs.flatMap { $0.updatedBy ?? Annotation($0).author })
        }
    }
}

extension OutboxEntry {
    fileprivate var reason: String? {
        switch state {
        case .parked(let why), .conflict(let why), .refused(let why): why
        case .waiting, .sealed, .applied: nil
        }
    }

    fileprivate var delivery: Delivery {
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
