import Annotations
import Authorization
import EngineCore
import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol

/// The sync API, `/instant/v1/…`. The token names the layer.
struct SyncAPI: Sendable {
    let engine: Engine
    let attachments: Attachments
    let intake: PDFIntake
    let admission: RequestLimiter
    let space: DiskSpace
    /// Serves streams without the framework; nil: the framework serves them.
    let streams: DetachedStreams?
    /// Finds the documents that an engine of local PDFs has taken over. Clients come back as soon as it listens, and would
    /// take one that is not found yet for a deleted one.
    var prepare: @Sendable () async throws -> Void = {}

    /// An authenticated client with its verified token.
    struct Bearer: Sendable {
        let token: VerifiedToken
        let client: RequestLimiter.Client
    }

    /// - Throws: ``APIError`` if the protocol version or the token is not accepted, on too many requests, or if the disk
    ///   is too full for what the request stores.
    func admit(_ request: ServerRequest, storing use: DiskSpace.Use = .nothing) throws -> Bearer {
        try checkVersion(request)
        let (token, client) = try login(request) {
            try engine.verifier.verify($0, now: engine.now())
        } user: {
            $0.claims.grant.userID
        }
        try admission.request(of: client)
        request.audit?.identify(token)
        try space.admit(use, bytes: request.statedBytes)
        return Bearer(token: token, client: client)
    }

    /// Handles the request of an admitted client. Whether its token was revoked is only known from the store.
    func answer(
        _ bearer: Bearer, _ request: ServerRequest,
        _ handle: @Sendable (Bearer, ServerRequest) async throws -> Response
    ) async throws -> Response {
        try await prepare()
        do { return try await handle(bearer, request) } catch let refusal as APIError {
            if refusal.reason == .tokenRevoked { admission.tokenIsRevoked(of: bearer.client) }
            throw refusal
        }
    }

    // MARK: The token

    /// Checks the token of a request, and counts forgeries.
    ///
    /// - Parameter user: returns the user of a checked token, whose tokens are counted together.
    private func login<Checked>(
        _ request: ServerRequest, _ check: (String) throws -> Checked, user: (Checked) -> String?
    ) throws -> (checked: Checked, client: RequestLimiter.Client) {
        let (token, checked) = try admission.login(with: .token, from: request.address) {
            guard let token = request.header(.authorization).flatMap(Self.token) else {
                throw APIError(.tokenMissing, "missing token (Authorization: Bearer …)")
            }
            return (token, try check(token))
        }
        return (checked, RequestLimiter.Client(token: token, user: user(checked)))
    }

    /// Answers with the verdict on the request's token, whether it is accepted or not. A token that no key of this
    /// server verifies gets the same error as everywhere: its sender may be anyone.
    ///
    /// The request counts for the token itself, and for its user only if the token is accepted: the holder of one that
    /// has expired or was revoked must not use up the requests of the user.
    func verdict(_ request: ServerRequest) async throws -> Response {
        try checkVersion(request)
        let now = engine.now()
        let (found, client) = try login(request) {
            try engine.verifier.inspect($0, now: now)
        } user: {
            $0.claims?.grant.userID
        }
        try admission.request(of: client.alone)
        var refusal = found.refusal
        if refusal == nil, let claims = found.claims {
            refusal = try await engine.refusal(of: VerifiedToken(claims: claims, key: found.key))
            if refusal == nil, client != client.alone { try admission.request(of: client) }
        }
        return .message(TokenVerdict(found, refusal: refusal, now: now))
    }

    private static func token(in header: String) -> String? {
        let parts = header.split(scalar: " ", maxSplits: 1)
        return parts.count == 2 && parts[0].lowercased() == "bearer" ? String(parts[1]) : nil
    }

    func require(_ permission: GeneralPermission, _ token: VerifiedToken) throws {
        guard token.grant.general.contains(permission) else {
            throw APIError(.insufficientScope, Denial.lacks(permission).description)
        }
    }

    private func checkVersion(_ request: ServerRequest) throws {
        guard let text = request.header(Responder.version) else { return }
        guard let version = Int64(text) else { throw APIError(.badRequest, "the protocol version must be a number") }
        if version < ProtocolVersion.oldest {
            throw APIError(
                .oldClient, "this server supports version \(ProtocolVersion.oldest) and newer; update the client")
        }
        if version > ProtocolVersion.current {
            throw APIError(.oldServer, "this server supports version \(ProtocolVersion.current); update the server")
        }
    }

    // MARK: Routes

    func session(_ bearer: Bearer, _ request: ServerRequest) async throws -> Response {
        let token = bearer.token
        try require(.readDocument, token)
        let now = engine.now()
        var limits = engine.limits
        limits.attachmentBytes = attachments.limit
        let (document, layer, lineage, epoch) = try await engine.view(token) { view in
            guard let document = try view.store.document(token.grant.documentID) else {
                throw APIError(.documentNotFound, "the token's document does not exist")
            }
            return (document, view.layer, try Layers.lineage(of: view.layer, in: view.store), view.epoch)
        }
        let file = try await file(of: document, for: token.grant)
        return .message(
            SessionAnswer(
                grant: token.grant, now: now, generation: layer.generation, epoch: epoch, head: layer.head,
                lineage: lineage, documentVersion: document.version, pdfSHA256: file.sha256, pdfBytes: file.bytes,
                title: document.title, limits: limits, pageCount: document.pages.count,
                pageRuns: PageRun.runs(of: document.pages.lazy.map { ($0.width, $0.height) })))
    }

    /// Returns the PDF for a token: as uploaded if the token may see everything in it, otherwise without annotations.
    private func file(of document: ServerDocument, for grant: Grant) async throws -> StoredPDF {
        grant.mayViewOriginalPDF ? document.original : try await intake.stripped(document)
    }

    func document(_ bearer: Bearer, _ request: ServerRequest) async throws -> Response {
        let token = bearer.token
        try require(.download, token)
        let document = try await engine.view(token) { try $0.store.document(token.grant.documentID) }
        guard let document else { throw APIError(.documentNotFound, "the document was deleted") }
        let hash = try await file(of: document, for: token.grant).sha256
        let file = try await engine.apart { [blobs = intake.blobs] in try blobs.open(hash) }
        return try .file(file, sha256: hash, type: "application/pdf", by: engine.workers, request)
    }

    func records(_ bearer: Bearer, _ request: ServerRequest) async throws -> Response {
        let token = bearer.token
        try require(.readDocument, token)
        let epoch = request.query["epoch"]
        let limit = min(try request.number("limit") ?? Int64.max, Int64(engine.limits.pageRecords))
        guard limit > 0 else { throw APIError(.badRequest, #""limit" must be at least 1"#) }
        if let since = try request.number("since") {
            guard let epoch else { throw APIError(.badRequest, #""since" needs its "epoch""#) }
            let cursor = Cursor(epoch: epoch, revision: since)
            return .json(bytes: try await engine.view(token) { try $0.delta(since: cursor, limit: Int(limit)).bytes })
        }
        let after = request.query["after"]
        let at = try request.number("at")
        let page = try await engine.view(token) {
            try $0.snapshot(after: after, at: at, epoch: epoch, limit: Int(limit)).bytes
        }
        return .json(bytes: page)
    }

    func digest(_ bearer: Bearer, _ request: ServerRequest) async throws -> Response {
        let token = bearer.token
        try require(.readDocument, token)
        guard let epoch = request.query["epoch"] else {
            throw APIError(.badRequest, #"the "epoch" of the session answer is missing"#)
        }
        return .message(try await engine.digest(token, epoch: epoch))
    }

    func changes(_ bearer: Bearer, _ request: ServerRequest) async throws -> Response {
        try require(.readDocument, bearer.token)
        try require(.write, bearer.token)
        let push = try await request.message(PushRequest.self)
        return .json(bytes: try await engine.push(push, bearer.token).bytes(answering: push))
    }

    func sendAttachment(_ bearer: Bearer, _ request: ServerRequest) async throws -> Response {
        try require(.readDocument, bearer.token)
        let id = try Self.attachment(request)
        request.audit?.add { $0.attachment = id }
        guard request.head.method == .head, bearer.token.grant.general.contains(.write) else {
            return try await attachments.send(id, bearer.token, request)
        }
        return try await attachments.progress(of: id, bearer.token, request)
    }

    func receiveAttachment(_ bearer: Bearer, _ request: ServerRequest) async throws -> Response {
        try require(.readDocument, bearer.token)
        let id = try Self.attachment(request)
        try require(.write, bearer.token)
        return try await attachments.receive(id, bearer.token, request)
    }

    private static func attachment(_ request: ServerRequest) throws -> AttachmentID {
        guard let id = AttachmentID(request["sha256"]) else {
            throw APIError(.notFound, "the name of an attachment must be its SHA-256 in lower-case hex")
        }
        return id
    }

    func presence(_ bearer: Bearer, _ request: ServerRequest) async throws -> Response {
        try require(.readDocument, bearer.token)
        return .message(try await engine.announce(request.message(PresenceSign.self), bearer.token))
    }
}

extension TokenVerdict {
    init(_ found: TokenVerifier.Inspection, refusal: APIError?, now: Timestamp) {
        self.init(
            refusal: refusal.map { ErrorAnswer($0.reason, $0.description) }, now: now,
            key: Key(algorithm: found.key.algorithm.rawValue, sha256: found.key.fingerprint))
        guard let claims = found.claims else { return }
        (grant, notBefore, issuedAt, tokenID) = (claims.grant, claims.notBefore, claims.issuedAt, claims.tokenID)
        warnings = claims.warnings + claims.remarks
    }
}
