package import Annotations
import JWTKit

/// Signs tokens with a private key, for development and tests. Production tokens come from the customer's backend; the
/// viewer never holds a private key (guide: authentication, "Security considerations").
package struct TokenIssuer: Sendable {
    /// The content of a token: the claims of the guide under their documented names.
    package struct Request: Sendable {
        package var documentID: String
        package var layer: String?
        package var userID: String?
        /// nil writes `"all"`.
        package var permissions: [String]?
        package var collaboration: [String]?
        package var defaultGroup: String?
        package var creatorName: String?
        package var expiresAt: Timestamp
        package var issuedAt: Timestamp?
        package var notBefore: Timestamp?
        package var tokenID: String?
        package var audience: [String] = []
        package var issuer: String?

        package init(documentID: String, expiresAt: Timestamp) {
            self.documentID = documentID
            self.expiresAt = expiresAt
        }
    }

    private let keys = JWTKeyCollection()
    package let algorithm: String

    /// - Parameter privateKeyPEM: an EC (P-256, P-521), Ed25519 or RSA private key in PEM. RSA keys sign RS256.
    /// - Throws: ``TokenKeyError/notAPrivateKey`` if it is none of these.
    package init(privateKeyPEM pem: String) async throws(TokenKeyError) {
        if let key = try? ES256PrivateKey(pem: pem) {
            algorithm = "ES256"
            await keys.add(ecdsa: key)
        } else if let key = try? ES512PrivateKey(pem: pem) {
            algorithm = "ES512"
            await keys.add(ecdsa: key)
        } else if let key = try? EdDSA.PrivateKey(pem: pem) {
            algorithm = "EdDSA"
            await keys.add(eddsa: key)
        } else if let key = try? Insecure.RSA.PrivateKey(pem: pem) {
            algorithm = "RS256"
            await keys.add(rsa: key, digestAlgorithm: .sha256)
        } else {
            throw .notAPrivateKey
        }
    }

    package func token(_ request: Request) async throws -> String {
        try await keys.sign(Payload(request))
    }
}

/// The payload as JWTKit serialises it. Nil members are omitted.
private struct Payload: JWTPayload {
    var documentID: String
    var layer: String?
    var userID: String?
    var permissions: Permissions
    var collaboration: [String]?
    var defaultGroup: String?
    var creatorName: String?
    var exp: Int64
    var iat: Int64?
    var nbf: Int64?
    var jti: String?
    var aud: [String]?
    var iss: String?

    enum CodingKeys: String, CodingKey {
        case documentID = "document_id"
        case layer
        case userID = "user_id"
        case permissions
        case collaboration = "collaboration_permissions"
        case defaultGroup = "default_group"
        case creatorName = "creator_name"
        case exp, iat, nbf, jti, aud, iss
    }

    enum Permissions: Codable {
        case all
        case some([String])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            self = if let list = try? container.decode([String].self) { .some(list) } else { .all }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .all: try container.encode("all")
            case .some(let list): try container.encode(list)
            }
        }
    }

    init(_ request: TokenIssuer.Request) {
        documentID = request.documentID
        layer = request.layer
        userID = request.userID
        permissions = request.permissions.map(Permissions.some) ?? .all
        collaboration = request.collaboration
        defaultGroup = request.defaultGroup
        creatorName = request.creatorName
        exp = request.expiresAt.milliseconds / 1000
        iat = request.issuedAt.map { $0.milliseconds / 1000 }
        nbf = request.notBefore.map { $0.milliseconds / 1000 }
        jti = request.tokenID
        aud = request.audience.isEmpty ? nil : request.audience
        iss = request.issuer
    }

    /// Never called: this type is only encoded.
    func verify(using _: some JWTAlgorithm) async throws {}
}
