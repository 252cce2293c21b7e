import Annotations
import Authorization
import EngineCore
import Hummingbird
import SyncProtocol

/// `/api/…`: what a customer's own backend does with its secret.
struct BackendAPI: Sendable {
    let engine: Engine
    let intake: PDFIntake
    let attachments: Attachments
    let secret: BackendSecret
    let admission: RequestLimiter

    /// - Throws: ``APIError`` when the secret is wrong, or too many requests came.
    func admit(_ exchange: ServerRequest) throws {
        try admission.login(with: .secret, from: exchange.address) {
            try secret.check(exchange.header(.authorization))
        }
        try admission.request(of: .backend)
    }

    /// The document, or 404.
    static func document(_ id: String, in store: any StoreReading) throws -> ServerDocument {
        guard let document = try store.document(id) else {
            throw APIError(.documentNotFound, "there is no document with this id")
        }
        return document
    }

    // MARK: Revoking

    /// `{"jwts":[…]}`: tokens, or the `jti` of each. They are named here by whoever may revoke, so nothing is verified.
    func revoke(_ exchange: ServerRequest) async throws -> Response {
        let body = try await exchange.json()
        guard let entries = body["jwts"]?.array?.map(\.string), !entries.contains(nil) else {
            throw APIError(.badRequest, #""jwts" must be an array of tokens or of their "jti""#)
        }
        // Longer than any token lives that is not meant to live for ever.
        let distant = engine.now() + 10 * 365 * 86_400_000
        var revoked: [ByteOrdered: Timestamp] = [:]
        for entry in entries.compactMap({ $0 }) {
            if let claims = try? Claims(token: entry) {
                guard let id = claims.tokenID else {
                    throw APIError(.invalid, #"a token without "jti" cannot be revoked: it ends at its "exp""#)
                }
                revoked[ByteOrdered(id)] = claims.grant.expiresAt
            } else {
                guard !entry.isEmpty, entry.utf8.count <= 1024, !entry.utf8.contains(0) else {
                    throw APIError(.badRequest, #"a "jti" has 1 to 1,024 bytes"#)
                }
                revoked[ByteOrdered(entry)] = distant
            }
        }
        let now = engine.now()
        let list = revoked
        try await engine.writes.perform { store in
            for (id, expiry) in list { try store.revoke(tokenID: id.text, until: expiry) }
            // A day past its end a token is refused by its end alone, whatever the clocks do.
            try store.removeRevocations(before: now + -86_400_000)
        }
        engine.revoke(list.keys.map(\.text))
        return .data { $0.object { $0.member("revoked", list.count) } }
    }
}
