import Dispatch
import Foundation

/// How many notifications PostgreSQL hands to a number of connections, each read by its own thread.
struct NotifyBenchmark {
    let listeners: Int
    /// Notifications in one transaction.
    let batch: Int
    /// Long enough for some seconds.
    var notifications = 20_000

    /// - Returns: Notifications in a second, until the slowest listener has the last one.
    func run(_ server: PostgresServer) throws -> Double {
        let connections = try (0..<listeners).map { _ in
            let connection = try server.connect()
            try connection.execute("LISTEN layer")
            return connection
        }
        let writer = try server.connect()
        try writer.prepare("tell", "SELECT pg_notify('layer', i || ':1') FROM generate_series($1::int, $2::int) AS i")
        let count = notifications / batch * batch
        let all = DispatchGroup()
        let failures = Failures()
        let start = ContinuousClock.now
        for connection in connections {
            let reader = Reader(connection: connection)
            let thread = Thread {
                defer { all.leave() }
                do { for _ in 0..<count { _ = try reader.connection.notification() } } catch { failures.add(error) }
            }
            all.enter()
            thread.start()
        }
        for first in stride(from: 1, through: count, by: batch) {
            try writer.start("tell", ["\(first)", "\(first + batch - 1)"])
            try writer.waitUntilReady()
        }
        all.wait()
        if let failure = failures.first { throw failure }
        return Double(count) / ((ContinuousClock.now - start) / .seconds(1))
    }

    /// Used by one thread after another.
    private struct Reader: @unchecked Sendable {
        let connection: PostgresConnection
    }

    private final class Failures: @unchecked Sendable {
        private let lock = NSLock()
        private var all: [any Error] = []

        func add(_ error: any Error) { lock.withLock { all.append(error) } }
        var first: (any Error)? { lock.withLock { all.first } }
    }
}

/// How many rows of layers one database reads for its servers, each of which asks for all layers that have listeners.
struct PollBenchmark {
    let connections: Int
    /// Layers in one query.
    let batch: Int
    var reads = 20_000

    /// - Returns: Rows in a second over all connections.
    func run(_ server: PostgresServer) throws -> Double {
        let setUp = try server.connect()
        try setUp.execute(
            """
            CREATE TABLE IF NOT EXISTS heard (document text, name text, head bigint, PRIMARY KEY (document, name));
            INSERT INTO heard SELECT 'document ' || i, '', 0 FROM generate_series(1, 100000) AS i ON CONFLICT DO NOTHING;
            ANALYZE heard
            """)
        let readers = try (0..<connections).map { _ in Polling(connection: try server.connect()) }
        for reader in readers {
            try reader.connection.prepare(
                "heads",
                """
                SELECT head FROM unnest($1::text[], $2::text[]) AS wanted (document, name)
                JOIN heard ON heard.document = wanted.document AND heard.name = wanted.name
                """)
        }
        let each = reads / connections / batch
        let start = ContinuousClock.now
        let all = DispatchGroup()
        for (number, reader) in readers.enumerated() {
            all.enter()
            Thread {
                defer { all.leave() }
                for index in 0..<each {
                    let first = (number * each + index) * batch
                    let documents = (first..<first + batch).map { "\"document \($0 % 100_000 + 1)\"" }
                    let names = repeatElement("\"\"", count: batch)
                    try? reader.connection.start(
                        "heads",
                        ["{\(documents.joined(separator: ","))}", "{\(names.joined(separator: ","))}"])
                    try? reader.connection.waitUntilReady()
                }
            }.start()
        }
        all.wait()
        return Double(each * batch * connections) / ((ContinuousClock.now - start) / .seconds(1))
    }

    /// Used by one thread after another.
    private struct Polling: @unchecked Sendable {
        let connection: PostgresConnection
    }
}
