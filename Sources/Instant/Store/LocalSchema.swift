import GRDB
import InstantCore

/// The tables of a layer, as a list of steps: a new file runs all of them, and an old one runs those it lacks, so that
/// both end up alike. A program that knows fewer steps than a file has run does not change the file.
///
/// To change the tables, add a step; never alter one that has been released.
struct LocalSchema: Sendable {
    struct Step: Sendable {
        var sql: String
        /// If false, data that the server can send again is dropped here. The outbox, the identity and the grant are
        /// always kept.
        var keepsRows = true
    }

    let steps: [Step]

    static let current = LocalSchema(steps: [
        Step(sql: tables), Step(sql: editors), Step(sql: finding), Step(sql: moving), Step(sql: leaving),
        Step(sql: checksums), Step(sql: hiding), Step(sql: threads), Step(sql: sharing),
        Step(sql: naming), Step(sql: coloring),
    ])

    var version: Int { steps.count }

    /// - Parameter mayUpgrade: false if another program may have the file open; an old file is then not changed.
    /// - Throws: ``LocalStoreError/newerSchema(path:found:known:)``, ``LocalStoreError/olderSchema(path:needsReset:)``.
    func prepare(_ db: Database, path: String, mayUpgrade: Bool) throws {
        guard try found(db, path: path) < version else { return }
        try db.inTransaction(.immediate) {
            // Another process may have done it meanwhile.
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

    /// Returns the number of steps that a file has run; 0 for a new one.
    func found(_ db: Database, path: String) throws -> Int {
        let found = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard found <= version else { throw LocalStoreError.newerSchema(path: path, found: found, known: version) }
        return found
    }

    /// Drops the server's rows and their cursor; local edits stay.
    private static let reset = """
        DELETE FROM record;
        DELETE FROM staged;
        DELETE FROM shown;
        UPDATE facts SET json = json_set(
            json_remove(json, '$.cursor', '$.loading', '$.migratedTo'), '$.wasReset', json('true')),
            cursor_revision = NULL;
        UPDATE facts SET checksum = row_checksum(json, last_n, cursor_revision);
        """

    /// `record`: the server's last state. `outbox`: local edits that the server lacks. `shown`: one row for each shown
    /// record, with the columns that order and find it, so that no list reads a record. `staged`: the snapshot being
    /// loaded.
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

    /// The user who changed a record last, for its row. Rows with local edits that the server lacks show their delivery
    /// state instead.
    private static let editors = """
        ALTER TABLE shown ADD COLUMN updated_by TEXT;
        UPDATE shown SET updated_by = (SELECT updated_by FROM record WHERE record.id = shown.id);
        """

    /// The search columns are in the index that orders the list, so that a filter reads a third of the row data, in the
    /// order of display. `quoted`: the words that a markup covers, once its page has been read.
    private static let finding = """
        ALTER TABLE shown ADD COLUMN quoted TEXT;
        DROP INDEX shown_page;
        CREATE INDEX shown_page ON shown(page, top, id, search, quoted) WHERE listed;
        """

    /// Values that change with every edit are stored apart from the metadata, which is a thousand times as large and
    /// rarely changes. NULL: the value in the metadata applies.
    private static let moving = """
        ALTER TABLE facts ADD COLUMN last_n INTEGER;
        ALTER TABLE facts ADD COLUMN cursor_revision INTEGER;
        """

    /// `taken_root`: the root that is deleted with its last comment. A row with `listed` 2 is the heading of comments
    /// whose root was deleted or is hidden.
    private static let leaving = """
        ALTER TABLE outbox ADD COLUMN taken_root TEXT;
        CREATE INDEX outbox_taken_root ON outbox(taken_root) WHERE taken_root IS NOT NULL;
        INSERT INTO shown(
            id, listed, page, top, kind, author_key, boxes, text, search, changed, created, delivery)
        SELECT root, 2, min(page), 0, 'pspdfkit/comment', '', '0.0 0.0 -1.0 0.0', '', 'deleted annotation',
            max(changed), \(Int64.min), 'delivered'
        FROM shown AS comment
        WHERE root IS NOT NULL AND NOT EXISTS (SELECT 1 FROM shown WHERE shown.id = comment.root)
            AND NOT EXISTS (
                SELECT 1 FROM outbox WHERE outbox.id = comment.root AND kind = 'delete'
                AND stage IN ('waiting', 'sealed', 'parked', 'applied'))
        GROUP BY root;
        CREATE INDEX shown_heading ON shown(id) WHERE listed = 2;
        """

    /// A row with `listed` 3 is listed only if hidden rows are asked for.
    private static let hiding = "CREATE INDEX shown_hidden ON shown(kind, id) WHERE listed = 3;"

    /// Each row has a checksum of its other columns, which each read verifies. A content that is not JSON was damaged
    /// before, and stays without one.
    private static let checksums: String = {
        let tables: [(name: String, columns: String, text: String)] = [
            ("facts", "json, last_n, cursor_revision", "json"),
            ("record", StoredColumns.record, "content"), ("staged", StoredColumns.record, "content"),
            ("outbox", StoredColumns.outbox, "ifnull(content, '{}')"), ("own", StoredColumns.own, "'{}'"),
            ("shown", StoredColumns.shownUntilThreads, "'{}'"),
        ]
        return tables.map { table in
            """
            ALTER TABLE \(table.name) ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
            UPDATE \(table.name) SET checksum = row_checksum(\(table.columns)) WHERE json_valid(\(table.text));
            """
        }.joined(separator: "\n")
    }()
}

extension LocalSchema {
    /// `state`: what a comment sets, so that lists know which annotations are resolved. `head`: the head of the group that
    /// an annotation is a part of. Newer programs may have written either before this store knew them.
    fileprivate static let threads = """
        ALTER TABLE shown ADD COLUMN state TEXT;
        ALTER TABLE shown ADD COLUMN head TEXT;
        CREATE INDEX shown_state ON shown(root, created, id, state) WHERE state IS NOT NULL;
        CREATE INDEX shown_head ON shown(head, id) WHERE head IS NOT NULL;
        CREATE TEMP TABLE asides AS
            SELECT id, json_extract(content, '$.postilla') AS aside FROM record
            WHERE json_valid(content) AND json_type(content, '$.postilla') = 'object';
        CREATE TEMP TABLE intact AS
            SELECT rowid AS number FROM shown WHERE checksum = row_checksum(\(StoredColumns.shownUntilThreads));
        UPDATE shown SET state = (
            SELECT lower(json_extract(aside, '$.state')) FROM asides WHERE asides.id = shown.id
                AND lower(json_extract(aside, '$.state')) IN (\(states.joined(separator: ", "))))
        WHERE root IS NOT NULL AND id IN (SELECT id FROM asides);
        UPDATE shown SET head = (
            SELECT json_extract(aside, '$.inReplyTo') FROM asides
            WHERE asides.id = shown.id AND json_extract(aside, '$.replyType') = 'group')
        WHERE root IS NULL AND id IN (SELECT id FROM asides);
        UPDATE shown SET checksum = row_checksum(\(StoredColumns.shownUntilColors)) WHERE rowid IN (SELECT number FROM intact);
        DROP TABLE asides;
        DROP TABLE intact;
        """

    /// Finds the annotations that stand on several pages, see ``StoredColumns/mayStandOnMorePages``.
    fileprivate static let sharing = """
        CREATE INDEX record_pages ON record(id) WHERE \(StoredColumns.mayStandOnMorePages);
        """

    /// `shown_said` finds annotations by the words of their comments, `shown_mentions` by whom these name, see
    /// `ShownRow.mark`.
    fileprivate static let naming = """
        CREATE INDEX shown_said ON shown(root, search) WHERE root IS NOT NULL;
        CREATE INDEX shown_mentions ON shown(root, id) WHERE \(StoredColumns.isMentioning);
        """

    /// `color`: what a mark on a page is drawn in; rows get it when they are derived again. `shown_listed` counts rows
    /// without reading them: all rows, and those of the pages before one.
    fileprivate static let coloring = """
        CREATE TEMP TABLE intact AS
            SELECT rowid AS number FROM shown WHERE checksum = row_checksum(\(StoredColumns.shownUntilColors));
        ALTER TABLE shown ADD COLUMN color TEXT;
        CREATE INDEX shown_listed ON shown(listed, page);
        UPDATE shown SET checksum = row_checksum(\(StoredColumns.shown)) WHERE rowid IN (SELECT number FROM intact);
        DROP TABLE intact;
        """

    private static let states = [
        "'accepted'", "'rejected'", "'cancelled'", "'completed'", "'none'", "'marked'", "'unmarked'",
    ]
}

/// The columns of each checksum, in its order.
enum StoredColumns {
    static let record = "id, revision, content, created_by, updated_by, grp"
    static let outbox = """
        seq, id, kind, base_revision, thread_revision, grp, content, base, stage, n, revision, reason, made_at, taken_root
        """
    static let own = "id, seq, revision"
    /// Whether a record may have the member `postilla.pages`. True for few records, of which each is looked at.
    static let mayStandOnMorePages = #"instr(content, '"pages"') > 0"#
    /// Whether a comment names somebody.
    static let isMentioning = "root IS NOT NULL AND instr(search, char(31)) > 0"
    static let shown = shownUntilColors + ", color"
    static let shownUntilColors = shownUntilThreads + ", state, head"
    static let shownUntilThreads = """
        id, root, listed, page, top, kind, author, author_key, created_by, grp, boxes, text, search, changed, created, \
        delivery, warning, updated_by, unread, quoted
        """
    static let shownCount: Int32 = 23
}
