import Annotations
import Authorization
import EngineCore
import Hummingbird
import SyncProtocol

/// The backend API, `/api/…`, authenticated with the customer's secret.
struct BackendAPI: Sendable {
    let engine: Engine
    let intake: PDFIntake
    let attachments: Attachments
    let secrets: BackendSecrets
    let admission: RequestLimiter
    let space: DiskSpace

    /// - Throws: ``APIError`` if the secret is wrong, on too many requests, or if the disk is too full for what the request
    ///   stores.
    func admit(_ request: ServerRequest, storing use: DiskSpace.Use) throws {
        let secret = try admission.login(with: .secret, from: request.address) {
            try secrets.check(request.header(.authorization))
        }
        try admission.requestOfBackend()
        request.audit?.add { [document = request.parameters["id"]] in
            $0.actor = .backend(secret: secret)
            $0.document = document
        }
        try space.admit(use, bytes: request.statedBytes)
    }

    /// Returns the document, or throws a 404.
    static func document(_ id: String, in store: any StoreReading) throws -> ServerDocument {
        guard let document = try store.document(id) else {
            throw APIError(.documentNotFound, "no document with this id")
        }
        return document
    }

    // MARK: Revocation

    /// Accepts `{"jwts":[…]}`: tokens, or the `jti` of each. The backend may revoke any token, so nothing is verified.
    func revoke(_ request: ServerRequest) async throws -> Response {
        let body = try await request.json()
        guard let entries = body["jwts"]?.array?.map(\.string), !entries.contains(nil) else {
            throw APIError(.badRequest, #""jwts" must be an array of tokens or of their "jti""#)
        }
        // A bare `jti` has no known expiry; no ordinary token lives this long.
        let distant = engine.now() + 10 * 365 * 86_400_000
        var revoked: [ByteOrdered: Timestamp] = [:]
        for entry in entries.compactMap({ $0 }) {
            if let claims = try? Claims(token: entry) {
                guard let id = claims.tokenID else {
                    throw APIError(.invalid, #"a token without "jti" cannot be revoked; it is valid until its "exp""#)
                }
                revoked[ByteOrdered(id)] = claims.grant.expiresAt
            } else {
                // Taken for a `jti`, a damaged token would be reported as revoked, but stay valid.
                guard !entry.containsToken else {
                    throw APIError(
                        .badRequest, #"a token is damaged or has text around it; send the whole token or its "jti""#)
                }
                guard !entry.isEmpty, entry.utf8.count <= 1024, !entry.utf8.contains(0) else {
                    throw APIError(.badRequest, #"a "jti" must have 1 to 1,024 bytes"#)
                }
                revoked[ByteOrdered(entry)] = distant
            }
        }
        let now = engine.now()
        let list = revoked
        request.audit?.add { details in
            details.count = list.count
            details.tokenIDs = list.keys.sorted().prefix(AuditEvent.maxNames).map(\.text)
        }
        try await engine.writes.perform { store in
            for (id, expiry) in list { try store.revoke(tokenID: id.text, until: expiry) }
            // A day after its expiry, a token is refused for that reason alone, even if clocks differ.
            try store.removeRevocations(before: now + -86_400_000)
        }
        engine.revoke(list.keys.map(\.text))
        return .data { $0.object { $0.member("revoked", list.count) } }
    }
}

extension String {
    /// Whether it contains a token or a part of one: a JSON object in base64url (`{"` is `eyJ`), and a dot.
    fileprivate var containsToken: Bool {
        split(scalar: " ").contains { word in
            (word.begins(with: "ey") || word.range(ofScalars: "eyJ") != nil) && word.contains(scalar: ".")
        }
    }
}
