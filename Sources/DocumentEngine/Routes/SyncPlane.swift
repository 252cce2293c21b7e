import Annotations
import Authorization
import EngineCore
import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol

/// `/instant/v1/…`: what a client does with its token. The token names the layer.
struct SyncPlane: Sendable {
    let engine: Engine
    let verifier: TokenVerifier
    let blobs: any Blobs
    let attachments: Attachments
    let admission: Admission
    /// Nothing stands between the pieces of a body and the socket.
    let hasOutlets: Bool
    /// Where streams go on without the framework; nil: they stay with it.
    let streams: Streams?

    func answer(_ route: Route.Sync, _ exchange: Exchange) async throws -> Response {
        try checkVersion(exchange)
        let (claims, client) = try verify(exchange)
        switch route {
        case .session: return try await session(claims)
        case .document: return try await document(claims, exchange)
        case .records: return try await records(claims, exchange)
        case .digest: return try await digest(claims, exchange)
        case .changes: return try await changes(claims, exchange)
        case .events: return try await events(claims, of: client, exchange)
        case .presence: return try await presence(claims, exchange)
        case .attachment(let name): return try await attachment(name, claims, exchange)
        }
    }

    // MARK: The token

    private func verify(_ exchange: Exchange) throws -> (Claims, Admission.Client) {
        guard let token = exchange.header(.authorization).flatMap(Self.token) else {
            throw Refusal(.tokenMissing, "a token is needed: Authorization: Bearer …")
        }
        let claims = try admission.login(with: .token, from: exchange.address) {
            try verifier.verify(token, now: engine.now())
        }
        let client = Admission.Client(token: token)
        try admission.request(of: client)
        return (claims, client)
    }

    private static func token(in header: String) -> String? {
        // As most clients write it.
        if header.utf8.starts(with: "Bearer ".utf8) { return String(Substring(header.utf8.dropFirst(7))) }
        let parts = header.split(separator: " ", maxSplits: 1)
        return parts.count == 2 && parts[0].lowercased() == "bearer" ? String(parts[1]) : nil
    }

    func require(_ permission: GeneralPermission, _ claims: Claims) throws {
        guard claims.grant.general.contains(permission) else {
            throw Refusal(.insufficientScope, Denial.lacks(permission).description)
        }
    }

    private func checkVersion(_ exchange: Exchange) throws {
        guard let text = exchange.header(Responder.version) else { return }
        guard let version = Int64(text) else { throw Refusal(.badRequest, "the protocol version is a number") }
        if version < ProtocolVersion.oldest {
            throw Refusal(
                .oldClient, "this server speaks version \(ProtocolVersion.oldest) and newer: update the client")
        }
        if version > ProtocolVersion.current {
            throw Refusal(.oldServer, "this server speaks version \(ProtocolVersion.current): update the server")
        }
    }

    // MARK: Routes

    private func session(_ claims: Claims) async throws -> Response {
        try require(.readDocument, claims)
        let now = engine.now()
        let limits = engine.limits
        let answer = try await engine.view(claims) { view in
            guard let document = try view.store.document(claims.grant.documentID) else {
                throw Refusal(.documentNotFound, "there is no document with the id that the token names")
            }
            return SessionAnswer(
                grant: claims.grant, now: now, generation: view.layer.generation, epoch: view.epoch,
                head: view.layer.head, pdfSHA256: document.pdfSHA256, pdfBytes: document.pdfBytes,
                title: document.title, limits: limits)
        }
        return .message(answer)
    }

    private func document(_ claims: Claims, _ exchange: Exchange) async throws -> Response {
        try require(.download, claims)
        let hash = try await engine.view(claims) { try $0.store.document(claims.grant.documentID)?.pdfSHA256 }
        guard let hash else { throw Refusal(.documentNotFound, "the document is gone") }
        return try await .file(blobs.opened(hash), sha256: hash, type: "application/pdf", exchange)
    }

    private func records(_ claims: Claims, _ exchange: Exchange) async throws -> Response {
        try require(.readDocument, claims)
        let epoch = exchange.query["epoch"]
        let limit = min(try exchange.number("limit") ?? Int64.max, Int64(engine.limits.pageRecords))
        guard limit > 0 else { throw Refusal(.badRequest, #""limit" must be at least 1"#) }
        if let since = try exchange.number("since") {
            guard let epoch else { throw Refusal(.badRequest, #""since" needs the "epoch" it belongs to"#) }
            let cursor = Cursor(epoch: epoch, revision: since)
            return .message(try await engine.view(claims) { try $0.delta(since: cursor, limit: Int(limit)) })
        }
        let after = exchange.query["after"]
        let at = try exchange.number("at")
        let page = try await engine.snapshot(claims, after: after, at: at, epoch: epoch, limit: Int(limit))
        return .json(bytes: page)
    }

    private func digest(_ claims: Claims, _ exchange: Exchange) async throws -> Response {
        try require(.readDocument, claims)
        guard let epoch = exchange.query["epoch"] else {
            throw Refusal(.badRequest, #"the "epoch" of the session answer is needed"#)
        }
        return .message(try await engine.digest(claims, epoch: epoch))
    }

    private func changes(_ claims: Claims, _ exchange: Exchange) async throws -> Response {
        try requirePush(claims)
        let request = try await exchange.message(PushRequest.self, upTo: engine.limits.batchBytes)
        return .message(try await engine.push(request, claims))
    }

    /// The same without a task, for a body that is there.
    ///
    /// - Parameter answer: called once, in place or on a thread of the engine's.
    func push(
        _ exchange: Exchange, _ body: ByteBuffer, _ answer: @escaping @Sendable (Result<Reply, any Error>) -> Void
    ) {
        do {
            try checkVersion(exchange)
            let (claims, _) = try verify(exchange)
            try requirePush(claims)
            guard body.readableBytes <= engine.limits.batchBytes else {
                throw Refusal.tooLarge(upTo: engine.limits.batchBytes)
            }
            let request = try Exchange.message(PushRequest.self, Array(body.readableBytesView))
            engine.push(request, claims) { answered in answer(answered.map { Reply($0) }) }
        } catch { answer(.failure(error)) }
    }

    private func requirePush(_ claims: Claims) throws {
        try require(.readDocument, claims)
        try require(.write, claims)
    }

    private func attachment(_ name: String, _ claims: Claims, _ exchange: Exchange) async throws -> Response {
        try require(.readDocument, claims)
        guard let id = AttachmentID(name) else {
            throw Refusal(.notFound, "an attachment is named by the SHA-256 of its bytes, in lower-case hex")
        }
        guard exchange.method == .put else { return try await attachments.send(id, claims, exchange) }
        try require(.write, claims)
        return try await attachments.receive(id, claims, exchange)
    }
}
