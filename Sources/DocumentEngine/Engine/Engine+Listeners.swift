import Annotations
import EngineCore
import SyncProtocol

/// Adding, waking and ending listeners.
extension Engine {
    /// Adds a listener. Changes committed before this call must be pulled after it.
    ///
    /// - Parameter way: a stream also gets time signals and the list of participants.
    func listen(
        _ layer: ServerLayer, _ token: VerifiedToken, by way: Listener.Way, client: String? = nil
    ) -> Listener {
        // A second wake-up adds nothing: signals and events wait in the listener's state.
        let (wakeUps, wake) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let (scope, now) = (token.grant.viewScope, now())
        let id = live.withLock { live in
            let id = live.fanout.add(
                layer, scope: scope, tokenID: token.id, signer: token.key.description, client: client)
            // Commits to the layer were not followed here until now.
            if !live.feed.isHeard(layer.id) { live.presence.forgetRecords(at: layer.id) }
            live.feed.join(layer)
            if case .stream(let session) = way {
                if let session { live.presence.streamOpened(session) }
                live.pulse.add(id, until: token.grant.expiresAt, now: now)
                live.sendParticipants(at: layer.id, to: id, seenBy: scope)
            }
            live.join(id, by: wake)
            return id
        }
        return Listener(engine: self, id: id, layer: layer.id, way: way, wakeUps: wakeUps, wake: wake)
    }

    func take(_ id: EventBroadcaster.ListenerID) -> (delivery: QueuedEvents, signals: Listener.Signals) {
        live.withLock { live in
            let signals = live.takeSignals(of: id)
            let closing = QueuedEvents(frames: [], end: SessionEvent(.closing))
            return (live.isClosing ? closing : live.fanout.take(id), signals)
        }
    }

    func signal(_ signals: Listener.Signals, to id: EventBroadcaster.ListenerID) {
        live.withLock { $0.signal(signals, to: id) }
    }

    /// - Parameter isFinal: whether the reader does not come back.
    func leave(_ id: EventBroadcaster.ListenerID, _ layer: Int64, _ way: Listener.Way, isFinal: Bool) {
        let isClosing = live.withLock { live in
            live.fanout.remove(id)
            live.pulse.remove(id)
            live.feed.leave(layer)
            live.leave(id)
            return live.isClosing
        }
        guard case .stream(let session?) = way else { return }
        let now = now()
        // The other servers are told before this one stops.
        updatePresence { $0.streamEnded(session, isFinal: isFinal || isClosing, at: now) }
    }

    /// Ends the streams of a layer on all servers.
    func end(_ layer: Int64, with event: SessionEvent) {
        close(layer, with: event)
        notices?.add(.ended(layer: layer))
    }

    /// Ends the streams of a deleted document on all servers.
    ///
    /// - Parameter layers: its layers. Damaged ones, which the store cannot name, may still have streams here.
    func end(document id: String, layers: [Int64], with event: SessionEvent) {
        let here = heard.filter { $0.key.document.isExactly(id) }.map(\.id)
        for layer in Set(here + layers) { end(layer, with: event) }
    }

    /// Ends the streams of a layer on this server.
    func close(_ layer: Int64, with event: SessionEvent) {
        live.withLock { live in
            live.tell { $0.close(layer: layer, with: event) }
            live.tell(live.presence.layerEnded(layer, isLost: event.kind == .lost))
        }
    }

    /// Ends the streams of tokens on all servers.
    func revoke(_ tokenIDs: some Sequence<String>) {
        tell { $0.revoke(tokenIDs) }
        notices?.add(.revoked)
    }

    /// Ends this server's streams whose tokens were verified with a key that is no longer in use.
    func closeStreamsOfRemovedKeys() {
        let signers = Set(verifier.keys.map(\.description))
        tell { $0.revoke(signersExcept: signers) }
    }

    /// Ends every stream of this server, which no longer receives changes.
    func endAll(with event: SessionEvent) { tell { $0.closeAll(with: event) } }

    /// Applies a change to the broadcaster and wakes the listeners it returns.
    func tell(_ what: (inout EventBroadcaster) -> Set<EventBroadcaster.ListenerID>) { live.withLock { $0.tell(what) } }

    /// Ends all streams, so that they do not delay the shutdown.
    func close() {
        live.withLock { live in
            live.isClosing = true
            live.signalAll(.mail)
        }
    }

    var listenerCount: Int { live.withLock { $0.fanout.listenerCount } }
}
