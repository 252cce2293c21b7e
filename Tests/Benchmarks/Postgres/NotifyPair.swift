import Foundation

/// The lower bound for a change that reaches listeners: one inserted row and a notification of other connections, in
/// one statement and one commit.
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

    /// Measures from before the statement is sent until the last listener has read the notification.
    func run(id: String, content: String) throws -> Duration {
        let start = ContinuousClock.now
        try writer.start(id: id, content: content)
        for listener in listeners { while try !listener.notification().hasPrefix(id) {} }
        let end = ContinuousClock.now
        try writer.finish()
        return end - start
    }
}
