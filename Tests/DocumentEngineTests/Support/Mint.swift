import Annotations
import Authorization
import Crypto
import JWTKit

/// Signs any payload, including what no honest backend would sign.
struct Mint: Sendable {
    let algorithm: String
    let publicPEM: String
    private let signer: any JWTAlgorithm

    /// One key of each kind, created once for all tests.
    static let p256 = P256.Signing.PrivateKey()
    static let p521 = P521.Signing.PrivateKey()
    static let ed = Curve25519.Signing.PrivateKey()

    static func es256() async throws -> Mint {
        let key = try ES256PrivateKey(pem: p256.pemRepresentation)
        return try await Mint("ES256", key.publicKey.pemRepresentation) { await $0.add(ecdsa: key) }
    }

    static func es512() async throws -> Mint {
        let key = try ES512PrivateKey(pem: p521.pemRepresentation)
        return try await Mint("ES512", key.publicKey.pemRepresentation) { await $0.add(ecdsa: key) }
    }

    static func edDSA() async throws -> Mint {
        let key = EdDSA.PrivateKey(backing: ed)
        return try await Mint("EdDSA", key.publicKey.pemRepresentation) { await $0.add(eddsa: key) }
    }

    static func rs256() async throws -> Mint {
        let key = try Insecure.RSA.PrivateKey(pem: RSATestKey.privatePEM)
        return try await Mint("RS256", RSATestKey.publicPEM) { await $0.add(rsa: key, digestAlgorithm: .sha256) }
    }

    static func rs512() async throws -> Mint {
        let key = try Insecure.RSA.PrivateKey(pem: RSATestKey.privatePEM)
        return try await Mint("RS512", RSATestKey.publicPEM) { await $0.add(rsa: key, digestAlgorithm: .sha512) }
    }

    static func hs256(secret: String) async throws -> Mint {
        try await Mint("HS256", "") { await $0.add(hmac: HMACKey(from: secret), digestAlgorithm: .sha256) }
    }

    private init(
        _ algorithm: String, _ publicPEM: String, _ add: (JWTKeyCollection) async -> Void
    ) async throws {
        let keys = JWTKeyCollection()
        await add(keys)
        self.algorithm = algorithm
        self.publicPEM = publicPEM
        signer = try await keys.getKey()
    }

    /// - Parameters:
    ///   - header: JSON text; nil for the standard header.
    ///   - payload: JSON text.
    func token(header: String? = nil, _ payload: String) throws -> String {
        try token(header: header, payload: Array(payload.utf8))
    }

    func token(header: String? = nil, payload: [UInt8]) throws -> String {
        let header = header ?? #"{"alg":"\#(algorithm)","typ":"JWT"}"#
        let signed = [Array(header.utf8), payload].map { Base64URL.encode($0) }.joined(separator: ".")
        return signed + "." + Base64URL.encode(try signer.sign(Array(signed.utf8)))
    }

    func token(_ claims: TokenClaims) throws -> String { try token(claims.payload) }
}

/// The claims of one token, named as in the guide.
struct TokenClaims: Sendable {
    var document = "doc"
    var layer: String? = "review"
    var user: String? = "ana"
    /// JSON text.
    var permissions = #""all""#
    var collaboration: [String]?
    var defaultGroup: String?
    var creatorName: String?
    var expires = TestClock.start + 3_600_000
    var issued: Timestamp? = TestClock.start
    var id: String?

    var payload: String {
        var object = JSONObject()
        object["document_id"] = .string(document)
        object["layer"] = layer.map(JSON.string)
        object["user_id"] = user.map(JSON.string)
        object["permissions"] = try? JSON(parsing: permissions)
        object["collaboration_permissions"] = collaboration.map { .array($0.map(JSON.string)) }
        object["default_group"] = defaultGroup.map(JSON.string)
        object["creator_name"] = creatorName.map(JSON.string)
        object["exp"] = .number(JSONNumber(Double(expires.milliseconds) / 1000))
        object["iat"] = issued.map { .number(JSONNumber($0.milliseconds / 1000)) }
        object["jti"] = id.map(JSON.string)
        return JSON.object(object).text
    }
}
