import Annotations
import Authorization
import EngineCore
import Hummingbird
import NIOCore
import SyncProtocol

/// One stream of events: opens, catches up from the cursor, then passes on what comes, until the token, the layer,
/// the listener's patience or the server ends.
///
/// There may be ten thousand of them. So it is an object, and what it knows does not stand in the frames of its task; and what
/// comes before the waiting is done in tasks of its own, since a task keeps all memory that it ever needed until it ends.
///
/// Unchecked: used by one task at a time.
final class EventStream: @unchecked Sendable {
    private let engine: Engine
    private let claims: Claims
    private let channel: any Channel
    /// Nothing stands between the pieces and the socket.
    private let hasOutlet: Bool
    private var writer: any ResponseBodyWriter

    init(
        _ engine: Engine, _ claims: Claims, _ channel: any Channel, hasOutlet: Bool, to writer: any ResponseBodyWriter
    ) {
        (self.engine, self.claims, self.channel, self.hasOutlet) = (engine, claims, channel, hasOutlet)
        self.writer = writer
    }

    /// Begins to listen, and tells what was committed before.
    ///
    /// - Parameter session: under which the reader says where it is.
    /// - Returns: nil when it has ended already.
    func begin(
        on layer: StoredLayer, after cursor: Cursor?, by session: Presence.Session?
    ) async throws -> (Listener, reached: Revision)? {
        async let opened = open(on: layer, after: cursor, by: session)
        return try await opened
    }

    private func open(
        on layer: StoredLayer, after cursor: Cursor?, by session: Presence.Session?
    ) async throws -> (Listener, reached: Revision)? {
        let listener = engine.listen(layer, claims, by: .stream(session))
        // No task waits for it: of each of ten thousand listeners that would be an eighth of the memory.
        try await channel.whenInputEnds { [wake = listener.wake] in wake.finish() }
        // The layer may have been made again, or the token revoked, since it was looked up.
        try await send(.session(SessionEvent(.open)))
        do {
            let reached = try await catchUp(on: layer, after: cursor)
            try await engine.lookUpRecords(at: layer)
            return (listener, reached)
        } catch let refusal as Refusal {
            try await send(.session(refusal.sessionEvent))
            return nil
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
                try await send(.change(event))
            }
            cursor.revision = delta.upTo
            if !delta.more { return delta.upTo }
        }
    }

    /// Passes on what comes.
    func pass(on listener: Listener, after reached: Revision) async throws {
        if try await deliver(listener.take(), after: reached) { return }
        let outlet = listener.open(hasOutlet ? channel : nil) {
            Outlet($0, after: reached, until: claims.grant.expiresAt)
        }
        outlet?.release()
        for await signal in listener.signals {
            if let rest = await outlet?.back() {
                if let begun = rest.begun { try outlet?.finish(begun) }
                if let delivery = rest.delivery, try await deliver(delivery, after: reached) { return }
            }
            guard engine.now() < claims.grant.expiresAt else {
                return try await send(.session(SessionEvent(.expired, reason: "the token has expired")))
            }
            // Whatever the signal was: another one may have been pushed out by it.
            if try await deliver(listener.take(), after: reached) { return }
            switch signal {
            case .mail, .time: break
            case .heartbeat: try await send(.heartbeat)
            case .expiring: try await send(.session(SessionEvent(.expiring, at: claims.grant.expiresAt)))
            }
            outlet?.release()
        }
        // Nothing comes behind the end.
        _ = await outlet?.back()
    }

    /// - Returns: whether the stream ends with it.
    private func deliver(_ delivery: Delivery, after reached: Revision) async throws -> Bool {
        for bytes in delivery.pieces(after: reached) { try await writer.write(ByteBuffer(bytes: bytes)) }
        guard let end = delivery.end else { return false }
        try await send(.session(end))
        return true
    }

    private func send(_ event: LiveEvent) async throws {
        try await writer.write(ByteBuffer(bytes: event.frame))
    }
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
