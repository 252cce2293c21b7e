import EngineCore
import SyncProtocol

/// Publishing the commits of this server and of other servers.
extension Engine {
    /// Publishes a durable commit.
    func publish(_ commit: Commit) {
        guard !commit.isEmpty else { return }
        guard let notices else { return live.withLock { $0.publish(commit) } }
        notices.add(.changed(layer: commit.layer.id, head: commit.layer.head))
        if take(commit) == .look { lookups.add(.layer(commit.layer.id)) }
    }

    /// Publishes a commit to listeners if it directly follows what they have.
    private func take(_ commit: Commit) -> PublicationCursor.Step {
        live.withLock { live in
            let step = live.feed.take(commit)
            if step == .publish { live.publish(commit) }
            return step
        }
    }

    // MARK: Other servers

    /// The layers that have listeners here.
    var heard: [ServerLayer] { live.withLock { $0.feed.layers } }

    /// Returns a layer that other servers have changed; nil if its listeners are up to date or it has none.
    func layer(_ id: Int64, ifBehind head: Revision) -> ServerLayer? {
        live.withLock { $0.feed.layer(id, ifBehind: head) }
    }

    /// Reads other servers' changes to these layers and publishes them.
    func look(at layers: [ServerLayer]) async throws {
        guard !layers.isEmpty else { return }
        let findings = try await read { try CatchUp.read(layers, in: $0) }
        for (layer, finding) in zip(layers, findings) {
            switch finding {
            case .same: break
            case .ended(let event): close(layer.id, with: event)
            // Another commit was published meanwhile: read the layer again.
            case .changed(let commit): if take(commit) == .look { lookups.add(.layer(layer.id)) }
            }
        }
    }

    /// Ends the streams whose tokens were revoked on another server.
    func closeRevokedStreams() async throws {
        let tokens = live.withLock { $0.fanout.tokenIDs }
        guard !tokens.isEmpty else { return }
        let revoked = try await read { try $0.revoked(among: tokens) }
        if !revoked.isEmpty { tell { $0.revoke(revoked) } }
    }
}
