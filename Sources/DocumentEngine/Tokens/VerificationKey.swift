import Crypto
import FoundationEssentials
import JWTKit

/// A public key that tokens may be signed with, bound to one algorithm: a token whose header names another is
/// refused, whatever its signature (RFC 8725 section 3.1).
package struct VerificationKey: Sendable {
    package enum Algorithm: String, Hashable, Sendable, CaseIterable {
        case rs256 = "RS256"
        case rs512 = "RS512"
        case es256 = "ES256"
        case es512 = "ES512"
        case edDSA = "EdDSA"
    }

    package let algorithm: Algorithm
    private let key: any JWTAlgorithm

    /// An RSA key of less than 2,048 bits is not even read (RFC 7518 section 3.3).
    ///
    /// - Parameters:
    ///   - pem: a public key, PEM.
    ///   - algorithm: what it is bound to; nil: what the key's kind says, RS256 for RSA.
    package init(pem: String, algorithm: Algorithm? = nil) async throws(VerificationKeyError) {
        guard !pem.contains("PRIVATE KEY") else { throw .isPrivate }
        let keys = JWTKeyCollection()
        let found: Algorithm
        if let rsa = try? Insecure.RSA.PublicKey(pem: pem) {
            found = algorithm == .rs512 ? .rs512 : .rs256
            await keys.add(rsa: rsa, digestAlgorithm: found == .rs512 ? .sha512 : .sha256)
        } else if let p256 = try? ES256PublicKey(pem: pem) {
            found = .es256
            await keys.add(ecdsa: p256)
        } else if let p521 = try? ES512PublicKey(pem: pem) {
            found = .es512
            await keys.add(ecdsa: p521)
        } else if let ed = try? EdDSA.PublicKey(pem: pem) {
            found = .edDSA
            await keys.add(eddsa: ed)
        } else {
            throw .unreadable
        }
        if let algorithm, algorithm != found { throw .otherAlgorithm(wanted: algorithm, isFor: found) }
        guard let key = try? await keys.getKey() else { throw .unreadable }
        self.algorithm = found
        self.key = key
    }

    func verifies(_ signature: [UInt8], of text: some Sequence<UInt8>) -> Bool {
        (try? key.verify(signature, signs: Array(text))) ?? false
    }
}

/// Why a file is no key to verify tokens with.
package enum VerificationKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    case unreadable
    case isPrivate
    case otherAlgorithm(wanted: VerificationKey.Algorithm, isFor: VerificationKey.Algorithm)

    package var description: String {
        switch self {
        case .unreadable:
            """
            it is no public key in PEM of a kind we take: RSA of 2,048 bits or more, EC on P-256 or P-521, or Ed25519
            """
        case .isPrivate: "it holds a private key: the server needs the public one only"
        case .otherAlgorithm(let wanted, let isFor): "the key is for \(isFor.rawValue), not for \(wanted.rawValue)"
        }
    }
}
