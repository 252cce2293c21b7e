package import Annotations
package import Authorization

/// One layer as a person sees it: the server's last word with what waits in the outbox laid over it.
///
/// Every method is one transaction of the store and may be called from any thread. What can go wrong with an edit is
/// an ``EditProblem``, with the store a ``LocalStoreError``.
package struct Layer: Sendable {
    package let store: any LocalStore
    /// What the token of this process allows. nil: no token of this process was accepted yet, and the stored grant
    /// decides. Never written to the store: another process may sync the layer by another token.
    package var ownGrant: Grant?

    package init(store: any LocalStore, ownGrant: Grant? = nil) {
        self.store = store
        self.ownGrant = ownGrant
    }

    /// As stored, but with the grant that decides in this process. Not to be written back.
    package func metadata() throws -> LayerMetadata { try store.read { try metadata(in: $0) } }

    func metadata(in store: any StoredLayer) throws -> LayerMetadata {
        var facts = try store.metadata()
        if let ownGrant { facts.grant = ownGrant }
        return facts
    }

    package func count(_ query: ListQuery) throws -> Int { try store.read { try $0.count(query) } }

    package func rows(_ query: ListQuery, offset: Int, limit: Int) throws -> [ListRow] {
        try store.read { try $0.rows(query, offset: offset, limit: limit) }
    }

    package func rows(onPage page: Int) throws -> [ListRow] { try store.read { try $0.rows(onPage: page) } }

    /// Pages with marks whose words a filter does not know. Words that were read from another file are forgotten: the
    /// server's PDF may have been replaced.
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

    /// Notes the words that marks cover, unless they are read from another file meanwhile. They can be read again.
    package func note(quotes words: [Record.ID: String], from file: String) throws {
        try store.write(.recoverable) { if try $0.metadata().quotedFrom == file { try $0.setQuotes(words) } }
    }

    package func row(_ id: Record.ID) throws -> ListRow? { try store.read { try $0.row(id) } }

    /// The record with the waiting edits in it; nil when there is none, or a waiting edit deletes it.
    package func record(_ id: Record.ID) throws -> Record? {
        try store.read { store in try store.overlay(id, facts: metadata(in: store)).record }
    }

    package func facets() throws -> ListFacets { try store.read { try $0.facets() } }
    package func unreadCount() throws -> Int { try store.read { try $0.unreadCount() } }

    package func markRead(_ ids: some Sequence<Record.ID>) throws {
        try store.write(.recoverable) { try $0.setUnread(ids, false) }
    }

    /// Everything of ours that the server has not taken, oldest first.
    package func outbox() throws -> [OutboxEntry] {
        try store.read { try $0.entries(in: [.waiting, .sealed, .parked, .conflict, .refused], limit: .max) }
    }

    /// New records get this group in place of the token's default; nil: the token decides again. Survives new tokens.
    package func overrideGroup(_ choice: LayerMetadata.GroupChoice?) throws {
        try store.write { try $0.changeMetadata { $0.groupOverride = choice } }
    }
}

extension StoredLayer {
    /// Where the first unread row behind an index of the query stands, else the first one of all; nil when nothing is
    /// unread.
    package func nextUnread(_ query: ListQuery, behind index: Int) throws -> Int? {
        var unread = query
        unread.filter.unreadOnly = true
        let count = try count(unread)
        // Both lists have one order, so positions grow together and the middle can be halved.
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
