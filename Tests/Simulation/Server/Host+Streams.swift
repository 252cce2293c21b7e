import Annotations
import Authorization
import EngineCore
import InstantCore
import SyncProtocol

/// The server's end of live streams, as its routes implement it: listen, open, catch up, forward.
extension Host {
    func open(
        _ stream: StreamRequest, of process: ProcessID, token: IssuedToken, at time: Timestamp
    ) throws -> Result<Connection, SyncFailure> {
        do {
            guard token.rights.reads else { throw APIError(.insufficientScope, "this token lacks read-document") }
            let layer = try view(token, now(time)) { view, _ in view.layer }
            let client = stream.channel == .events ? stream.client : nil
            let listener = fanout.add(layer, scope: token.grant.viewScope, tokenID: token.name, client: client)
            let connection = Connection(process: process, stream: stream.id, token: token, listener: listener)
            connection.lastWritten = time.milliseconds
            connections.append(connection)
            if stream.channel == .polling {
                connection.polled = stream.cursor
                // The first answer comes at once: it shows that this connection works.
                send(.heartbeat, on: connection)
            } else {
                send(.session(SessionEvent(.open)), on: connection)
                try catchUp(connection, from: stream.cursor, now(time))
            }
            return .success(connection)
        } catch let refusal as APIError {
            return .failure(Reply(refusal).streamFailure)
        } catch is ProcessDied {
            restart()
            return .failure(.unreachable("the server died"))
        }
    }

    private func catchUp(_ connection: Connection, from start: Cursor, _ now: Timestamp) throws {
        var cursor = start
        do {
            while try tellMore(connection, since: &cursor, now) {}
        } catch let refusal as APIError {
            let isLost = refusal.reason == .layerDeleted || refusal.reason == .documentNotFound
            end(connection, with: SessionEvent(isLost ? .lost : .behind))
        }
        connection.reached = cursor.revision
    }

    /// - Returns: Whether more data follows.
    private func tellMore(_ connection: Connection, since cursor: inout Cursor, _ now: Timestamp) throws -> Bool {
        let delta = try view(connection.token, now) { [cursor] view, inspector in
            let delta = try view.delta(since: cursor, limit: 3)
            try inspector.check(delta.changes)
            return delta
        }
        if delta.upTo > cursor.revision {
            let event = ChangeEvent(
                epoch: delta.epoch, revision: delta.upTo, previous: cursor.revision, changes: delta.changes)
            send(.change(event), on: connection)
        }
        cursor.revision = delta.upTo
        return delta.more
    }

    /// Writes a listener's queued events, and the timed ones.
    func tend(_ connection: Connection, at time: Timestamp) throws {
        guard !connection.isEnded, !connection.isCut else { return }
        if let cursor = connection.polled { return try poll(connection, since: cursor, at: time) }
        guard now(time) < connection.token.grant.expiresAt else {
            return end(connection, with: SessionEvent(.expired, reason: "the token has expired"))
        }
        let delivery = fanout.take(connection.listener)
        for frame in delivery.frames where frame.revision > connection.reached {
            connection.bytes += frame.bytes
            connection.lastWritten = time.milliseconds
        }
        if let event = delivery.end { return end(connection, with: event) }
        if time.milliseconds - connection.lastWritten >= 15_000 {
            send(.heartbeat, on: connection)
            connection.lastWritten = time.milliseconds
        }
    }

    /// Answers the next long poll of a client without a stream.
    private func poll(_ connection: Connection, since: Cursor, at time: Timestamp) throws {
        guard connection.bytes.isEmpty else { return }
        var cursor = since
        do {
            _ = try tellMore(connection, since: &cursor, now(time))
            if cursor == since, time.milliseconds - connection.lastWritten >= 30_000 {
                send(.heartbeat, on: connection)
            }
        } catch let refusal as APIError {
            connection.failure = Reply(refusal).streamFailure
            connection.isEnded = true
        } catch is ProcessDied {
            restart()
        }
        if !connection.bytes.isEmpty { connection.lastWritten = time.milliseconds }
        connection.polled = cursor
    }

    func drop(_ connection: Connection) {
        fanout.remove(connection.listener)
        connections.removeAll { $0 === connection }
    }

    private func end(_ connection: Connection, with event: SessionEvent) {
        send(.session(event), on: connection)
        connection.isEnded = true
    }

    private func send(_ event: LiveEvent, on connection: Connection) { connection.bytes += event.frame }
}

extension Reply {
    /// The failure that a refusal causes for a client that opens a stream.
    var streamFailure: SyncFailure {
        if case .failure(let failure) = read(.session) { failure } else { .invalidServer("not an event stream") }
    }
}
