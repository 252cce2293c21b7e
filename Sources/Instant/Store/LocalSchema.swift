import GRDB
import InstantCore

/// The tables of a layer, as the steps that lead to them: a new file takes all of them, an old one those it lacks, so
/// that both end up alike. A program that knows fewer steps than a file has taken leaves the file alone.
///
/// To change the tables, add a step; never alter one that was released.
struct LocalSchema: Sendable {
    struct Step: Sendable {
        var sql: String
        /// False: what the server can send again is dropped here. Outbox, identity and grant stay in any case.
        var keepsRows = true
    }

    let steps: [Step]

    static let current = LocalSchema(steps: [
        Step(sql: tables), Step(sql: editors), Step(sql: finding), Step(sql: moving),
    ])

    var version: Int { steps.count }

    /// - Parameter mayUpgrade: false when another program may have the file open: an old file then stays as it is.
    /// - Throws: ``LocalStoreError/newerSchema(path:found:known:)``, ``LocalStoreError/olderSchema(path:needsReset:)``.
    func prepare(_ db: Database, path: String, mayUpgrade: Bool) throws {
        guard try found(db, path: path) < version else { return }
        try db.inTransaction(.immediate) {
            // Another process may have been quicker.
            let found = try found(db, path: path)
            if found > 0, found < version, !mayUpgrade {
                throw LocalStoreError.olderSchema(path: path, needsReset: steps[found...].contains { !$0.keepsRows })
            }
            for step in steps[found...] {
                try db.execute(sql: step.sql)
                if found > 0, !step.keepsRows { try db.execute(sql: Self.reset) }
            }
            try db.execute(sql: "PRAGMA user_version = \(version)")
            return .commit
        }
    }

    /// How many steps a file has taken; 0 for a new one.
    func found(_ db: Database, path: String) throws -> Int {
        let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard found <= version else { throw LocalStoreError.newerSchema(path: path, found: found, known: version) }
        return found
    }

    /// The server's rows go, and the cursor that spoke of them; what is ours and not yet there stays.
    private static let reset = """
        DELETE FROM record;
        DELETE FROM staged;
        DELETE FROM shown;
        UPDATE facts SET json = json_set(
            json_remove(json, '$.cursor', '$.loading', '$.migratedTo'), '$.wasReset', json('true')),
            cursor_revision = NULL;
        """

    /// `record`: the server's last word. `outbox`: what is ours and not yet there. `shown`: what the person sees, one
    /// row each, with what orders and finds it, so that no list reads a record. `staged`: a snapshot under way.
    private static let tables = """
        CREATE TABLE facts(one INTEGER PRIMARY KEY CHECK (one = 1), json TEXT NOT NULL);
        CREATE TABLE record(
            id TEXT PRIMARY KEY NOT NULL, revision INTEGER NOT NULL, content TEXT NOT NULL,
            created_by TEXT, updated_by TEXT, grp TEXT);
        CREATE TABLE staged(
            id TEXT PRIMARY KEY NOT NULL, revision INTEGER NOT NULL, content TEXT NOT NULL,
            created_by TEXT, updated_by TEXT, grp TEXT);
        CREATE TABLE outbox(
            seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, kind TEXT NOT NULL,
            base_revision INTEGER NOT NULL, thread_revision INTEGER, grp TEXT, content TEXT, base TEXT,
            stage TEXT NOT NULL, n INTEGER NOT NULL, revision INTEGER NOT NULL, reason TEXT NOT NULL,
            made_at INTEGER NOT NULL);
        CREATE INDEX outbox_id ON outbox(id);
        CREATE INDEX outbox_stage ON outbox(stage);
        CREATE TABLE own(
            id TEXT PRIMARY KEY NOT NULL, seq INTEGER NOT NULL, revision INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE shown(
            id TEXT PRIMARY KEY NOT NULL, root TEXT, listed INTEGER NOT NULL, page INTEGER NOT NULL,
            top REAL NOT NULL, kind TEXT NOT NULL, author TEXT, author_key TEXT NOT NULL, created_by TEXT, grp TEXT,
            boxes TEXT NOT NULL, text TEXT NOT NULL, search TEXT NOT NULL, changed INTEGER NOT NULL,
            created INTEGER NOT NULL, delivery TEXT NOT NULL, unread INTEGER NOT NULL DEFAULT 0, warning TEXT);
        CREATE INDEX shown_page ON shown(page, top, id) WHERE listed;
        CREATE INDEX shown_newest ON shown(changed DESC, id) WHERE listed;
        CREATE INDEX shown_author ON shown(author_key, page, top, id) WHERE listed;
        CREATE INDEX shown_root ON shown(root, created, id) WHERE root IS NOT NULL;
        CREATE INDEX shown_unread ON shown(page, top, id) WHERE listed AND unread;
        """

    /// Who changed a record last, for its row. What is ours and not yet there is told by how far it has come.
    private static let editors = """
        ALTER TABLE shown ADD COLUMN updated_by TEXT;
        UPDATE shown SET updated_by = (SELECT updated_by FROM record WHERE record.id = shown.id);
        """

    /// What is found by lies beside what the list is sorted by, so that a filter reads a third of what the rows are, and in
    /// the order in which they are shown. `quoted`: the words that a mark covers, once somebody has read the page.
    private static let finding = """
        ALTER TABLE shown ADD COLUMN quoted TEXT;
        DROP INDEX shown_page;
        CREATE INDEX shown_page ON shown(page, top, id, search, quoted) WHERE listed;
        """

    /// What moves with every change lies beside the facts, which are a thousand times as much to write and stay what they
    /// are. NULL: as the facts have it.
    private static let moving = """
        ALTER TABLE facts ADD COLUMN last_n INTEGER;
        ALTER TABLE facts ADD COLUMN cursor_revision INTEGER;
        """
}
