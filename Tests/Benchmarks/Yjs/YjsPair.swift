/// The Yjs server over the wire alone: one connection sends updates, others listen. No client keeps a document.
final class YjsPair {
    private let writer: YjsConnection
    private let listeners: [YjsConnection]
    private let store: YjsStore
    private let updates: [YjsUpdate]

    struct Times {
        /// Until the last listener has read the update.
        var told: Duration
        /// Until the server's store has committed it.
        var stored: Duration
    }

    /// - Parameter updates: By number.
    init(_ server: YjsServer, room: String, listeners count: Int = 1, updates: [YjsUpdate]) throws {
        writer = try YjsConnection(port: server.port, room: room)
        listeners = try (0..<count).map { _ in try YjsConnection(port: server.port, room: room) }
        store = server.store
        self.updates = updates
    }

    /// Sends an update and waits until listeners, writer and store have it, so that no work is left for the next peer.
    func run(_ number: Int) throws -> Times {
        let update = updates[number]
        let frame = YjsConnection.frame(.update(update.bytes))
        let before = store.changeCounter
        let start = ContinuousClock.now
        try writer.send(frame)
        for listener in listeners { try listener.waitForUpdate(containing: update.id) }
        let told = ContinuousClock.now
        try store.waitForCommit(after: before)
        let stored = ContinuousClock.now
        // The server returns each update to its sender too.
        try writer.waitForUpdate(containing: update.id)
        return Times(told: told - start, stored: stored - start)
    }
}
