import Annotations
import Authorization
import EngineCore
import Hummingbird
import NIOCore
import SyncProtocol

/// One stream of events: opens, catches up from the cursor, then passes on what comes, until the token, the layer,
/// the listener's patience or the server ends.
struct EventStream {
    let engine: Engine
    let claims: Claims
    let cursor: Cursor?
    /// Under which the reader says where it is.
    let session: Presence.Session?
    /// nil: everything goes through the writer.
    let channel: (any Channel)?
    var writer: any ResponseBodyWriter

    mutating func run(on layer: StoredLayer) async throws {
        let listener = engine.listen(layer, claims, by: .stream(session))
        // The layer may have been made again, or the token revoked, since it was looked up.
        try await send(.session(SessionEvent(.open)))
        var reached: Revision = 0
        do {
            reached = try await catchUp(on: layer)
        } catch let refusal as Refusal {
            return try await send(.session(refusal.sessionEvent))
        }
        try await engine.lookUpRecords(at: layer)
        try await pass(on: listener, after: reached)
    }

    /// What was committed before the listener was added, as change events.
    ///
    /// - Returns: the revision everything has been told up to.
    private mutating func catchUp(on layer: StoredLayer) async throws -> Revision {
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

    private mutating func pass(on listener: Listener, after reached: Revision) async throws {
        if try await deliver(listener.take(), after: reached) { return }
        let outlet = listener.open(channel) { Outlet($0, after: reached, until: claims.grant.expiresAt) }
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
    private mutating func deliver(_ delivery: Delivery, after reached: Revision) async throws -> Bool {
        let frames = delivery.frames.lazy.filter { $0.revision > reached }.map(\.bytes)
        for bytes in Array(frames) + delivery.presence { try await writer.write(ByteBuffer(bytes: bytes)) }
        guard let end = delivery.end else { return false }
        try await send(.session(end))
        return true
    }

    private mutating func send(_ event: LiveEvent) async throws {
        try await writer.write(ByteBuffer(bytes: event.frame))
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
