import GRDB

/// The tables and their migrations.
///
/// Ids are compared by their bytes (SQLite's BINARY collation). Times are milliseconds since 1970.
enum SQLiteSchema {
    static var migrator: DatabaseMigrator {
        var migrator = shared
        migrator.registerMigration("lineage") { try $0.execute(sql: lineage) }
        return migrator
    }

    /// The tables that a server and a local PDF have alike.
    static var shared: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { try $0.execute(sql: first) }
        migrator.registerMigration("mark") {
            try $0.execute(sql: "CREATE TABLE mark (one INTEGER PRIMARY KEY CHECK (one = 1), mark TEXT NOT NULL)")
        }
        migrator.registerMigration("attachments") { try $0.execute(sql: attachments) }
        migrator.registerMigration("attachments of the base") { try $0.execute(sql: baseAttachments) }
        // The tables stay the same but their meaning changes: a layer's head and a client's last number now come from
        // the rows written for them. An older program would assign revisions twice; it refuses a migration that it does
        // not know.
        migrator.registerMigration("heads from records") { _ in }
        migrator.registerMigration("uploads") { try $0.execute(sql: uploads) }
        migrator.registerMigration("stripped PDFs") { try $0.execute(sql: strippedPDFs) }
        migrator.registerMigration("indexes of subjects") { try $0.execute(sql: subjects) }
        migrator.registerMigration("thread roots") { try $0.execute(sql: threadRoots) }
        migrator.registerMigration("row checksums") { try addChecksums(to: $0) }
        return migrator
    }

    private static let first = """
        CREATE TABLE document (
            id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, sha256 TEXT NOT NULL, bytes INTEGER NOT NULL,
            created_at INTEGER NOT NULL, base INTEGER NOT NULL, pages TEXT NOT NULL, page_count INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX document_sha256 ON document (sha256);
        CREATE INDEX document_created_at ON document (created_at, id);
        CREATE INDEX document_title ON document (title, id);

        CREATE TABLE base (id INTEGER PRIMARY KEY AUTOINCREMENT);
        CREATE TABLE base_record (
            base INTEGER NOT NULL, id TEXT NOT NULL, content TEXT NOT NULL, type TEXT NOT NULL, root TEXT,
            created_by TEXT, updated_by TEXT, grp TEXT,
            PRIMARY KEY (base, id)
        );

        CREATE TABLE layer (
            id INTEGER PRIMARY KEY AUTOINCREMENT, document TEXT NOT NULL, name TEXT NOT NULL,
            generation TEXT NOT NULL, head INTEGER NOT NULL, horizon INTEGER NOT NULL,
            UNIQUE (document, name)
        );
        CREATE TABLE deleted_layer (
            document TEXT NOT NULL, name TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (document, name)
        ) WITHOUT ROWID;

        CREATE TABLE record (
            layer INTEGER NOT NULL, id TEXT NOT NULL, content TEXT NOT NULL, type TEXT NOT NULL, root TEXT,
            created_by TEXT, updated_by TEXT, grp TEXT, revision INTEGER NOT NULL,
            run_client TEXT, run_start INTEGER NOT NULL,
            removed_at INTEGER, removed_by TEXT, removed_client TEXT, cascade INTEGER,
            PRIMARY KEY (layer, id)
        );
        CREATE UNIQUE INDEX record_revision ON record (layer, revision);
        CREATE INDEX record_root ON record (layer, root) WHERE root IS NOT NULL;
        CREATE INDEX record_cascade ON record (layer, cascade) WHERE cascade IS NOT NULL;
        CREATE INDEX base_record_root ON base_record (base, root) WHERE root IS NOT NULL;

        CREATE TABLE departure (
            layer INTEGER NOT NULL, revision INTEGER NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL,
            created_by TEXT, grp TEXT, at INTEGER NOT NULL,
            PRIMARY KEY (layer, revision, id)
        ) WITHOUT ROWID;

        CREATE TABLE client (
            layer INTEGER NOT NULL, id TEXT NOT NULL, user_id TEXT, last_n INTEGER NOT NULL, acked INTEGER NOT NULL,
            PRIMARY KEY (layer, id)
        ) WITHOUT ROWID;
        CREATE TABLE answer (
            layer INTEGER NOT NULL, client TEXT NOT NULL, n INTEGER NOT NULL, hash TEXT NOT NULL,
            record TEXT NOT NULL, status TEXT NOT NULL, revision INTEGER, reason TEXT,
            PRIMARY KEY (layer, client, n)
        ) WITHOUT ROWID;
        CREATE TABLE revoked (jti TEXT NOT NULL PRIMARY KEY, expires_at INTEGER NOT NULL) WITHOUT ROWID;
        """

    /// A record names at most one attachment; its name is stored separately so that the content need not be parsed.
    private static let attachments = """
        CREATE TABLE attachment (
            document TEXT NOT NULL, sha256 TEXT NOT NULL, bytes INTEGER NOT NULL, at INTEGER NOT NULL,
            PRIMARY KEY (document, sha256)
        ) WITHOUT ROWID;
        CREATE INDEX attachment_sha256 ON attachment (sha256);
        ALTER TABLE record ADD COLUMN attachment TEXT;
        CREATE INDEX record_attachment ON record (layer, attachment) WHERE attachment IS NOT NULL;
        """

    /// The users who uploaded an attachment to a layer and may therefore name it. An empty text is the anonymous user.
    /// For files uploaded before this table existed, no user is known: they must be uploaded again, or be named by a
    /// user who can see a record that names them.
    private static let uploads = """
        CREATE TABLE upload (
            layer INTEGER NOT NULL, sha256 TEXT NOT NULL, user_id TEXT NOT NULL, PRIMARY KEY (layer, sha256, user_id)
        ) WITHOUT ROWID;
        """

    /// These indexes alone determine who may see a record.
    private static let subjects = """
        CREATE INDEX record_subject ON record (layer, id, type, created_by, grp);
        CREATE INDEX base_record_subject ON base_record (base, id, type, created_by, grp);
        DROP INDEX record_attachment;
        CREATE INDEX record_attachment ON record (layer, attachment, id, revision, type, created_by, grp, removed_at)
            WHERE attachment IS NOT NULL;
        DROP INDEX base_record_attachment;
        CREATE INDEX base_record_attachment ON base_record (base, attachment, id, type, created_by, grp)
            WHERE attachment IS NOT NULL;
        """

    private static let strippedPDFs = """
        ALTER TABLE document ADD COLUMN stripped_sha256 TEXT;
        ALTER TABLE document ADD COLUMN stripped_bytes INTEGER;
        CREATE INDEX document_stripped ON document (stripped_sha256) WHERE stripped_sha256 IS NOT NULL;
        """

    /// `thread_root`: whether an annotation was created for its comments. Among older records, only comment markers
    /// count, by their type. The indexes alone determine who may see the comments of a thread.
    private static let threadRoots = """
        ALTER TABLE record ADD COLUMN thread_root INTEGER NOT NULL DEFAULT 0;
        DROP INDEX record_root;
        CREATE INDEX record_root ON record (layer, root, id, revision, type, created_by, grp, removed_at)
            WHERE root IS NOT NULL;
        DROP INDEX base_record_root;
        CREATE INDEX base_record_root ON base_record (base, root, id, type, created_by, grp) WHERE root IS NOT NULL;
        """

    /// The generations that a layer had before the database was restored, in order, with the head that it had then.
    private static let lineage = """
        CREATE TABLE lineage (
            layer INTEGER NOT NULL, n INTEGER NOT NULL, generation TEXT NOT NULL, head INTEGER NOT NULL,
            at INTEGER NOT NULL, checksum INTEGER NOT NULL, PRIMARY KEY (layer, n)
        ) WITHOUT ROWID;
        """

    private static let baseAttachments = """
        ALTER TABLE base_record ADD COLUMN attachment TEXT;
        UPDATE base_record SET attachment = json_extract(content, '$.imageAttachmentId')
            WHERE content LIKE '%"imageAttachmentId"%';
        CREATE INDEX base_record_attachment ON base_record (base, attachment) WHERE attachment IS NOT NULL;
        """
}
