import Annotations
import App
import Instant
import InstantCore

import enum SyncProtocol.ChangeKind

// Records of the open layer: lists of them, edits, and what waits.
extension ViewerServices {
    /// A window of the list, laid around a row or a place.
    func rows(_ request: RowRequest, in layer: Layer) throws -> Message {
        let anchor = try request.around.flatMap { try layer.position(of: $0, in: request.query) }
        return .rows(try window(request, anchor: anchor, in: layer))
    }

    func unread(_ request: RowRequest, in layer: Layer) throws -> Message {
        let found = try layer.nextUnread(request.query, behind: request.index)
        return .rows(try window(request, anchor: found, in: layer))
    }

    private func window(
        _ request: RowRequest, anchor: Int?, in layer: Layer
    ) throws -> RowWindow {
        let total = try layer.count(request.query)
        let offset = request.offset(middle: anchor ?? request.index, total: total)
        let isWhole = request.query.filter == ListFilter()
        return RowWindow(
            query: request.query, offset: offset, total: total,
            rows: try layer.rows(request.query, offset: offset, limit: request.limit), anchor: anchor,
            all: isWhole ? total : try layer.count(ListQuery()), unread: try layer.unreadCount())
    }

    /// Records that are to be acted on together; those that are gone meanwhile are left out.
    func gathered(_ wanted: Gathering, in layer: Layer) throws -> [Gathered] {
        let span = try wanted.span.map {
            try layer.rows(wanted.query, offset: $0.lowerBound, limit: $0.count).map(\.id)
        }
        var seen: Set<Record.ID> = []
        return try ((span ?? []) + wanted.ids).filter { seen.insert($0).inserted }.compactMap { id in
            try layer.record(id).map { Gathered($0, replies: try layer.thread(under: id).count) }
        }
    }

    // MARK: Edits

    /// All edits of a step or none: when one is refused, those before it are taken back.
    func perform(_ step: EditStep) {
        guard let tab, let descriptor = tab.layer?.descriptor else { return }
        var done: [EditReceipt] = []
        do {
            for edit in step.edits {
                switch edit {
                case .create(let content): done.append(try descriptor.create(content, author: author))
                case .update(let id, let content): done.append(try descriptor.update(id, content: content))
                case .delete(let id): done.append(try descriptor.delete(id))
                case .beginThread(let root, let text):
                    let receipts = try descriptor.beginThread(root, .plain(text), author: author)
                    done += [receipts.root, receipts.comment]
                }
            }
            tab.receipts[step.id] = done
            tab.post(.edited(step: step.id, done.map(\.id)))
        } catch {
            for receipt in done.reversed() { _ = try? descriptor.undo(receipt) }
            tab.post(.editFailed(step: step.id, "\(error)"))
        }
        layer?.tellStatus()
    }

    /// The receipts of an undo take the place of the step's: undoing again is redo.
    func undo(_ step: Int) {
        guard let tab, let descriptor = tab.layer?.descriptor else { return }
        guard let done = tab.receipts[step] else {
            return tab.post(.undoFailed(step: step, "this was done before the layer was opened"))
        }
        var undone: [EditReceipt] = []
        do {
            for receipt in done.reversed() { undone.append(try descriptor.undo(receipt)) }
            tab.receipts[step] = undone
            tab.post(.undone(step: step))
        } catch {
            for receipt in undone.reversed() { _ = try? descriptor.undo(receipt) }
            tab.post(.undoFailed(step: step, "\(error)"))
        }
        layer?.tellStatus()
    }

    private var author: String? { options.author ?? layer?.client.rememberedAuthor }

    func setDefaultGroup(_ choice: LayerFacts.GroupChoice?) {
        guard let descriptor = layer?.descriptor else { return }
        do {
            if let choice {
                try descriptor.overrideDefaultGroup(with: choice.group)
            } else {
                try descriptor.resetDefaultGroup()
            }
        } catch { tell(error) }
    }

    // MARK: What waits

    func outbox(of layer: Layer) throws -> [OutboxItem] {
        let conflicts = Dictionary(
            try layer.conflicts().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return try layer.outbox().map { entry in
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

    func resolve(_ id: Record.ID, _ resolution: Resolution) {
        guard let tab, let descriptor = tab.layer?.descriptor else { return }
        do {
            guard let conflict = try descriptor.conflicts().first(where: { $0.recordID == id }) else {
                return tab.post(.notice("this is settled already"))
            }
            switch resolution {
            case .mine: try descriptor.resolve(conflict.id, .mine)
            case .theirs: try descriptor.resolve(conflict.id, .theirs)
            case .merged(let content): try descriptor.resolve(conflict.id, .merged(content))
            }
            tab.post(.recordsChanged([id], author: nil))
        } catch { tell(error) }
        layer?.tellStatus()
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
