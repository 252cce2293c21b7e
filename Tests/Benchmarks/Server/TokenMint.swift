import Annotations
import Authorization
import Crypto
import Foundation

/// Signs tokens for measuring with a key that lives as long as the run (ES256, RFC 7518 section 3.4).
struct TokenMint {
    private let key = P256.Signing.PrivateKey()

    var publicKeyPEM: String { key.publicKey.pemRepresentation + "\n" }

    /// Everything allowed on one layer, for some hours.
    func token(document: String, layer: String = "", user: String) throws -> String {
        let header: JSON = ["alg": "ES256", "typ": "JWT"]
        let expiry = Int64(Date().timeIntervalSince1970) + 6 * 3600
        let claims: JSON = [
            "document_id": .string(document), "layer": .string(layer), "user_id": .string(user),
            "creator_name": .string(user), "permissions": ["read-document", "write", "download"],
            "exp": .number(JSONNumber(expiry)), "jti": .string(UUID().uuidString),
        ]
        let content = Base64URL.encode(header.text.utf8) + "." + Base64URL.encode(claims.text.utf8)
        let signature = try key.signature(for: Data(content.utf8)).rawRepresentation
        return content + "." + Base64URL.encode(signature)
    }
}
