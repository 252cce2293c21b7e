import Annotations

/// One connection that inserts rows and notifies, with a separate commit for each row.
final class NotifyWriter: DurableWriter {
    private let connection: PostgresConnection

    init(_ server: PostgresServer) throws {
        connection = try server.connect()
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS record(
                layer bigint NOT NULL, id text NOT NULL, content text NOT NULL, created_by text,
                revision bigserial NOT NULL, PRIMARY KEY (layer, id));
            CREATE UNIQUE INDEX IF NOT EXISTS record_revision ON record(layer, revision)
            """)
        try connection.prepare(
            "add",
            """
            WITH added AS (
                INSERT INTO record(layer, id, content, created_by) VALUES (1, $1, $2, 'ana') RETURNING id, content)
            SELECT pg_notify('layer', id || ' ' || content) FROM added
            """)
    }

    func start(id: String, content: Content) throws { try start(id: id, content: content.text) }
    func start(id: String, content: String) throws { try connection.start("add", [id, content]) }
    func finish() throws { try connection.waitUntilReady() }
}
