import AsyncHTTPClient
package import FoundationEssentials
import InstantCore
import NIOCore
package import SyncProtocol

extension InstantClient {
    /// Asks the server for its verdict on a token. Stores nothing, and uses the token for nothing else.
    ///
    /// - Returns: the verdict; without a key if no key of the server verifies the token.
    /// - Throws: `oldServer` if the server cannot check tokens; otherwise as for every request.
    package func verdict(onJWT jwt: String) async throws(InstantError) -> TokenVerdict {
        try await transport().verdict(on: jwt)
    }

    /// Asks without a client, and so without local storage.
    package static func verdict(
        onJWT jwt: String, serverURL: URL, allowsInsecureHTTP: Bool = false
    ) async throws(InstantError) -> TokenVerdict {
        let address = try ServerAddress(serverURL)
        return try await HTTPTransport(http: .shared, address: address, allowsInsecureHTTP: allowsInsecureHTTP)
            .verdict(on: jwt)
    }
}

extension HTTPTransport {
    /// Whether a token may be sent to the server.
    var allowsToken: Bool { (try? SecretRecipient(address, allowsInsecureHTTP: allowsInsecureHTTP)) != nil }

    fileprivate func verdict(on token: String) async throws(InstantError) -> TokenVerdict {
        guard allowsToken else { throw .insecure }
        do throws(SyncFailure) {
            let response = try await wholeAnswer(try request(.GET, "token", token: token), nil, limit: maximumBytes)
            guard response.status != .ok else {
                let bytes = try await collect(response, limit: maximumBytes)
                do { return try TokenVerdict(bytes: bytes) } catch { throw notOurs("invalid response: \(error)") }
            }
            guard [401, 404].contains(response.status.code) else {
                try await check(response)
                throw notOurs("it returned \(response.status.code)")
            }
            let answer = try? ErrorAnswer(bytes: try await collect(response, limit: 64 << 10))
            switch (response.status.code, answer?.known) {
            case (401, _?): return TokenVerdict(refusal: answer)
            case (404, .notFound?):
                throw SyncFailure.oldServer("\(address.host) cannot check tokens; it is too old")
            default: throw notOurs("it returned \(response.status.code) with an unknown error")
            }
        } catch { throw InstantError(error) }
    }
}

extension InstantError {
    package static let insecure = InstantError(
        .invalidRequest, "tokens are not sent over plain http to another machine",
        recoverySuggestion: "Use an https address, or create the client with allowsInsecureHTTP.")
}
