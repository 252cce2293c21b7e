import Annotations
import Authorization
import SyncProtocol

/// A record as shown, and the delivery state of its local edits.
struct Overlay: Hashable {
    var record: Record?
    var delivery = DeliveryState.delivered
    /// The newest known revision of the record, including applied local changes; 0 if none is known.
    var revision: Revision = 0
}

extension StoredLayer {
    /// Returns the server's record with the outbox replayed on top.
    ///
    /// Conflicting and refused edits do not hide the server's version. If no record is left, the lost text is shown in
    /// its place, so that it is visible and not only counted.
    func overlay(_ id: Record.ID, metadata: LayerMetadata) throws -> Overlay {
        try overlay(record(id), of: id, metadata: metadata)
    }

    /// - Parameter stored: The server's record.
    func overlay(_ stored: StoredRecord?, of id: Record.ID, metadata: LayerMetadata) throws -> Overlay {
        var overlay = Overlay(stored, under: try entries(of: id), metadata: metadata)
        if overlay.record != nil, try isTaken(id) { overlay.record = nil }
        return overlay
    }
}

extension Overlay {
    /// - Parameter entries: All entries of the record, oldest first.
    init(_ stored: StoredRecord?, under entries: [OutboxEntry], metadata: LayerMetadata) {
        (record, revision) = (stored?.record, stored?.revision ?? 0)
        var kept: OutboxEntry?
        for entry in entries {
            switch entry.state {
            case .waiting: take(entry, as: .unsent, user: metadata.identity.userID)
            case .sealed:
                let delivery: DeliveryState = metadata.grant?.mayWrite == false ? .parked : .unsent
                take(entry, as: delivery, user: metadata.identity.userID)
            case .parked: take(entry, as: .parked, user: metadata.identity.userID)
            case .applied(_, let revision):
                if (stored?.revision ?? 0) < revision {
                    take(entry, as: .delivered, user: metadata.identity.userID)
                    self.revision = max(self.revision, revision)
                }
            case .conflict:
                raise(.conflict)
                kept = entry
            case .refused:
                raise(.refused)
                kept = entry
            }
        }
        if record == nil, let kept, kept.content != nil {
            record = kept.applied(to: kept.base, user: metadata.identity.userID)
        }
    }

    fileprivate mutating func take(_ entry: OutboxEntry, as delivery: DeliveryState, user: String?) {
        record = entry.applied(to: record, user: user)
        raise(delivery)
    }

    /// Shows the delivery state that most needs the user's attention.
    fileprivate mutating func raise(_ delivery: DeliveryState) {
        let order: [DeliveryState] = [.delivered, .unsent, .parked, .refused, .conflict]
        if let new = order.firstIndex(of: delivery), let old = order.firstIndex(of: self.delivery), new > old {
            self.delivery = delivery
        }
    }
}

extension OutboxEntry {
    func applied(to record: Record?, user: String?) -> Record? {
        switch kind {
        case .delete: nil
        case .restore: base
        case .create, .update:
            content.map {
                Record(
                    id: id, content: $0.asEdit(kind, of: record ?? base),
                    createdBy: record.map(\.createdBy) ?? base.map(\.createdBy) ?? user,
                    updatedBy: user, group: group)
            }
        }
    }
}

extension WritableLayer {
    /// Updates the shown row from the record and the outbox, and the row of a comment's root.
    func refresh(_ id: Record.ID, metadata: LayerMetadata) throws {
        try refresh(id, as: overlay(id, metadata: metadata), metadata: metadata)
    }

    /// - Parameter nothingWaits: Whether the outbox is known to be empty.
    func refresh(
        _ id: Record.ID, as overlay: Overlay, metadata: LayerMetadata, nothingWaits: Bool = false
    ) throws {
        for root in try showRow(of: id, as: overlay) where !root.isExactly(id) {
            // Most roots are shown, and no entry could hide them.
            if try isAnnotationShown(root), try nothingWaits || entries(takingRoot: root).isEmpty { continue }
            _ = try showRow(of: root, as: self.overlay(root, metadata: metadata))
        }
    }

    /// - Returns: The roots that have got a comment or have lost one.
    private func showRow(of id: Record.ID, as overlay: Overlay) throws -> [Record.ID] {
        if let record = overlay.record {
            let row = ShownRow(record, delivery: overlay.delivery)
            // What was a comment may be another record now, or a comment of another root.
            let former = try root(ofShown: id)
            try show(row)
            return Set([former, row.root].compactMap(\.self).map { ByteOrdered($0) }).map(\.text)
        }
        let root = try hide(id)
        // The comments of a deleted root need a heading, unless they are deleted or restored together with it.
        if let thread = try threadSummary(under: id), try !isBeingDeleted(id), try !isReturning(id) {
            try show(ShownRow(leftBy: id, thread))
        }
        return root.map { [$0] } ?? []
    }
}

extension Content {
    /// Returns the content as an update leaves it; that of a create stays as it is.
    ///
    /// - Parameter record: The record under the edit; nil if there is none.
    func asEdit(_ kind: ChangeKind, of record: Record?) -> Content {
        guard kind == .update, let record else { return self }
        return keepingOrigin(of: record.content)
    }

    /// Whether the contents are equal apart from what every write stamps, and what no edit changes.
    func isEquivalent(as other: Content) -> Bool { unstamped == other.unstamped }

    private static let stamped: Set = ["updatedAt", "creatorName", "createdAt", "isCommentThreadRoot"]

    private var unstamped: Content {
        changing { object in for key in Self.stamped.union(Self.userMembers) { object[key] = nil } }
    }
}
