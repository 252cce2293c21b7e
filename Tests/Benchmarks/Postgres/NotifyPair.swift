import Foundation

/// The bound of a change that reaches a listener: one row inserted and a notification, in one statement and one
/// commit, told to another connection.
final class NotifyPair {
    private let writer: PostgresConnection
    private let listener: PostgresConnection

    init(_ server: PostgresServer) throws {
        writer = try server.connect()
        try writer.execute(
            """
            CREATE TABLE record(
                layer bigint NOT NULL, id text NOT NULL, content text NOT NULL, created_by text,
                revision bigserial NOT NULL, PRIMARY KEY (layer, id));
            CREATE UNIQUE INDEX record_revision ON record(layer, revision)
            """)
        try writer.prepare(
            "add",
            """
            WITH added AS (
                INSERT INTO record(layer, id, content, created_by) VALUES (1, $1, $2, 'ana') RETURNING id, content)
            SELECT pg_notify('layer', id || ' ' || content) FROM added
            """)
        listener = try server.connect()
        try listener.execute("LISTEN layer")
    }

    /// From before the statement is sent until the listener has read it.
    func run(id: String, content: String) throws -> Duration {
        let start = ContinuousClock.now
        try writer.start("add", [id, content])
        while try !listener.notification().hasPrefix(id) {}
        let end = ContinuousClock.now
        try writer.waitUntilReady()
        return end - start
    }
}
