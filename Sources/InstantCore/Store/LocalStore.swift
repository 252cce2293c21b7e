package import Annotations
package import SyncProtocol

/// The local storage of one layer: the server's last state, the edits to send, and the shown rows.
///
/// The layer makes all decisions; the store has no logic for permissions, overlays or the protocol. A `write` is one
/// transaction: complete when the call returns, or without effect. `read` and `write` block the calling thread and may
/// be called from any thread; the store orders them. Every implementation passes the same contract tests.
package protocol LocalStore: Sendable {
    /// - Throws: ``LocalStoreError``, or any error of the body.
    func read<T>(_ body: (any StoredLayer) throws -> T) throws -> T
    /// - Throws: ``LocalStoreError``, or any error of the body, in which case nothing is written.
    func write<T>(_ durability: Durability, _ body: (any WritableLayer) throws -> T) throws -> T
    /// The damage that was met so far. Reads leave out what is damaged; writes replace it.
    var damage: [StoredDamage] { get }
    /// Compares each table with its indexes, in milliseconds, so that a list is not short of rows, and no record is
    /// missing, without a word. Adds what differs to ``damage``.
    func noteGaps()
}

/// The part of a transaction that a crash of the machine, not only of the process, may undo.
package enum Durability: Hashable, Sendable {
    /// Nothing: the transaction is on disk when the call returns, with everything written before it.
    case synced
    /// The whole transaction, and later ones, until the next synced transaction. For transactions without local edits,
    /// whose data the server sends again.
    case recoverable
}

extension LocalStore {
    package var damage: [StoredDamage] { [] }
    package func noteGaps() {}

    package func write<T>(_ body: (any WritableLayer) throws -> T) throws -> T { try write(.synced, body) }
}

/// A consistent view of the stored layer.
package protocol StoredLayer {
    func metadata() throws -> LayerMetadata

    func record(_ id: Record.ID) throws -> StoredRecord?
    /// Returns the server's rows in order of their ids.
    func records(after id: Record.ID?, limit: Int) throws -> [StoredRecord]

    /// Whether any entry exists, in any stage.
    func hasEntries() throws -> Bool
    /// Returns the entries of one record, oldest first.
    func entries(of id: Record.ID) throws -> [OutboxEntry]
    /// Returns the entries in any of these stages, oldest first.
    func entries(in stages: Set<OutboxEntry.Stage>, limit: Int) throws -> [OutboxEntry]
    func entry(_ seq: Int64) throws -> OutboxEntry?
    /// Returns the entries that delete or restore a root together with its last comment, oldest first.
    func entries(takingRoot root: Record.ID) throws -> [OutboxEntry]
    /// Returns the number of entries in each stage; empty stages may be left out.
    func tally() throws -> [OutboxEntry.Stage: Int]
    /// Returns the number of entries that are put aside. Screens ask for it often, so it must not read their contents.
    func asideCount() throws -> Int
    /// Returns the newest local change that the server applied to a record.
    func ownWrite(_ id: Record.ID) throws -> OwnWrite?
    /// Returns the newest applied local change of each record, in order of the record ids.
    func ownWrites(after id: Record.ID?, limit: Int) throws -> [OwnWrite]
    /// Returns the digest of the server's rows.
    func digest() throws -> ViewDigest

    func count(_ query: ListQuery) throws -> Int
    /// Returns the counts of a list in one pass.
    /// - Parameter id: A row whose index is requested.
    func counts(_ query: ListQuery, before id: Record.ID?) throws -> ListCounts
    /// - Parameter total: The number of rows in the query, if known; a store may find them faster with it.
    func rows(_ query: ListQuery, offset: Int, limit: Int, of total: Int?) throws -> [ListRow]
    /// Returns the index of a row in the list of a query; nil if the query does not list it.
    func position(of id: Record.ID, in query: ListQuery) throws -> Int?
    /// Returns the shown annotations of a page, from top to bottom, with those of other pages that stand on it, too.
    func rows(onPage page: Int) throws -> [ListRow]
    /// Returns the pages with markups whose words are not stored, ascending.
    func pagesToQuote() throws -> [Int]
    /// Returns the markups of a page whose words are not stored.
    func rowsToQuote(onPage page: Int) throws -> [ListRow]
    /// Returns the comments shown under a root, in order of creation.
    func thread(under root: Record.ID) throws -> [Record.ID]
    /// Returns nil if no comments are shown under a root.
    func threadSummary(under root: Record.ID) throws -> ThreadSummary?
    /// Returns the roots of shown comments that have no row of their own, in any order.
    func rootsWithoutRow() throws -> [Record.ID]
    /// Whether the row of an id shows an annotation, not only the comments that it left.
    func isAnnotationShown(_ id: Record.ID) throws -> Bool
    /// Returns the root of the comment that the row of an id shows; otherwise nil.
    func root(ofShown id: Record.ID) throws -> Record.ID?
    func row(_ id: Record.ID) throws -> ListRow?
    func unreadCount() throws -> Int
    /// Returns the comments that name a user, in any order; at most 10,000.
    func mentions(of user: String) throws -> [MentioningComment]
    /// Returns the users who created shown records, those with the most records first; at most
    /// ``RecordCreator/maxCount``.
    func people() throws -> [RecordCreator]
    /// Returns the facets of all listed rows, regardless of the filter.
    func facets() throws -> ListFacets

    /// Returns the staged rows in order of their ids.
    func staged(after id: Record.ID?, limit: Int) throws -> [StoredRecord]
    func isStaged(_ id: Record.ID) throws -> Bool
    func stagedRecord(_ id: Record.ID) throws -> StoredRecord?
}

extension StoredLayer {
    package func rows(_ query: ListQuery, offset: Int, limit: Int) throws -> [ListRow] {
        try rows(query, offset: offset, limit: limit, of: nil)
    }
}

/// A stored layer that can be changed.
package protocol WritableLayer: StoredLayer {
    func set(_ metadata: LayerMetadata) throws
    /// Moves the cursor without writing the rest of the metadata. Does not create a cursor.
    func moveCursor(to revision: Revision) throws
    /// Sets only the highest n assigned.
    func setLastN(_ n: Int64) throws

    func put(_ record: StoredRecord) throws
    func removeRecord(_ id: Record.ID) throws

    /// - Returns: The entry with its position, at the end of the queue.
    func append(_ entry: OutboxEntry) throws -> OutboxEntry
    func replace(_ entry: OutboxEntry) throws
    /// Sets the state of an entry without writing the rest of it.
    func mark(_ seq: Int64, _ state: OutboxEntry.State) throws
    func removeEntry(_ seq: Int64) throws
    func note(_ write: OwnWrite) throws
    func forgetOwnWrite(_ id: Record.ID) throws
    func forgetOwnWrites() throws

    /// Replaces the shown row of a record and keeps its unread mark.
    func show(_ row: ShownRow) throws
    /// Removes the row of an id.
    ///
    /// - Returns: The root of the comment that was shown; otherwise nil.
    @discardableResult
    func hide(_ id: Record.ID) throws -> Record.ID?
    /// Stores the words that markups cover, for filters; empty if there are none. Moving a markup discards them.
    func setQuotes(_ words: [ByteOrdered: String]) throws
    func forgetQuotes() throws
    func setUnread(_ ids: some Sequence<Record.ID>, _ unread: Bool) throws
    /// Marks unread rows of a query as read.
    ///
    /// - Parameter limit: The most rows to mark.
    /// - Returns: The number of rows marked; 0 when none is left.
    func setRead(_ query: ListQuery, limit: Int) throws -> Int

    /// Stages a row of a snapshot alongside the current rows.
    func stage(_ record: StoredRecord) throws
    func clearStage() throws
}

extension WritableLayer {
    func changeMetadata(_ change: (inout LayerMetadata) -> Void) throws {
        var metadata = try metadata()
        change(&metadata)
        try set(metadata)
    }
}

/// A record as the server last sent it.
package struct StoredRecord: Hashable, Sendable {
    package var record: Record
    package var revision: Revision

    package init(_ record: Record, _ revision: Revision) {
        self.record = record
        self.revision = revision
    }

    package var id: Record.ID { record.id }
}

/// An applied local change, which undo checks before it writes.
package struct OwnWrite: Hashable, Sendable {
    package var id: Record.ID
    /// The applied entry.
    package var seq: Int64
    package var revision: Revision

    package init(id: Record.ID, seq: Int64, revision: Revision) {
        self.id = id
        self.seq = seq
        self.revision = revision
    }
}

/// An error of the store itself, with advice.
package enum LocalStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Written by a newer program version.
    case newerSchema(path: String, found: Int, known: Int)
    /// Written by an older program version, which may still have it open.
    case olderSchema(path: String, needsReset: Bool)
    case corrupt(path: String, String)
    case failed(path: String, String)

    package var description: String {
        switch self {
        case .newerSchema(let path, let found, let known):
            "\(path) was written by a newer version (schema \(found), supported \(known)); update postilla"
        case .olderSchema(let path, _):
            "\(path) is in use by an older version; quit it to migrate the data"
        case .corrupt(let path, let what):
            "\(path) is damaged (\(what)); repair it with postilla storage repair, because removing it loses unsent edits"
        case .failed(let path, let what): "\(path): \(what)"
        }
    }
}
