import Annotations
import Authorization
import EngineCore
import Hummingbird
import NIOCore
import SyncProtocol

/// One stream of events: opens, catches up from the cursor, then passes on what comes, until the token, the layer,
/// the listener's patience or the server ends.
///
/// A server may hold ten thousand of them. So its state is in an object and not in the frames of its task, what precedes
/// the waiting runs in child tasks, since a task keeps all memory that it ever needed until it ends, and it waits on a
/// connection that has left the framework (``DetachedStreams``).
///
/// Unchecked: used by one task at a time.
final class EventStream: @unchecked Sendable {
    private let engine: Engine
    private let claims: Claims
    private let channel: any Channel
    private var writer: any ResponseBodyWriter
    /// nil until it has begun.
    private var listener: Listener?
    /// Everything up to this revision has been told.
    private var reached: Revision = 0

    init(_ engine: Engine, _ claims: Claims, _ channel: any Channel, to writer: any ResponseBodyWriter) {
        (self.engine, self.claims, self.channel) = (engine, claims, channel)
        self.writer = writer
    }

    /// Begins to listen, and tells what was committed before.
    ///
    /// - Parameter session: under which the reader says where it is.
    /// - Returns: whether there is more to come.
    func begin(on layer: ServerLayer, after cursor: Cursor?, by session: Presence.Session?) async throws -> Bool {
        async let begun = open(on: layer, after: cursor, by: session)
        return try await begun
    }

    private func open(
        on layer: ServerLayer, after cursor: Cursor?, by session: Presence.Session?
    ) async throws -> Bool {
        let listener = engine.listen(layer, claims, by: .stream(session))
        // A task that waits for it would be an eighth of a listener's memory.
        try await channel.whenInputEnds { [wake = listener.wake] in wake.finish() }
        // The layer may have been made again, or the token revoked, since it was looked up.
        try await write(.session(SessionEvent(.open)))
        do {
            reached = try await catchUp(on: layer, after: cursor)
            try await engine.loadPresenceRecords(at: layer)
            self.listener = listener
            return true
        } catch let refusal as APIError {
            try await write(.session(refusal.sessionEvent))
            return false
        }
    }

    /// What was committed before the listener was added, as change events.
    ///
    /// - Returns: the revision everything has been told up to.
    private func catchUp(on layer: ServerLayer, after cursor: Cursor?) async throws -> Revision {
        let known = try await engine.view(claims) { $0.layer.id }
        guard known == layer.id else { throw APIError(.epochChanged, "the layer was made again") }
        guard var cursor else { return 0 }
        while true {
            let from = cursor
            let (event, upTo, more) = try await engine.view(claims) { view in
                let delta = try view.delta(since: from, limit: Push.deltaLimit)
                let event = ChangeEvent(
                    epoch: delta.epoch, revision: delta.upTo, previous: from.revision, changes: delta.changes)
                // Also when nothing of it is to be seen: the cursor has to stand where the next event begins.
                return (delta.upTo > from.revision ? LiveEvent.change(event).frame : nil, delta.upTo, delta.more)
            }
            if let event { try await writer.write(ByteBuffer(bytes: event)) }
            cursor.revision = upTo
            if !more { return upTo }
        }
    }

    /// From now on there is another way to the listener.
    func goOn(to writer: any ResponseBodyWriter) { self.writer = writer }

    /// Passes on what comes.
    func pass() async throws {
        guard let listener else { return }
        if try await sendsLast(of: listener) { return }
        for await _ in listener.wakeUps where try await sendsLast(of: listener) { return }
    }

    // Each has a frame of its own, as small as it can be: a waiting stream holds the largest that it ever needed.

    /// Sends what waits.
    ///
    /// - Returns: whether the stream ends with it.
    @inline(never)
    private func sendsLast(of listener: Listener) async throws -> Bool {
        let (pieces, isLast) = next(listener)
        for piece in pieces { try await writer.write(ByteBuffer(bytes: piece)) }
        return isLast
    }

    /// - Returns: what is to be written, and whether the stream ends with it.
    @inline(never)
    private func next(_ listener: Listener) -> (pieces: [[UInt8]], isLast: Bool) {
        let end = claims.grant.expiresAt
        guard engine.now() < end else {
            return ([LiveEvent.session(SessionEvent(.expired, reason: "the token has expired")).frame], true)
        }
        let (delivery, signals) = listener.take()
        var pieces = delivery.pieces(after: reached)
        if let last = delivery.end { return (pieces + [LiveEvent.session(last).frame], true) }
        if signals.contains(.expiring) {
            pieces.append(LiveEvent.session(SessionEvent(.expiring, at: end)).frame)
        }
        if signals.contains(.heartbeat), pieces.isEmpty { pieces.append(LiveEvent.heartbeat.frame) }
        return (pieces, false)
    }

    private func write(_ event: LiveEvent) async throws { try await writer.write(ByteBuffer(bytes: event.frame)) }
}

extension Channel {
    /// Calls the body once, when the client sends nothing more; it takes the place of the one before.
    func whenInputEnds(_ body: @escaping @Sendable () -> Void) async throws {
        try await eventLoop.submit {
            try self.pipeline.syncOperations.handler(type: ConnectionTimeoutHandler.self).whenInputEnds(body)
        }.get()
    }
}

extension APIError {
    /// The same, said inside a stream that is open already.
    var sessionEvent: SessionEvent {
        switch reason {
        case .epochChanged: SessionEvent(.behind, reason: description)
        case .documentNotFound, .layerDeleted: SessionEvent(.lost, reason: description)
        case .tokenRevoked: SessionEvent(.revoked, reason: description)
        default: SessionEvent(.closing, reason: description)
        }
    }
}
