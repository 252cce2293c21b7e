import Annotations
import Authorization
import SyncProtocol

/// A record as it is shown, and how far its own edits have come.
struct Overlay: Hashable {
    var record: Record?
    var delivery = DeliveryState.delivered
    /// The newest revision that is known of the record, own applied changes included; 0 when there is none.
    var revision: Revision = 0
}

extension StoredLayer {
    /// The server's record with the outbox replayed on top.
    ///
    /// What lost or was refused is not laid over the winner. Where there is no winner to show, the lost text stands in
    /// its place, so that it is not only in a count.
    func overlay(_ id: Record.ID, facts: LayerMetadata) throws -> Overlay {
        try Overlay(record(id), under: entries(of: id), facts: facts)
    }
}

extension Overlay {
    /// - Parameter entries: all of the record, oldest first.
    init(_ stored: StoredRecord?, under entries: [OutboxEntry], facts: LayerMetadata) {
        (record, revision) = (stored?.record, stored?.revision ?? 0)
        var kept: OutboxEntry?
        for entry in entries {
            switch entry.state {
            case .waiting: take(entry, as: .unsent, user: facts.identity.userID)
            case .sealed:
                let delivery: DeliveryState = facts.grant?.mayWrite == false ? .parked : .unsent
                take(entry, as: delivery, user: facts.identity.userID)
            case .parked: take(entry, as: .parked, user: facts.identity.userID)
            case .applied(_, let revision):
                if (stored?.revision ?? 0) < revision {
                    take(entry, as: .delivered, user: facts.identity.userID)
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
            record = kept.applied(to: kept.base, user: facts.identity.userID)
        }
    }

    fileprivate mutating func take(_ entry: OutboxEntry, as delivery: DeliveryState, user: String?) {
        record = entry.applied(to: record, user: user)
        raise(delivery)
    }

    /// The mark that asks most of the person is the one that is shown.
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
                    id: id, content: $0, createdBy: record.map(\.createdBy) ?? base.map(\.createdBy) ?? user,
                    updatedBy: user, group: group)
            }
        }
    }
}

extension WritableLayer {
    /// Makes the shown row agree with the record and the outbox again.
    func refresh(_ id: Record.ID, facts: LayerMetadata) throws {
        try refresh(id, as: overlay(id, facts: facts))
    }

    func refresh(_ id: Record.ID, as overlay: Overlay) throws {
        if let record = overlay.record {
            try show(ShownRow(record, delivery: overlay.delivery))
        } else {
            try hide(id)
        }
    }
}

extension Content {
    /// The same to a person: what is stamped on a record when it is written does not count.
    func isEquivalent(as other: Content) -> Bool { unstamped == other.unstamped }

    private var unstamped: Content {
        changing { object in
            object["updatedAt"] = nil
            object["creatorName"] = nil
        }
    }
}
