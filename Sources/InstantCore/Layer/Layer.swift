package import Annotations
package import Authorization

/// One layer as the user sees it: the server's last state with the outbox replayed on top.
///
/// Methods run in store transactions, one for each edit, and may be called from any thread. Edits throw ``EditError``,
/// the store ``LocalStoreError``.
package struct Layer: Sendable {
    package internal(set) var store: any LocalStore
    /// The grant of this process's token; nil until a token is accepted, and until then the stored grant applies. Never
    /// written to the store: another process may sync the layer with another token.
    package var ownGrant: Grant?

    package init(store: any LocalStore, ownGrant: Grant? = nil) {
        self.store = store
        self.ownGrant = ownGrant
    }

    /// Returns the stored metadata with the grant that applies in this process. Do not write it back.
    package func metadata() throws -> LayerMetadata { try store.read { try metadata(in: $0) } }

    func metadata(in store: any StoredLayer) throws -> LayerMetadata {
        var metadata = try store.metadata()
        if let ownGrant { metadata.grant = ownGrant }
        return metadata
    }

    package func count(_ query: ListQuery) throws -> Int { try store.read { try $0.count(query) } }

    package func rows(_ query: ListQuery, offset: Int, limit: Int) throws -> [ListRow] {
        try store.read { try $0.withValues($0.rows(query, offset: offset, limit: limit)) }
    }

    /// Returns the pages with markups whose covered words are not stored yet. First discards words read from another
    /// file, because the server's PDF may have been replaced.
    package func pagesToQuote(from file: String) throws -> [Int] {
        if try store.read({ try $0.metadata().quotedFrom != file }) {
            try store.write(.recoverable) { store in
                try store.changeMetadata { $0.quotedFrom = file }
                try store.forgetQuotes()
            }
        }
        return try store.read { try $0.pagesToQuote() }
    }

    package func rowsToQuote(onPage page: Int) throws -> [ListRow] {
        try store.read { try $0.rowsToQuote(onPage: page) }
    }

    /// Stores the words that markups cover, unless the source is now a different file. A crash may lose them, because
    /// they can be read again.
    package func note(quotes words: [ByteOrdered: String], from file: String) throws {
        try store.write(.recoverable) { if try $0.metadata().quotedFrom == file { try $0.setQuotes(words) } }
    }

    package func row(_ id: Record.ID) throws -> ListRow? {
        try store.read { store in try store.row(id).map { try store.withValues([$0])[0] } }
    }

    /// Returns the record with the waiting edits applied; nil if it does not exist or a waiting edit deletes it, by
    /// itself or with its thread.
    package func record(_ id: Record.ID) throws -> Record? {
        try store.read { store in try store.visible(id, metadata: metadata(in: store)).record }
    }

    package func facets() throws -> ListFacets { try store.read { try $0.facets() } }
    package func unreadCount() throws -> Int { try store.read { try $0.unreadCount() } }

    package func people() throws -> [RecordCreator] { try store.read { try $0.people() } }

    /// Returns the comments that name this layer's user; none if it has none.
    package func mentions() throws -> [MentioningComment] { try store.read { try $0.ownMentions() } }

    package func markRead(_ ids: some Sequence<Record.ID>) throws {
        try store.write(.recoverable) { store in
            try store.setUnread(ids, false)
            try store.markReadMentions()
        }
    }

    /// Marks all rows of a query as read, a few thousand in each transaction.
    package func markAllRead(_ query: ListQuery) throws {
        var unread = query
        unread.filter.unreadOnly = true
        while try store.write(.recoverable, { try $0.setRead(unread, limit: Self.readAtOnce) }) == Self.readAtOnce {}
        try store.write(.recoverable) { try $0.markReadMentions() }
    }

    /// Takes some 50 ms, for which other writers wait.
    private static let readAtOnce = 5_000

    /// Returns all local edits that the server has not accepted, oldest first.
    package func outbox() throws -> [OutboxEntry] {
        try store.read { try $0.entries(in: [.waiting, .sealed, .parked, .conflict, .refused], limit: .max) }
    }

    /// Sets the group of new records instead of the token's default; nil restores the default. The choice survives new
    /// tokens.
    package func overrideGroup(_ choice: LayerMetadata.GroupChoice?) throws {
        try store.write { try $0.changeMetadata { $0.groupOverride = choice } }
    }
}

extension WritableLayer {
    /// Marks the mentions of the user as read whose annotations are.
    fileprivate func markReadMentions() throws {
        let read = try ownMentions().filter { try $0.isUnread && row($0.root)?.isUnread != true }
        try setUnread(read.map(\.id), false)
    }
}

extension StoredLayer {
    package func ownMentions() throws -> [MentioningComment] {
        try metadata().identity.userID.map { try mentions(of: $0) } ?? []
    }

    /// Returns the index of the first unread row after the given index of the query, or of the first unread row if none
    /// follows; nil if no row is unread.
    package func nextUnread(_ query: ListQuery, behind index: Int) throws -> Int? {
        var unread = query
        unread.filter.unreadOnly = true
        let count = try count(unread)
        // Both lists have the same order, so positions grow together and a binary search works.
        var range = 0..<count
        while let middle = range.first.map({ $0 + range.count / 2 }) {
            guard let row = try rows(unread, offset: middle, limit: 1).first,
                let position = try position(of: row.id, in: query)
            else { return nil }
            range = position > index ? range.lowerBound..<middle : (middle + 1)..<range.upperBound
        }
        let found = range.lowerBound < count ? range.lowerBound : 0
        return try rows(unread, offset: found, limit: 1).first.flatMap { try position(of: $0.id, in: query) }
    }
}

extension StoredLayer {
    /// Returns the rows with the values of form fields after their names, as far as the token may see them.
    package func withValues(_ rows: [ListRow]) throws -> [ListRow] {
        try rows.map { row in
            guard row.kind == .formField, let value = try self.row(Content.formFieldValueID(of: row.id)),
                value.kind == .unknown(Content.formFieldValueType), !value.text.isEmpty
            else { return row }
            var row = row
            row.text += (row.text.isEmpty ? "" : ": ") + value.text
            return row
        }
    }
}
