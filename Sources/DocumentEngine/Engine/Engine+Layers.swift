import Annotations
import Authorization
import EngineCore
import SyncProtocol

/// Reading and writing the layer of a token.
extension Engine {
    /// Runs the body on the layer a token names, in the token's view; creates the layer on first use.
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

    /// Returns the digest of everything that a token may see.
    func digest(_ claims: Claims, epoch: String) async throws -> DigestAnswer {
        try await view(claims) { [self] view in
            if let known = digests.withLock({ $0.answer(view.layer, scope: view.scope) }), known.epoch == epoch {
                if checksDigests, case let stored = try view.digest(epoch: epoch), known != stored {
                    throw CacheDifference("the digest of layer \(view.layer.key)", cached: known, stored: stored)
                }
                return known
            }
            let answer = try view.digest(epoch: epoch)
            digests.withLock { $0.keep(answer, view.layer, scope: view.scope) }
            return answer
        }
    }

    func push(_ request: PushRequest, _ claims: Claims) async throws -> PushAnswer {
        let push = PushProcessor(grant: claims.grant, limits: limits)
        let now = now()
        return try await write(to: claims.layerKey) { store in
            let layer = try Self.open(claims, in: store)
            return try push.perform(request, on: layer, in: store, now: now)
        }
    }

    /// Records that the token's user has the bytes of the attachment; durable when it returns.
    func addUpload(of id: AttachmentID, _ claims: Claims) async throws {
        try await writes.perform(on: claims.layerKey) { store in
            try store.addUpload(of: id, by: claims.grant.userID, in: Self.open(claims, in: store))
        }
    }

    private static func open(_ claims: Claims, in store: any StoreWriting) throws -> ServerLayer {
        try admit(claims, in: store)
        var random = SystemRandomNumberGenerator()
        return try Layers.open(claims.grant, issuedAt: claims.issuedAt, in: store, using: &random)
    }

    /// - Throws: ``APIError`` if the token was revoked.
    static func admit(_ claims: Claims, in store: any StoreReading) throws {
        if let id = claims.tokenID, try store.isRevoked(tokenID: id) {
            throw APIError(.tokenRevoked, "the token was revoked")
        }
    }
}

extension Claims {
    var layerKey: LayerKey { LayerKey(document: grant.documentID, name: grant.layer) }
}
