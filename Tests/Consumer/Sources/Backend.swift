import Foundation
import Instant

/// The guide "Client authentication": your own server, which signs the JWTs.
actor Backend {
    private var current: String

    init(token: String) { current = token }

    /// A JWT for one layer: `document_id`, `permissions` and `exp`, and what else the guide lists.
    func token() -> String { current }

    func renewed(_ jwt: String) { current = jwt }
}

extension Application {
    /// The short form: the library asks for tokens itself, also after launch and when one expires.
    func useBackendForTokens() {
        instantClient.tokenProvider = { [backend] documentDescriptor in
            print("a token for \(documentDescriptor.identifier), layer '\(documentDescriptor.layerName)'")
            return await backend.token()
        }
    }

    /// What a token grants is known before it is sent anywhere.
    func explain(_ jwt: String) -> String {
        do {
            let documentDescriptor = try instantClient.documentDescriptor(forJWT: jwt)
            let user = documentDescriptor.userID ?? "an anonymous user"
            return "\(documentDescriptor.identifier), layer '\(documentDescriptor.layerName)', for \(user)"
        } catch {
            switch error.kind {
            case .invalidJWT: return "not a token for this server: \(error.message)"
            case .accessDenied: return "without read-document: \(error.message)"
            default: return error.message
            }
        }
    }

    /// The permissions of the layer: `download`, `read-document` and `write`.
    func permissions() -> Set<GeneralPermission> { documentDescriptor?.status.grant?.general ?? [] }

    func reauthenticate(withJWT jwt: String) async throws(InstantError) {
        await backend.renewed(jwt)
        try await documentDescriptor?.reauthenticateAndWait(withJWT: jwt)
    }
}
