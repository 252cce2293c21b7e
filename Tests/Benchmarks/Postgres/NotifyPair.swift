import Foundation

/// The bound of a change that reaches listeners: one row inserted and a notification, in one statement and one commit,
/// told to other connections.
final class NotifyPair {
    private let writer: NotifyWriter
    private let listeners: [PostgresConnection]

    init(_ server: PostgresServer, listeners count: Int = 1) throws {
        writer = try NotifyWriter(server)
        listeners = try (0..<count).map { _ in
            let listener = try server.connect()
            try listener.execute("LISTEN layer")
            return listener
        }
    }

    /// From before the statement is sent until the last listener has read it.
    func run(id: String, content: String) throws -> Duration {
        let start = ContinuousClock.now
        try writer.start(id: id, content: content)
        for listener in listeners { while try !listener.notification().hasPrefix(id) {} }
        let end = ContinuousClock.now
        try writer.finish()
        return end - start
    }
}
