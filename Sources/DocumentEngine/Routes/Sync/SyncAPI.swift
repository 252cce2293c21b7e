import Annotations
import Authorization
import EngineCore
import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol

/// `/instant/v1/…`: what a client does with its token. The token names the layer.
struct SyncAPI: Sendable {
    let engine: Engine
    let verifier: TokenVerifier
    let blobs: any Blobs
    let attachments: Attachments
    let admission: RequestLimiter
    /// Where streams go on without the framework; nil: they stay with it.
    let streams: DetachedStreams?

    /// Who asks, by a token that was verified.
    struct Bearer: Sendable {
        let claims: Claims
        let client: RequestLimiter.Client
    }

    /// - Throws: ``APIError`` when the protocol's version or the token will not do, or too many requests came with it.
    func admit(_ exchange: ServerRequest) throws -> Bearer {
        try checkVersion(exchange)
        return try verify(exchange)
    }

    // MARK: The token

    private func verify(_ exchange: ServerRequest) throws -> Bearer {
        guard let token = exchange.header(.authorization).flatMap(Self.token) else {
            throw APIError(.tokenMissing, "a token is needed: Authorization: Bearer …")
        }
        let claims = try admission.login(with: .token, from: exchange.address) {
            try verifier.verify(token, now: engine.now())
        }
        let client = RequestLimiter.Client(token: token)
        try admission.request(of: client)
        return Bearer(claims: claims, client: client)
    }

    private static func token(in header: String) -> String? {
        let parts = header.split(separator: " ", maxSplits: 1)
        return parts.count == 2 && parts[0].lowercased() == "bearer" ? String(parts[1]) : nil
    }

    func require(_ permission: GeneralPermission, _ claims: Claims) throws {
        guard claims.grant.general.contains(permission) else {
            throw APIError(.insufficientScope, Denial.lacks(permission).description)
        }
    }

    private func checkVersion(_ exchange: ServerRequest) throws {
        guard let text = exchange.header(Responder.version) else { return }
        guard let version = Int64(text) else { throw APIError(.badRequest, "the protocol version is a number") }
        if version < ProtocolVersion.oldest {
            throw APIError(
                .oldClient, "this server speaks version \(ProtocolVersion.oldest) and newer: update the client")
        }
        if version > ProtocolVersion.current {
            throw APIError(.oldServer, "this server speaks version \(ProtocolVersion.current): update the server")
        }
    }

    // MARK: Routes

    func session(_ bearer: Bearer, _ exchange: ServerRequest) async throws -> Response {
        let claims = bearer.claims
        try require(.readDocument, claims)
        let now = engine.now()
        let limits = engine.limits
        let answer = try await engine.view(claims) { view in
            guard let document = try view.store.document(claims.grant.documentID) else {
                throw APIError(.documentNotFound, "there is no document with the id that the token names")
            }
            return SessionAnswer(
                grant: claims.grant, now: now, generation: view.layer.generation, epoch: view.epoch,
                head: view.layer.head, pdfSHA256: document.pdfSHA256, pdfBytes: document.pdfBytes,
                title: document.title, limits: limits)
        }
        return .message(answer)
    }

    func document(_ bearer: Bearer, _ exchange: ServerRequest) async throws -> Response {
        let claims = bearer.claims
        try require(.download, claims)
        let hash = try await engine.view(claims) { try $0.store.document(claims.grant.documentID)?.pdfSHA256 }
        guard let hash else { throw APIError(.documentNotFound, "the document is gone") }
        let file = try await engine.apart { [blobs] in try blobs.open(hash) }
        return try .file(file, sha256: hash, type: "application/pdf", by: engine.workers, exchange)
    }

    func records(_ bearer: Bearer, _ exchange: ServerRequest) async throws -> Response {
        let claims = bearer.claims
        try require(.readDocument, claims)
        let epoch = exchange.query["epoch"]
        let limit = min(try exchange.number("limit") ?? Int64.max, Int64(engine.limits.pageRecords))
        guard limit > 0 else { throw APIError(.badRequest, #""limit" must be at least 1"#) }
        if let since = try exchange.number("since") {
            guard let epoch else { throw APIError(.badRequest, #""since" needs the "epoch" it belongs to"#) }
            let cursor = Cursor(epoch: epoch, revision: since)
            return .json(bytes: try await engine.view(claims) { try $0.delta(since: cursor, limit: Int(limit)).bytes })
        }
        let after = exchange.query["after"]
        let at = try exchange.number("at")
        let page = try await engine.view(claims) {
            try $0.snapshot(after: after, at: at, epoch: epoch, limit: Int(limit)).bytes
        }
        return .json(bytes: page)
    }

    func digest(_ bearer: Bearer, _ exchange: ServerRequest) async throws -> Response {
        let claims = bearer.claims
        try require(.readDocument, claims)
        guard let epoch = exchange.query["epoch"] else {
            throw APIError(.badRequest, #"the "epoch" of the session answer is needed"#)
        }
        return .message(try await engine.digest(claims, epoch: epoch))
    }

    func changes(_ bearer: Bearer, _ exchange: ServerRequest) async throws -> Response {
        try require(.readDocument, bearer.claims)
        try require(.write, bearer.claims)
        return .message(try await engine.push(exchange.message(PushRequest.self), bearer.claims))
    }

    func sendAttachment(_ bearer: Bearer, _ exchange: ServerRequest) async throws -> Response {
        try require(.readDocument, bearer.claims)
        return try await attachments.send(Self.attachment(exchange), bearer.claims, exchange)
    }

    func receiveAttachment(_ bearer: Bearer, _ exchange: ServerRequest) async throws -> Response {
        try require(.readDocument, bearer.claims)
        let id = try Self.attachment(exchange)
        try require(.write, bearer.claims)
        return try await attachments.receive(id, bearer.claims, exchange)
    }

    private static func attachment(_ exchange: ServerRequest) throws -> AttachmentID {
        guard let id = AttachmentID(exchange["sha256"]) else {
            throw APIError(.notFound, "an attachment is named by the SHA-256 of its bytes, in lower-case hex")
        }
        return id
    }

    func presence(_ bearer: Bearer, _ exchange: ServerRequest) async throws -> Response {
        try require(.readDocument, bearer.claims)
        return .message(try await engine.announce(exchange.message(PresenceSign.self), bearer.claims))
    }
}
