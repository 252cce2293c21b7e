import Annotations
import EngineCore
import Hummingbird
import NIOCore
import SyncProtocol

/// One event stream: starts, catches up from the cursor, then forwards events until the token, the layer, the
/// connection or the server ends.
///
/// A server may have ten thousand streams. To save memory, the state is in an object instead of the task's frames; the
/// work before the wait runs in child tasks, since a task holds all memory it ever needed until it ends; and the stream
/// waits on a connection detached from the framework (``DetachedStreams``).
///
/// Unchecked: used by one task at a time.
final class EventStream: @unchecked Sendable {
    private let engine: Engine
    private let token: VerifiedToken
    private let channel: any Channel
    private var writer: any ResponseBodyWriter
    /// nil until the stream has started.
    private var listener: Listener?
    /// The revision up to which everything has been sent.
    private var reached: Revision = 0

    init(_ engine: Engine, _ token: VerifiedToken, _ channel: any Channel, to writer: any ResponseBodyWriter) {
        (self.engine, self.token, self.channel) = (engine, token, channel)
        self.writer = writer
    }

    /// Adds the listener and sends what was committed before.
    ///
    /// - Parameters:
    ///   - session: the reader's presence session.
    ///   - client: the reader's clientID.
    /// - Returns: whether the stream continues.
    func begin(
        on layer: ServerLayer, after cursor: Cursor?, by session: Presence.Session?, client: String?
    ) async throws -> Bool {
        async let begun = open(on: layer, after: cursor, by: session, client: client)
        return try await begun
    }

    private func open(
        on layer: ServerLayer, after cursor: Cursor?, by session: Presence.Session?, client: String?
    ) async throws -> Bool {
        let listener = engine.listen(layer, token, by: .stream(session), client: client)
        // A task waiting for the disconnect would take an eighth of a listener's memory.
        try await channel.whenInputEnds { [wake = listener.wake] in wake.finish() }
        // The layer may have been created again, or the token revoked, since the lookup.
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

    /// Sends what was committed before the listener was added, as change events.
    ///
    /// - Returns: the revision up to which everything has been sent.
    private func catchUp(on layer: ServerLayer, after cursor: Cursor?) async throws -> Revision {
        let known = try await engine.view(token) { $0.layer.id }
        guard known == layer.id else { throw APIError(.epochChanged, "the layer was recreated") }
        guard var cursor else { return 0 }
        while true {
            let from = cursor
            let (event, upTo, more) = try await engine.view(token) { view in
                let delta = try view.delta(since: from, limit: PushProcessor.deltaLimit)
                let event = ChangeEvent(
                    epoch: delta.epoch, revision: delta.upTo, previous: from.revision, changes: delta.changes)
                // Sent even if nothing is visible, because the cursor must equal the start of the next event.
                return (delta.upTo > from.revision ? LiveEvent.change(event).frame : nil, delta.upTo, delta.more)
            }
            if let event { try await writer.write(ByteBuffer(bytes: event)) }
            cursor.revision = upTo
            if !more { return upTo }
        }
    }

    /// Switches to another connection writer.
    func goOn(to writer: any ResponseBodyWriter) { self.writer = writer }

    /// Forwards events.
    func pass() async throws {
        guard let listener else { return }
        if try await sendsLast(of: listener) { return }
        for await _ in listener.wakeUps where try await sendsLast(of: listener) { return }
    }

    // These functions are not inlined, so that each has its own small frame: a waiting task holds the largest frame it
    // ever needed.

    /// Sends the queued events.
    ///
    /// - Returns: whether the stream has ended.
    @inline(never)
    private func sendsLast(of listener: Listener) async throws -> Bool {
        let (pieces, isLast) = next(listener)
        for piece in pieces { try await writer.write(ByteBuffer(bytes: piece)) }
        return isLast
    }

    /// - Returns: what to write, and whether the stream ends with it.
    @inline(never)
    private func next(_ listener: Listener) -> (pieces: [[UInt8]], isLast: Bool) {
        let end = token.grant.expiresAt
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
    /// Calls the body once, when the client closes its side. Replaces an earlier body.
    func whenInputEnds(_ body: @escaping @Sendable () -> Void) async throws {
        try await eventLoop.submit {
            try self.pipeline.syncOperations.handler(type: ConnectionTimeoutHandler.self).whenInputEnds(body)
        }.get()
    }
}

extension APIError {
    /// The error as an event, for a stream that is already open.
    var sessionEvent: SessionEvent {
        switch reason {
        case .epochChanged: SessionEvent(.behind, reason: description)
        case .documentNotFound, .layerDeleted: SessionEvent(.lost, reason: description)
        case .tokenRevoked, .signatureInvalid: SessionEvent(.revoked, reason: description)
        default: SessionEvent(.closing, reason: description)
        }
    }
}
