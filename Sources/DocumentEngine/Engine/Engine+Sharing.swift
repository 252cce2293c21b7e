import EngineCore
import SyncProtocol

/// Telling of commits, of those of this server and of others.
extension Engine {
    /// Of what is durable.
    func publish(_ commit: Commit) {
        guard !commit.isEmpty else { return }
        guard let notices else { return live.withLock { $0.publish(commit) } }
        notices.add(.changed(layer: commit.layer.id, head: commit.layer.head))
        if take(commit) == .look { lookups.add(.layer(commit.layer.id)) }
    }

    /// Tells listeners of a commit if it is the next thing they have to be told.
    private func take(_ commit: Commit) -> PublicationCursor.Step {
        live.withLock { live in
            let step = live.feed.take(commit)
            if step == .publish { live.publish(commit) }
            return step
        }
    }

    // MARK: What other servers do

    /// The layers that somebody listens to here.
    var heard: [ServerLayer] { live.withLock { $0.feed.layers } }

    /// A layer that others have changed; nil: everybody here knows of it already, or nobody asks.
    func layer(_ id: Int64, ifBehind head: Revision) -> ServerLayer? {
        live.withLock { $0.feed.layer(id, ifBehind: head) }
    }

    /// Reads what others did to a layer and tells its listeners.
    func look(at layers: [ServerLayer]) async throws {
        guard !layers.isEmpty else { return }
        let findings = try await read { store in try layers.map { try CatchUp($0, in: store) } }
        for (layer, finding) in zip(layers, findings) {
            switch finding {
            case .same: break
            case .ended(let event): close(layer.id, with: event)
            // Something was told meanwhile that this does not know of: once more.
            case .changed(let commit): if take(commit) == .look { lookups.add(.layer(layer.id)) }
            }
        }
    }

    /// Ends the streams whose tokens were revoked elsewhere.
    func closeRevokedStreams() async throws {
        let tokens = live.withLock { $0.fanout.tokenIDs }
        guard !tokens.isEmpty else { return }
        let revoked = try await read { try $0.revoked(among: tokens) }
        if !revoked.isEmpty { tell { $0.revoke(revoked) } }
    }
}
