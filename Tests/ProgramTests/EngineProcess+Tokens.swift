import Crypto
import Foundation

extension EngineProcess {
    /// What a token of a story says; everything has a usual value.
    struct Claims {
        var document = "paper"
        var layer = "review"
        var user: String? = "ana"
        var permissions = ["read-document", "write", "download"]
        var expires = 4_000_000_000
        var id = UUID().uuidString
    }

    /// A token signed with ES256.
    func token(_ change: (inout Claims) -> Void = { _ in }) throws -> String {
        try signed(#"{"alg":"ES256","typ":"JWT"}"#, change) { try key.signature(for: $0).rawRepresentation }
    }

    func token(_ user: String, reading: Bool = false) throws -> String {
        try token {
            $0.user = user
            if reading { $0.permissions = ["read-document", "download"] }
        }
    }

    /// Signed with HMAC, the public key as the shared secret: what a server accepts that lets tokens choose how they
    /// are checked.
    func tokenSignedWithPublicKey() throws -> String {
        let secret = SymmetricKey(data: Data(key.publicKey.pemRepresentation.utf8))
        return try signed(#"{"alg":"HS256","typ":"JWT"}"#) {
            Data(HMAC<SHA256>.authenticationCode(for: $0, using: secret))
        }
    }

    func unsignedToken() throws -> String { try signed(#"{"alg":"none"}"#) { _ in Data() } }

    private func signed(
        _ header: String, _ change: (inout Claims) -> Void = { _ in }, _ sign: (Data) throws -> Data
    ) throws -> String {
        var claims = Claims()
        change(&claims)
        var payload: [String: Any] = [
            "document_id": claims.document, "layer": claims.layer, "permissions": claims.permissions,
            "exp": claims.expires, "jti": claims.id,
        ]
        if let user = claims.user {
            payload["user_id"] = user
            payload["creator_name"] = user.capitalized
        }
        let body = try JSONSerialization.data(withJSONObject: payload)
        let text = Self.base64URL(Data(header.utf8)) + "." + Self.base64URL(body)
        return text + "." + Self.base64URL(try sign(Data(text.utf8)))
    }

    private static func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
