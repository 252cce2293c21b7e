import Annotations
package import FoundationEssentials

/// The address of a server: http or https, a host, and optionally a port and a path; or http+unix and the percent-encoded
/// path of a socket on this machine.
package struct ServerAddress: Hashable, Sendable {
    /// Without a trailing slash: `https://example.com:8443/sync`.
    package let text: String
    package let host: String
    package let isEncrypted: Bool
    /// Whether the server is behind a Unix socket.
    let isSocket: Bool

    /// - Throws: ``InstantError`` (`invalidRequest`) with a sentence for the user.
    package init(_ url: URL) throws(InstantError) {
        let scheme = url.scheme?.lowercased() ?? ""
        isSocket = scheme == "http+unix"
        guard scheme == "http" || scheme == "https" || isSocket else {
            throw InstantError(.invalidRequest, "a server address begins with https:// (or http:// on this machine)")
        }
        guard let host = url.host(percentEncoded: false), !host.isEmpty, url.user == nil, url.query == nil,
            url.fragment == nil
        else {
            throw InstantError(
                .invalidRequest, "a server address looks like https://example.com:8443, without a user or a query")
        }
        var text = url.absoluteString
        while let shorter = text.dropping(suffix: "/") { text = String(shorter) }
        self.text = text
        self.host = isSocket ? "the engine on this machine" : host.lowercased()
        isEncrypted = scheme == "https"
    }

    /// Whether the server is on this machine, so that what is sent to it does not leave the machine.
    package var isLoopback: Bool {
        if isSocket { return true }
        let bare = (host.dropping(prefix: "[") ?? host[...]).prefix(whileScalar: { $0 != "]" })
        return bare == "localhost" || bare == "::1" || Self.isLoopback4(bare)
    }

    private static func isLoopback4(_ text: Substring) -> Bool {
        let parts = text.split(scalar: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { UInt8($0) != nil && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    }

    /// Returns the `key=value` pairs of a query, percent-encoded; nil values are left out.
    static func query(_ items: [(String, String?)]) -> String {
        let pairs = items.compactMap { key, value in value.map { "\(key)=\(PercentEncoding.encode($0))" } }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }
}
