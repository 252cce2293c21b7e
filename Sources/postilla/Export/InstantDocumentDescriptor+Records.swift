import Annotations
import Instant
import InstantCore

extension InstantDocumentDescriptor {
    /// Calls `body` for the annotations page by page, then for the comments with their roots. Keeps at most a thousand
    /// rows in memory.
    func forEachRecord(_ body: (Record, _ root: Record?) async throws -> Void) async throws {
        var offset = 0
        while case let rows = try layer.rows(ListQuery(), offset: offset, limit: 1000), !rows.isEmpty {
            for row in rows {
                guard let record = try layer.record(row.id), record.contentType != .comments else { continue }
                try await body(record, nil)
            }
            offset += rows.count
        }
        try await forEachComment { comment in
            try await body(comment, try comment.content["rootId"]?.string.flatMap { try layer.record($0) })
        }
    }

    /// Visits the values of form fields in id order.
    func forEachFormFieldValue(_ body: (Record) async throws -> Void) async throws {
        var last: Record.ID?
        while case let rows = try layer.store.read({ try $0.records(after: last, limit: 1000) }), !rows.isEmpty {
            for row in rows where row.record.content.contentType == .formFields { try await body(row.record) }
            last = rows.last?.id
        }
    }

    /// Visits the comments in id order, then those that exist only locally. Includes comments whose root is not
    /// visible.
    private func forEachComment(_ body: (Record) async throws -> Void) async throws {
        var last: Record.ID?
        while case let rows = try layer.store.read({ try $0.records(after: last, limit: 1000) }), !rows.isEmpty {
            for row in rows where row.record.contentType == .comments {
                if let comment = try layer.record(row.id) { try await body(comment) }
            }
            last = rows.last?.id
        }
        for entry in try layer.outbox() where entry.kind == .create && entry.content?.contentType == .comments {
            let isStored = try layer.store.read { try $0.record(entry.id) != nil }
            if !isStored, let comment = try layer.record(entry.id) { try await body(comment) }
        }
    }
}
