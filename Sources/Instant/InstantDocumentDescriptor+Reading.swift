package import Annotations
import Authorization
public import InstantCore

/// What the program shows: answered from the local storage, quickly, on the calling thread.
extension InstantDocumentDescriptor {
    /// Connection, rights and what waits, at this moment.
    public var status: SyncStatus {
        guard let performer = try? performer(), let facts = try? performer.layer.facts(),
            let tally = try? performer.layer.tally()
        else { return SyncStatus(connection: .lost("the local storage cannot be read")) }
        let snapshot = performer.snapshot
        let sealed = tally[.sealed, default: 0]
        let maySend = facts.grant?.mayWrite ?? true
        return SyncStatus(
            connection: snapshot.connection, grant: facts.grant,
            unsent: tally[.waiting, default: 0] + (maySend ? sealed : 0),
            parked: tally[.parked, default: 0] + (maySend ? 0 : sealed), conflicts: tally[.conflict, default: 0],
            refused: tally[.refused, default: 0], isSyncing: snapshot.isSyncing, lastSync: facts.lastSync,
            clockOffset: facts.clockOffset, problem: snapshot.problem)
    }

    /// The document's title; nil when none is known.
    public var title: String? {
        guard let title = try? layer.facts().title, !title.isEmpty else { return nil }
        return title
    }

    package func count(_ query: ListQuery) throws -> Int { try layer.count(query) }

    package func rows(_ query: ListQuery, offset: Int, limit: Int) throws -> [ListRow] {
        try layer.rows(query, offset: offset, limit: limit)
    }

    /// Where a row stands in the list of a query; nil when the query does not list it.
    package func position(of id: Record.ID, in query: ListQuery) throws -> Int? {
        try layer.position(of: id, in: query)
    }

    /// The index of the first unread row behind this one, else of the first one of all.
    package func nextUnread(_ query: ListQuery, behind index: Int) throws -> Int? {
        try layer.nextUnread(query, behind: index)
    }

    package func unreadCount() throws -> Int { try layer.unreadCount() }

    package func rows(onPage page: Int) throws -> [ListRow] { try layer.rows(onPage: page) }

    package func row(_ id: Record.ID) throws -> ListRow? { try layer.row(id) }

    package func record(_ id: Record.ID) throws -> Record? { try layer.record(id) }

    package func thread(under root: Record.ID) throws -> [Record] { try layer.thread(under: root) }

    package func outbox() throws -> [OutboxEntry] { try layer.outbox() }

    package func markRead(_ ids: some Sequence<Record.ID>) throws { try layer.markRead(ids) }
}
