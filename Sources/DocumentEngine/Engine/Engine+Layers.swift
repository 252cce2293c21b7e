import Annotations
import EngineCore
import SyncProtocol

/// Reading and writing the layer of a token.
extension Engine {
    /// The part of a push that runs in a transaction.
    typealias PushWork = @Sendable (any StoreWriting) throws -> (PushAnswer, Commit)

    /// Runs the body on the layer a token names, in the token's view; creates the layer on first use.
    func view<Result: Sendable>(
        _ token: VerifiedToken, _ body: @escaping @Sendable (LayerView) throws -> Result
    ) async throws -> Result {
        let scope = token.grant.viewScope
        let found = try await read(of: token.grant.documentID) { [self] store -> Result? in
            try admit(token, in: store)
            guard let layer = try Layers.find(token.grant, issuedAt: token.issuedAt, in: store) else { return nil }
            return try body(LayerView(layer, scope: scope, in: store))
        }
        if let found { return found }
        return try await writes(of: token.grant.documentID).perform(on: token.layerKey) { [self] store in
            try body(LayerView(try open(token, in: store), scope: scope, in: store))
        }
    }

    /// Returns the digest of everything that a token may see.
    func digest(_ token: VerifiedToken, epoch: String) async throws -> DigestAnswer {
        try await view(token) { [self] view in
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

    func push(_ request: PushRequest, _ token: VerifiedToken) async throws -> PushAnswer {
        let push = PushProcessor(grant: token.grant, limits: limits)
        let now = now()
        let work: PushWork = { [self] store in
            let layer = try open(token, in: store)
            return try push.perform(request, on: layer, in: store, now: now)
        }
        if let performer = pushes.withLock({ $0 }) { return try await performer(token.layerKey, work) }
        return try await write(to: token.layerKey, work)
    }

    /// Records that the token's user has the bytes of the attachment; durable when it returns.
    func addUpload(of id: AttachmentID, _ token: VerifiedToken) async throws {
        try await writes(of: token.grant.documentID).perform(on: token.layerKey) { [self] store in
            try store.addUpload(of: id, by: token.grant.userID, in: open(token, in: store))
        }
    }

    private func open(_ token: VerifiedToken, in store: any StoreWriting) throws -> ServerLayer {
        try admit(token, in: store)
        var random = SystemRandomNumberGenerator()
        return try Layers.open(token.grant, issuedAt: token.issuedAt, in: store, using: &random)
    }

    /// - Throws: ``APIError`` if the token was revoked, or its key removed since the token was verified.
    func admit(_ token: VerifiedToken, in store: any StoreReading) throws {
        guard verifier.trusts(token.key) else {
            throw APIError(.signatureInvalid, "the key that verified the token was removed")
        }
        if let id = token.id, try store.isRevoked(tokenID: id) {
            throw APIError(.tokenRevoked, "the token was revoked")
        }
    }

    /// Like ``admit(_:in:)``, and refuses a token whose layer or document was deleted since. Locks no layer.
    func admitUndeleted(_ token: VerifiedToken, in store: any StoreReading) throws {
        try admit(token, in: store)
        try Layers.checkDeletions(of: token.layerKey, issuedAt: token.issuedAt, in: store)
    }

    /// Returns why a verified token opens no layer; nil if it opens one. Creates no layer.
    func refusal(of token: VerifiedToken) async throws -> APIError? {
        do {
            try await read(of: token.grant.documentID) { [self] store in
                try admit(token, in: store)
                if try Layers.find(token.grant, issuedAt: token.issuedAt, in: store) == nil {
                    try Layers.check(token.layerKey)
                }
            }
            return nil
        } catch let refusal as APIError { return refusal }
    }
}
