package import AsyncHTTPClient
package import InstantCore
package import NIOHTTP1

/// A token, or another text that lets its owner act on a server. It cannot be read or printed: it leaves this process
/// only in a request that a ``SecretRecipient`` makes.
package struct Secret: Sendable {
    private let name: String
    private let value: String

    private init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

    /// A user's token.
    package static func token(_ token: String) -> Secret { Secret("authorization", "Bearer \(token)") }

    /// The secret of a customer's backend.
    package static func backend(_ secret: String) -> Secret { Secret("authorization", "Token token=\"\(secret)\"") }

    /// A header line: `Authorization: Bearer …`.
    ///
    /// - Returns: nil without a colon, or with a character that a header cannot have.
    package init?(headerLine line: String) {
        guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")), colon != line.startIndex,
            line.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
        else { return nil }
        let value = line[line.utf8.index(after: colon)...]
        self.init(String(line[..<colon]), String(value.drop { $0 == " " || $0 == "\t" }))
    }

    fileprivate func add(to headers: inout HTTPHeaders) { headers.add(name: name, value: value) }
}

/// A server that may be sent secrets, and from which a secret may be received: over https, on this machine, or over plain
/// http that the user allowed. Every request with a secret is made here, so that none passes the check by.
package struct SecretRecipient: Hashable, Sendable {
    package let address: ServerAddress

    /// - Throws: ``InsecureAddress`` for another machine that is reached over plain http, unless that is allowed.
    package init(_ address: ServerAddress, allowsInsecureHTTP: Bool) throws(InsecureAddress) {
        guard address.isEncrypted || address.isLoopback || allowsInsecureHTTP else {
            throw InsecureAddress(host: address.host)
        }
        self.address = address
    }

    /// Returns a request for ``HTTPClients``.
    ///
    /// - Parameters:
    ///   - target: A path and a query.
    ///   - secret: nil if only the answer is secret.
    package func request(_ method: HTTPMethod, _ target: String, _ secret: Secret?) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: address.canonical + target)
        request.method = method
        // The client sends none to a socket, and a request needs one (RFC 9112, section 3.2).
        if address.isSocket { request.headers.add(name: "host", value: "localhost") }
        secret?.add(to: &request.headers)
        return request
    }
}

/// Secrets are not sent to this host, because others could read them on the way.
package struct InsecureAddress: Error, Hashable, Sendable, CustomStringConvertible {
    package let host: String

    package var description: String { "\(host) is another machine, and plain http is not secret" }
}

extension HTTPClientResponse {
    /// Says where a redirect leads, without what may be secret in an address; nil for any other response. Secrets are
    /// never sent to where a server points.
    package var redirect: String? {
        guard (300..<400).contains(status.code) else { return nil }
        guard let location = headers.first(name: "location") else { return "a redirect, which is not followed" }
        let visible = location.utf8.prefix {
            $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
        }
        var target = String(decoding: visible.prefix(200), as: UTF8.self)
        // A user and a password.
        if let scheme = target.firstRange(of: "://") {
            let authority = target[scheme.upperBound...].prefix { $0 != "/" }
            if let at = authority.lastIndex(of: "@") { target.removeSubrange(scheme.upperBound...at) }
        }
        return "a redirect to \(target), which is not followed"
    }
}
