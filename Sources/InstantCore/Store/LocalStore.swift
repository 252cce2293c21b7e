package import Annotations
package import SyncProtocol

/// What a layer keeps on this machine: the server's last word, what waits to be sent, and the rows a person sees.
///
/// The layer decides, the store keeps: it knows no rights, no overlay and no protocol. A `write` is one transaction:
/// all of it is kept when the call returns, or nothing happened. Both calls block the calling thread and may come
/// from any thread; a store orders them. Every implementation passes the same contract suite.
package protocol LocalStore: Sendable {
    /// - Throws: ``LocalStoreError``, or what the body throws.
    func read<T>(_ body: (any StoredLayer) throws -> T) throws -> T
    /// - Throws: ``LocalStoreError``, or what the body throws; then nothing was written.
    func write<T>(_ durability: Durability, _ body: (any WritableLayer) throws -> T) throws -> T
}

/// What the end of the machine, not only of the process, may take away of a transaction.
package enum Durability: Hashable, Sendable {
    /// Nothing: it is on the disk when the call returns, and all that was written before it.
    case synced
    /// All of it, with what came behind it, until the next one that is synced. For what the server tells again: there is
    /// nothing of ours in it.
    case recoverable
}

extension LocalStore {
    package func write<T>(_ body: (any WritableLayer) throws -> T) throws -> T { try write(.synced, body) }
}

/// One consistent view of what is kept.
package protocol StoredLayer {
    func metadata() throws -> LayerMetadata

    func record(_ id: Record.ID) throws -> StoredRecord?
    /// The server's rows in the order of their ids.
    func records(after id: Record.ID?, limit: Int) throws -> [StoredRecord]

    /// Whether there is any entry at all, in whatever stage.
    func hasEntries() throws -> Bool
    /// What waits for one record, oldest first.
    func entries(of id: Record.ID) throws -> [OutboxEntry]
    /// Entries in any of these stages, oldest first.
    func entries(in stages: Set<OutboxEntry.Stage>, limit: Int) throws -> [OutboxEntry]
    func entry(_ seq: Int64) throws -> OutboxEntry?
    /// How many entries there are in each stage; stages without any may be left out.
    func tally() throws -> [OutboxEntry.Stage: Int]
    /// The newest change of ours that the server applied to a record.
    func ownWrite(_ id: Record.ID) throws -> OwnWrite?
    /// Changes of ours, one for each record, in the order of their ids.
    func ownWrites(after id: Record.ID?, limit: Int) throws -> [OwnWrite]
    /// Over the server's rows.
    func digest() throws -> ViewDigest

    func count(_ query: ListQuery) throws -> Int
    /// What is said of a list beside its rows, in one look at it.
    /// - Parameter id: a row whose place is asked for.
    func counts(_ query: ListQuery, before id: Record.ID?) throws -> ListCounts
    /// - Parameter total: how many rows the query lists, from who has counted them: there may be a quicker way to them.
    func rows(_ query: ListQuery, offset: Int, limit: Int, of total: Int?) throws -> [ListRow]
    /// Where a row stands in the list of a query; nil when the query does not list it.
    func position(of id: Record.ID, in query: ListQuery) throws -> Int?
    /// Every shown row on a page, from top to bottom; comments are not among them.
    func rows(onPage page: Int) throws -> [ListRow]
    /// Pages with marks whose words are not known, ascending.
    func pagesToQuote() throws -> [Int]
    /// Those of a page.
    func rowsToQuote(onPage page: Int) throws -> [ListRow]
    /// The comments shown under a root, in the order of their creation.
    func thread(under root: Record.ID) throws -> [Record.ID]
    func row(_ id: Record.ID) throws -> ListRow?
    func unreadCount() throws -> Int
    /// Of everything the list shows, however filtered.
    func facets() throws -> ListFacets

    /// Staged rows in the order of their ids.
    func staged(after id: Record.ID?, limit: Int) throws -> [StoredRecord]
    func isStaged(_ id: Record.ID) throws -> Bool
    func stagedRecord(_ id: Record.ID) throws -> StoredRecord?
}

extension StoredLayer {
    package func rows(_ query: ListQuery, offset: Int, limit: Int) throws -> [ListRow] {
        try rows(query, offset: offset, limit: limit, of: nil)
    }
}

/// The same, to be changed.
package protocol WritableLayer: StoredLayer {
    func set(_ facts: LayerMetadata) throws
    /// Only how far the cursor has come: the rest of the facts is not written again. Where there is no cursor none is made.
    func moveCursor(to revision: Revision) throws
    /// Only the highest n that was given away.
    func setLastN(_ n: Int64) throws

    func put(_ record: StoredRecord) throws
    func removeRecord(_ id: Record.ID) throws

    /// - Returns: the entry with its place in the queue, which is behind all others.
    func append(_ entry: OutboxEntry) throws -> OutboxEntry
    func replace(_ entry: OutboxEntry) throws
    /// Only how far an entry has come: the rest of it is not written again.
    func mark(_ seq: Int64, _ state: OutboxEntry.State) throws
    func removeEntry(_ seq: Int64) throws
    func note(_ write: OwnWrite) throws
    func forgetOwnWrite(_ id: Record.ID) throws
    func forgetOwnWrites() throws

    /// Puts the row a person sees in place of the one before, whose unread mark stays.
    func show(_ row: ShownRow) throws
    func hide(_ id: Record.ID) throws
    /// The words that marks cover, for a filter to find; empty where there are none. They are forgotten when a mark is moved.
    func setQuotes(_ words: [Record.ID: String]) throws
    func forgetQuotes() throws
    func setUnread(_ ids: some Sequence<Record.ID>, _ unread: Bool) throws

    /// Keeps a row of a snapshot beside the present ones.
    func stage(_ record: StoredRecord) throws
    func clearStage() throws
}

extension WritableLayer {
    func changeMetadata(_ change: (inout LayerMetadata) -> Void) throws {
        var facts = try metadata()
        change(&facts)
        try set(facts)
    }
}

/// A record as the server last told it.
package struct StoredRecord: Hashable, Sendable {
    package var record: Record
    package var revision: Revision

    package init(_ record: Record, _ revision: Revision) {
        self.record = record
        self.revision = revision
    }

    package var id: Record.ID { record.id }
}

/// Where a change of ours ended up: what undo asks before it writes.
package struct OwnWrite: Hashable, Sendable {
    package var id: Record.ID
    /// The entry that was applied.
    package var seq: Int64
    package var revision: Revision

    package init(id: Record.ID, seq: Int64, revision: Revision) {
        self.id = id
        self.seq = seq
        self.revision = revision
    }
}

/// What the store itself cannot do, with what to do about it.
package enum LocalStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Written by a newer program.
    case newerSchema(path: String, found: Int, known: Int)
    /// Written by an older program, which may have it open still.
    case olderSchema(path: String, needsReset: Bool)
    case corrupt(path: String, String)
    case failed(path: String, String)

    package var description: String {
        switch self {
        case .newerSchema(let path, let found, let known):
            "\(path) was written by a newer version (schema \(found), this one knows \(known)): update, nothing was changed"
        case .olderSchema(let path, _):
            "\(path) is used by an older version just now: end that program, then it is brought up to date"
        case .corrupt(let path, let what):
            "\(path) is damaged (\(what)): nothing was changed; copy it elsewhere before clearing it"
        case .failed(let path, let what): "\(path): \(what)"
        }
    }
}
