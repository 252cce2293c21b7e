import Annotations
import Authorization
import Crypto
import Foundation

/// Signs tokens with a generated key (ES256, RFC 7518 section 3.4), as a customer's backend does.
package struct TokenMint: Sendable {
    /// The claims of a token, with defaults.
    package struct Claims: Sendable {
        package var document: String
        package var layer = ""
        package var user: String?
        package var creatorName: String?
        package var permissions = ["read-document", "write", "download"]
        /// nil: the claim is absent.
        package var collaboration: [String]?
        /// Seconds since 1970.
        package var expires: Int64 = 4_000_000_000
        /// Seconds since 1970; nil: the claim is absent.
        package var issued: Int64?
        package var id = UUID().uuidString

        package init(document: String, layer: String = "", user: String? = nil) {
            (self.document, self.layer, self.user, creatorName) = (document, layer, user, user)
        }
    }

    private let key = P256.Signing.PrivateKey()

    package init() {}

    package var publicKeyPEM: String { key.publicKey.pemRepresentation + "\n" }
    package var privateKeyPEM: String { key.pemRepresentation + "\n" }

    package func token(document: String, layer: String = "", user: String) throws -> String {
        try token(Claims(document: document, layer: layer, user: user))
    }

    package func token(_ claims: Claims) throws -> String {
        try Self.signed(["alg": "ES256", "typ": "JWT"], claims) {
            Array(try key.signature(for: $0).rawRepresentation)
        }
    }

    /// Returns a token signed with HMAC, with the public key as the shared secret: a server that lets tokens choose
    /// their algorithm would accept it.
    package func tokenSignedWithPublicKey(_ claims: Claims) throws -> String {
        let secret = SymmetricKey(data: Data(key.publicKey.pemRepresentation.utf8))
        return try Self.signed(["alg": "HS256", "typ": "JWT"], claims) {
            Array(HMAC<SHA256>.authenticationCode(for: $0, using: secret))
        }
    }

    package func unsignedToken(_ claims: Claims) throws -> String {
        try Self.signed(["alg": "none"], claims) { _ in [] }
    }

    private static func signed(
        _ header: JSON, _ claims: Claims, by sign: (Data) throws -> [UInt8]
    ) throws -> String {
        let content = Base64URL.encode(header.text.utf8) + "." + Base64URL.encode(claims.json.text.utf8)
        return content + "." + Base64URL.encode(try sign(Data(content.utf8)))
    }
}

extension TokenMint.Claims {
    fileprivate var json: JSON {
        var object = JSONObject()
        object["document_id"] = .string(document)
        object["layer"] = .string(layer)
        object["permissions"] = .array(permissions.map(JSON.string))
        object["exp"] = .number(JSONNumber(expires))
        object["jti"] = .string(id)
        if let issued { object["iat"] = .number(JSONNumber(issued)) }
        if let user { object["user_id"] = .string(user) }
        if let collaboration { object["collaboration_permissions"] = .array(collaboration.map(JSON.string)) }
        if let creatorName { object["creator_name"] = .string(creatorName) }
        return .object(object)
    }
}
