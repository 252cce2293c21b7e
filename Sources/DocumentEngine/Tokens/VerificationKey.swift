import Annotations
import Crypto
import FoundationEssentials
import JWTKit

/// A public key for verifying tokens, bound to one algorithm: a token whose header names another is refused, whatever
/// its signature (RFC 8725 section 3.1).
package struct VerificationKey: Sendable {
    package enum Algorithm: String, Hashable, Sendable, CaseIterable {
        case rs256 = "RS256"
        case rs512 = "RS512"
        case es256 = "ES256"
        case es512 = "ES512"
        case edDSA = "EdDSA"
    }

    /// Identifies a key with its algorithm: bound to another algorithm, it is another key.
    package struct ID: Hashable, Sendable, CustomStringConvertible {
        package let algorithm: Algorithm
        /// SHA-256 of the key in DER, as lower-case hex: `openssl pkey -pubin -in FILE -outform DER | sha256sum`.
        package let fingerprint: String

        package var description: String { "\(algorithm.rawValue) \(fingerprint)" }
    }

    package let id: ID
    package var algorithm: Algorithm { id.algorithm }
    private let key: any JWTAlgorithm

    /// Reads a key. RSA keys of less than 2,048 bits are refused (RFC 7518 section 3.3).
    ///
    /// - Parameters:
    ///   - pem: a public key in PEM.
    ///   - algorithm: the algorithm to bind to; nil: that of the key's type, RS256 for RSA.
    package init(pem: String, algorithm: Algorithm? = nil) async throws(TokenKeyError) {
        guard !pem.contains(scalars: "PRIVATE KEY") else { throw .isPrivate }
        let keys = JWTKeyCollection()
        let (found, canonicalPEM): (Algorithm, String)
        if let rsa = try? Insecure.RSA.PublicKey(pem: pem) {
            (found, canonicalPEM) = (algorithm == .rs512 ? .rs512 : .rs256, rsa.pemRepresentation)
            await keys.add(rsa: rsa, digestAlgorithm: found == .rs512 ? .sha512 : .sha256)
        } else if let p256 = try? ES256PublicKey(pem: pem) {
            (found, canonicalPEM) = (.es256, p256.pemRepresentation)
            await keys.add(ecdsa: p256)
        } else if let p521 = try? ES512PublicKey(pem: pem) {
            (found, canonicalPEM) = (.es512, p521.pemRepresentation)
            await keys.add(ecdsa: p521)
        } else if let ed = try? EdDSA.PublicKey(pem: pem) {
            (found, canonicalPEM) = (.edDSA, ed.pemRepresentation)
            await keys.add(eddsa: ed)
        } else {
            throw .unreadable
        }
        if let algorithm, algorithm != found { throw .otherAlgorithm(wanted: algorithm, isFor: found) }
        guard let key = try? await keys.getKey() else { throw .unreadable }
        id = ID(algorithm: found, fingerprint: Self.fingerprint(ofPEM: canonicalPEM))
        self.key = key
    }

    private static func fingerprint(ofPEM pem: String) -> String {
        let lines = pem.split(whereScalar: \.isLineEnd).filter { !$0.begins(with: "-----") }
        return SHA256.hash(data: Base64.decode(lines.joined()) ?? []).hexadecimal
    }

    func verifies(_ signature: [UInt8], of text: some Sequence<UInt8>) -> Bool {
        (try? key.verify(signature, signs: Array(text))) ?? false
    }
}

/// Why a file cannot be used to verify or sign tokens.
package enum TokenKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    case unreadable
    case isPrivate
    case notAPrivateKey
    case otherAlgorithm(wanted: VerificationKey.Algorithm, isFor: VerificationKey.Algorithm)

    package var description: String {
        switch self {
        case .unreadable:
            """
            not a supported public key in PEM: RSA with at least 2,048 bits, EC on P-256 or P-521, or Ed25519
            """
        case .isPrivate: "this is a private key; the server needs only the public key"
        case .notAPrivateKey: "the key is not an EC (P-256 or P-521), Ed25519 or RSA private key in PEM form"
        case .otherAlgorithm(let wanted, let isFor): "the key is for \(isFor.rawValue), not for \(wanted.rawValue)"
        }
    }
}
