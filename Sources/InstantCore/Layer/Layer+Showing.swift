package import Annotations
package import Authorization

/// A record as the user sees it, with the operations allowed on it.
package struct ShownRecord: Hashable, Sendable {
    package var record: Record
    package var delivery: DeliveryState
    /// The operations that the stored grant allows; none before the first grant.
    package var operations: RecordOperations
}

/// Whole records; each list is read in one transaction.
extension Layer {
    /// Returns nil if the record does not exist or a waiting edit deletes it.
    package func shown(_ id: Record.ID) throws -> ShownRecord? {
        try store.read { try $0.shown([id]).first }
    }

    package func rows(onPage page: Int) throws -> [ListRow] {
        try store.read { try $0.withValues($0.rows(onPage: page)) }
    }

    package func shown(onPage page: Int) throws -> [ShownRecord] {
        try store.read { try $0.shown($0.rows(onPage: page).map(\.id)) }
    }

    package func shown(_ query: ListQuery, offset: Int, limit: Int) throws -> [ShownRecord] {
        try store.read { try $0.shown($0.rows(query, offset: offset, limit: limit).map(\.id)) }
    }

    /// Returns the comments whose root was deleted or is hidden, thread by thread.
    package func shownWithoutRoot() throws -> [ShownRecord] {
        try store.read { store in
            var query = ListQuery()
            query.filter.kinds = [.comment]
            let roots = try store.rows(query, offset: 0, limit: .max).filter(\.isDeletedRoot)
            return try roots.flatMap { try store.shown(store.thread(under: $0.id)) }
        }
    }

    /// Returns the comments under a root, in order of creation; none while a deletion of the root is pending.
    package func shown(under root: Record.ID) throws -> [ShownRecord] {
        try store.read { try $0.isBeingDeleted(root) ? [] : $0.shown($0.thread(under: root)) }
    }
}

extension StoredLayer {
    fileprivate func shown(_ ids: [Record.ID]) throws -> [ShownRecord] {
        let metadata = try metadata()
        return try ids.compactMap { id in
            let overlay = try visible(id, metadata: metadata)
            return try overlay.record.map {
                ShownRecord(
                    record: $0, delivery: overlay.delivery, operations: try operations(on: $0, metadata: metadata))
            }
        }
    }
}
