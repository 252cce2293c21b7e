/// The tables and their migrations.
///
/// Ids are compared by their bytes (collation C). Times are milliseconds since 1970.
enum PostgresSchema {
    /// The migration steps, run once each in this order. Never change a released one.
    private static let steps = [
        layers, blobs, mark, baseAttachments, uploads, strippedPDFs, threadRoots, lineage, uploadParts,
    ]

    /// Migrates the database. The first server does this while the others wait.
    static func migrate(_ connection: PostgresConnection, at address: PostgresAddress) throws {
        let encoding = try connection.one("SHOW server_encoding") { $0.text(0) } ?? ""
        guard encoding == "UTF8" else {
            throw PostgresStoreError.unusable(address, "its encoding is \(encoding) but must be UTF8")
        }
        try connection.execute("BEGIN; SELECT pg_advisory_xact_lock(\(PostgresLock.schema))")
        do {
            try connection.execute("CREATE TABLE IF NOT EXISTS schema_step (step bigint PRIMARY KEY)")
            let done = try connection.one("SELECT count(*) FROM schema_step") { Int($0.integer(0)) } ?? 0
            guard done <= steps.count else { throw PostgresStoreError.newerSchema(address) }
            for (index, step) in steps.enumerated().dropFirst(done) {
                try connection.execute(step)
                try connection.run("INSERT INTO schema_step VALUES ($1)", [.integer(Int64(index))])
            }
            try connection.commit()
        } catch {
            try? connection.execute("ROLLBACK")
            throw error
        }
    }

    private static let layers = """
        CREATE TABLE document (
            id text COLLATE "C" PRIMARY KEY, title text COLLATE "C" NOT NULL, sha256 text NOT NULL,
            bytes bigint NOT NULL, created_at bigint NOT NULL, base bigint NOT NULL, pages text NOT NULL,
            page_count bigint NOT NULL
        );
        CREATE INDEX document_sha256 ON document (sha256);
        CREATE INDEX document_created_at ON document (created_at, id);
        CREATE INDEX document_title ON document (title, id);

        CREATE SEQUENCE base;
        CREATE TABLE base_record (
            base bigint NOT NULL, id text COLLATE "C" NOT NULL, content text NOT NULL, type text NOT NULL,
            root text COLLATE "C", created_by text, updated_by text, grp text,
            PRIMARY KEY (base, id)
        );
        CREATE INDEX base_record_root ON base_record (base, root) WHERE root IS NOT NULL;

        CREATE TABLE layer (
            id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            document text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL,
            generation text NOT NULL, head bigint NOT NULL, horizon bigint NOT NULL,
            UNIQUE (document, name)
        ) WITH (fillfactor = 50);
        CREATE TABLE deleted_layer (
            document text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, at bigint NOT NULL,
            PRIMARY KEY (document, name)
        );

        CREATE TABLE record (
            layer bigint NOT NULL, id text COLLATE "C" NOT NULL, content text NOT NULL, type text NOT NULL,
            root text COLLATE "C", created_by text, updated_by text, grp text, revision bigint NOT NULL,
            run_client text, run_start bigint NOT NULL,
            removed_at bigint, removed_by text, removed_client text, cascade bigint, attachment text,
            PRIMARY KEY (layer, id)
        );
        CREATE UNIQUE INDEX record_revision ON record (layer, revision);
        CREATE INDEX record_root ON record (layer, root) WHERE root IS NOT NULL;
        CREATE INDEX record_cascade ON record (layer, cascade) WHERE cascade IS NOT NULL;
        CREATE INDEX record_attachment ON record (layer, attachment) WHERE attachment IS NOT NULL;

        CREATE TABLE departure (
            layer bigint NOT NULL, revision bigint NOT NULL, id text COLLATE "C" NOT NULL, type text NOT NULL,
            created_by text, grp text, at bigint NOT NULL,
            PRIMARY KEY (layer, revision, id)
        );
        CREATE TABLE client (
            layer bigint NOT NULL, id text COLLATE "C" NOT NULL, user_id text, last_n bigint NOT NULL,
            acked bigint NOT NULL,
            PRIMARY KEY (layer, id)
        );
        CREATE TABLE answer (
            layer bigint NOT NULL, client text COLLATE "C" NOT NULL, n bigint NOT NULL, hash text NOT NULL,
            record text NOT NULL, status text NOT NULL, revision bigint, reason text,
            PRIMARY KEY (layer, client, n)
        );
        CREATE TABLE revoked (jti text COLLATE "C" PRIMARY KEY, expires_at bigint NOT NULL);
        CREATE TABLE attachment (
            document text COLLATE "C" NOT NULL, sha256 text COLLATE "C" NOT NULL, bytes bigint NOT NULL,
            at bigint NOT NULL,
            PRIMARY KEY (document, sha256)
        );
        CREATE INDEX attachment_sha256 ON attachment (sha256);
        """

    /// PDFs are already compressed, so the pieces are stored uncompressed.
    private static let blobs = """
        CREATE TABLE blob (
            kind text NOT NULL, sha256 text COLLATE "C" NOT NULL, bytes bigint NOT NULL, PRIMARY KEY (kind, sha256)
        );
        CREATE TABLE blob_piece (
            kind text NOT NULL, sha256 text COLLATE "C" NOT NULL, n bigint NOT NULL, bytes bytea NOT NULL,
            PRIMARY KEY (kind, sha256, n)
        );
        ALTER TABLE blob_piece ALTER bytes SET STORAGE EXTERNAL;
        """

    private static let mark = "CREATE TABLE mark (place text NOT NULL, count bigint NOT NULL)"

    private static let baseAttachments = """
        ALTER TABLE base_record ADD COLUMN attachment text;
        UPDATE base_record SET attachment = content::json ->> 'imageAttachmentId'
            WHERE content LIKE '%"imageAttachmentId"%';
        CREATE INDEX base_record_attachment ON base_record (base, attachment) WHERE attachment IS NOT NULL;
        """

    private static let strippedPDFs = """
        ALTER TABLE document ADD COLUMN stripped_sha256 text;
        ALTER TABLE document ADD COLUMN stripped_bytes bigint;
        CREATE INDEX document_stripped ON document (stripped_sha256) WHERE stripped_sha256 IS NOT NULL;
        """

    /// The users who uploaded an attachment to a layer and may therefore name it. An empty text is the anonymous user.
    /// For files uploaded before this table existed, no user is known: they must be uploaded again, or be named by a
    /// user who can see a record that names them.
    private static let uploads = """
        CREATE TABLE upload (
            layer bigint NOT NULL, sha256 text COLLATE "C" NOT NULL, user_id text COLLATE "C" NOT NULL,
            PRIMARY KEY (layer, sha256, user_id)
        );
        """

    /// The generations that a layer had before the database was restored, in order, with the head that it had then.
    private static let lineage = """
        CREATE TABLE lineage (
            layer bigint NOT NULL, n bigint NOT NULL, generation text NOT NULL, head bigint NOT NULL, at bigint NOT NULL,
            PRIMARY KEY (layer, n)
        );
        """

    /// The beginnings of uploads. An empty text is the anonymous user.
    private static let uploadParts = """
        CREATE TABLE upload_part (
            layer bigint NOT NULL, user_id text COLLATE "C" NOT NULL, sha256 text COLLATE "C" NOT NULL,
            bytes bigint NOT NULL, at bigint NOT NULL,
            PRIMARY KEY (layer, user_id, sha256)
        );
        CREATE TABLE upload_piece (
            layer bigint NOT NULL, user_id text COLLATE "C" NOT NULL, sha256 text COLLATE "C" NOT NULL,
            start bigint NOT NULL, bytes bytea NOT NULL,
            PRIMARY KEY (layer, user_id, sha256, start),
            FOREIGN KEY (layer, user_id, sha256) REFERENCES upload_part ON DELETE CASCADE
        );
        ALTER TABLE upload_piece ALTER bytes SET STORAGE EXTERNAL;
        """

    /// Whether an annotation was created for its comments (1). Among older records, only comment markers count, by
    /// their type.
    private static let threadRoots = "ALTER TABLE record ADD COLUMN thread_root bigint NOT NULL DEFAULT 0"
}
