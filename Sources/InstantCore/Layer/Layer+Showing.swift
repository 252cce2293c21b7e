package import Annotations
package import Authorization

/// A record as a person sees it, with what may be done to it.
package struct ShownRecord: Hashable, Sendable {
    package var record: Record
    package var delivery: DeliveryState
    /// By the stored grant; nothing before the first one.
    package var operations: RecordOperations
}

/// Records whole, each list of them read in one transaction.
extension Layer {
    /// nil when there is none, or a waiting edit deletes it.
    package func shown(_ id: Record.ID) throws -> ShownRecord? {
        try store.read { try $0.shown([id]).first }
    }

    package func shown(onPage page: Int) throws -> [ShownRecord] {
        try store.read { try $0.shown($0.rows(onPage: page).map(\.id)) }
    }

    package func shown(_ query: ListQuery, offset: Int, limit: Int) throws -> [ShownRecord] {
        try store.read { try $0.shown($0.rows(query, offset: offset, limit: limit).map(\.id)) }
    }

    /// The comments under a root, in the order of their creation; none while a deletion of the root waits, which takes
    /// them along.
    package func shown(under root: Record.ID) throws -> [ShownRecord] {
        try store.read { try $0.isBeingDeleted(root) ? [] : $0.shown($0.thread(under: root)) }
    }
}

extension StoredLayer {
    fileprivate func shown(_ ids: [Record.ID]) throws -> [ShownRecord] {
        let facts = try metadata()
        return try ids.compactMap { id in
            let overlay = try overlay(id, facts: facts)
            return try overlay.record.map {
                ShownRecord(
                    record: $0, delivery: overlay.delivery, operations: try operations(on: $0, facts: facts))
            }
        }
    }
}
