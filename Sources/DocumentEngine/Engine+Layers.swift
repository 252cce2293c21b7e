import Annotations
import Authorization
import EngineCore
import SyncProtocol

/// What a token is used for: reading its layer, and writing to it.
extension Engine {
    /// The layer a token names, seen as the token lets it be seen; made if this is the first time.
    func view<Result: Sendable>(
        _ claims: Claims, _ body: @escaping @Sendable (LayerView) throws -> Result
    ) async throws -> Result {
        let scope = claims.grant.viewScope
        let found = try await read { store -> Result? in
            try Self.admit(claims, in: store)
            guard let layer = try Layers.find(claims.grant, issuedAt: claims.issuedAt, in: store) else { return nil }
            return try body(LayerView(layer, scope: scope, in: store))
        }
        if let found { return found }
        return try await writes.perform(on: claims.layerKey) { store in
            try body(LayerView(try Self.open(claims, in: store), scope: scope, in: store))
        }
    }

    /// The sum of all that a token may see.
    func digest(_ claims: Claims, epoch: String) async throws -> DigestAnswer {
        try await view(claims) { [self] view in
            if let known = digests.withLock({ $0.answer(view.layer, scope: view.scope) }), known.epoch == epoch {
                return known
            }
            let answer = try view.digest(epoch: epoch)
            digests.withLock { $0.keep(answer, view.layer, scope: view.scope) }
            return answer
        }
    }

    func push(_ request: PushRequest, _ claims: Claims) async throws -> PushAnswer {
        try await write(to: claims.layerKey, pushing(request, claims))
    }

    /// - Parameter answer: called once, in place or on a thread of the queue's.
    func push(
        _ request: PushRequest, _ claims: Claims,
        _ answer: @escaping @Sendable (Result<PushAnswer, any Error>) -> Void
    ) {
        write(to: claims.layerKey, pushing(request, claims), then: answer)
    }

    private func pushing(
        _ request: PushRequest, _ claims: Claims
    ) -> @Sendable (any StoreWriting) throws -> (PushAnswer, Commit) {
        let push = Push(grant: claims.grant, limits: limits)
        let now = now()
        return { store in
            let layer = try Self.open(claims, in: store)
            return try push.perform(request, on: layer, in: store, now: now)
        }
    }

    private static func open(_ claims: Claims, in store: any StoreWriting) throws -> StoredLayer {
        try admit(claims, in: store)
        var random = SystemDice()
        return try Layers.open(claims.grant, issuedAt: claims.issuedAt, in: store, using: &random)
    }

    /// - Throws: ``Refusal`` when the token was revoked.
    static func admit(_ claims: Claims, in store: any StoreReading) throws {
        if let id = claims.tokenID, try store.isRevoked(tokenID: id) {
            throw Refusal(.tokenRevoked, "the token was revoked")
        }
    }
}

extension Claims {
    var layerKey: LayerKey { LayerKey(document: grant.documentID, name: grant.layer) }
}
