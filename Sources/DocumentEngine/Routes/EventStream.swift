import Annotations
import Authorization
import EngineCore
import Hummingbird
import NIOCore
import SyncProtocol

/// One stream of events: opens, catches up from the cursor, then passes on what comes, until the token, the layer,
/// the listener's patience or the server ends.
///
/// There may be ten thousand of them. So it is an object, and what it knows does not stand in the frames of its task;
/// what comes before the waiting is done in tasks of its own, since a task keeps all memory that it ever needed until
/// it ends; and it waits on a connection that has left the framework (``Streams``).
///
/// Unchecked: used by one task at a time.
final class EventStream: @unchecked Sendable {
    private let engine: Engine
    private let claims: Claims
    private let channel: any Channel
    /// Nothing stands between the pieces and the socket.
    private let hasOutlet: Bool
    private var writer: any ResponseBodyWriter
    /// nil until it has begun.
    private var listener: Listener?
    /// Everything up to this revision has been told.
    private var reached: Revision = 0
    private var outlet: Outlet?

    init(
        _ engine: Engine, _ claims: Claims, _ channel: any Channel, hasOutlet: Bool, to writer: any ResponseBodyWriter
    ) {
        (self.engine, self.claims, self.channel, self.hasOutlet) = (engine, claims, channel, hasOutlet)
        self.writer = writer
    }

    /// Begins to listen, and tells what was committed before.
    ///
    /// - Parameter session: under which the reader says where it is.
    /// - Returns: whether there is more to come.
    func begin(on layer: StoredLayer, after cursor: Cursor?, by session: Presence.Session?) async throws -> Bool {
        async let begun = open(on: layer, after: cursor, by: session)
        return try await begun
    }

    private func open(
        on layer: StoredLayer, after cursor: Cursor?, by session: Presence.Session?
    ) async throws -> Bool {
        let listener = engine.listen(layer, claims, by: .stream(session))
        // No task waits for it: of each of ten thousand listeners that would be an eighth of the memory.
        try await channel.whenInputEnds { [wake = listener.wake] in wake.finish() }
        // The layer may have been made again, or the token revoked, since it was looked up.
        try await write(.session(SessionEvent(.open)))
        do {
            reached = try await catchUp(on: layer, after: cursor)
            try await engine.lookUpRecords(at: layer)
            self.listener = listener
            return true
        } catch let refusal as Refusal {
            try await write(.session(refusal.sessionEvent))
            return false
        }
    }

    /// What was committed before the listener was added, as change events.
    ///
    /// - Returns: the revision everything has been told up to.
    private func catchUp(on layer: StoredLayer, after cursor: Cursor?) async throws -> Revision {
        let known = try await engine.view(claims) { $0.layer.id }
        guard known == layer.id else { throw Refusal(.epochChanged, "the layer was made again") }
        guard var cursor else { return 0 }
        while true {
            let from = cursor
            let delta = try await engine.view(claims) { try $0.delta(since: from, limit: Push.deltaLimit) }
            // Told also when nothing of it is to be seen: the cursor has to stand where the next event begins.
            if delta.upTo > from.revision {
                let event = ChangeEvent(
                    epoch: delta.epoch, revision: delta.upTo, previous: from.revision, changes: delta.changes)
                try await write(.change(event))
            }
            cursor.revision = delta.upTo
            if !delta.more { return delta.upTo }
        }
    }

    /// From now on there is another way to the listener.
    func goOn(to writer: any ResponseBodyWriter) { self.writer = writer }

    /// Passes on what comes.
    func pass() async throws {
        guard let listener else { return }
        if try await isLast(.mail, to: listener) { return }
        outlet = listener.open(hasOutlet ? channel : nil) {
            Outlet($0, after: reached, until: claims.grant.expiresAt)
        }
        outlet?.release()
        for await signal in listener.signals where try await isLast(signal, to: listener) { return }
        // Nothing comes behind the end.
        _ = await outlet?.back()
    }

    // Each has a frame of its own, as small as it can be: a waiting stream holds the largest that it ever needed.

    /// - Returns: whether the stream ends with it.
    @inline(never)
    private func isLast(_ signal: Engine.Signal, to listener: Listener) async throws -> Bool {
        if outlet != nil, try await hasEndedApart() { return true }
        // Whatever the signal was: another one may have been pushed out by it.
        let (pieces, isLast) = next(signal, listener)
        for piece in pieces { try await writer.write(ByteBuffer(bytes: piece)) }
        if !isLast { outlet?.release() }
        return isLast
    }

    /// Sends what is left of what others wrote.
    @inline(never)
    private func hasEndedApart() async throws -> Bool {
        guard let rest = await outlet?.back() else { return false }
        if let begun = rest.begun { try outlet?.finish(begun) }
        guard let delivery = rest.delivery else { return false }
        let (pieces, isLast) = pieces(of: delivery)
        for piece in pieces { try await writer.write(ByteBuffer(bytes: piece)) }
        return isLast
    }

    /// - Returns: what is to be written, and whether the stream ends with it.
    @inline(never)
    private func next(_ signal: Engine.Signal, _ listener: Listener) -> (pieces: [[UInt8]], isLast: Bool) {
        let end = claims.grant.expiresAt
        guard engine.now() < end else {
            return ([LiveEvent.session(SessionEvent(.expired, reason: "the token has expired")).frame], true)
        }
        var (pieces, isLast) = pieces(of: listener.take())
        guard !isLast else { return (pieces, true) }
        switch signal {
        case .mail, .time: break
        case .heartbeat: pieces.append(LiveEvent.heartbeat.frame)
        case .expiring: pieces.append(LiveEvent.session(SessionEvent(.expiring, at: end)).frame)
        }
        return (pieces, false)
    }

    @inline(never)
    private func pieces(of delivery: Delivery) -> (pieces: [[UInt8]], isLast: Bool) {
        let pieces = delivery.pieces(after: reached)
        guard let end = delivery.end else { return (pieces, false) }
        return (pieces + [LiveEvent.session(end).frame], true)
    }

    private func write(_ event: LiveEvent) async throws { try await writer.write(ByteBuffer(bytes: event.frame)) }
}

extension Channel {
    fileprivate func whenInputEnds(_ body: @escaping @Sendable () -> Void) async throws {
        try await eventLoop.submit {
            try self.pipeline.syncOperations.handler(type: LinePaceHandler.self).whenInputEnds(body)
        }.get()
    }
}

extension Refusal {
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
