import Annotations
package import FoundationEssentials

/// The address of a server: http or https, a host, perhaps a port and a path; nothing else.
package struct ServerAddress: Hashable, Sendable {
    /// Without a slash at its end: `https://example.com:8443/sync`.
    package let text: String
    package let host: String
    package let isEncrypted: Bool

    /// - Throws: ``InstantError`` with a sentence for the person who typed it.
    package init(_ url: URL) throws(InstantError) {
        let scheme = url.scheme?.lowercased() ?? ""
        guard scheme == "http" || scheme == "https" else {
            throw InstantError(.invalidRequest, "a server's address begins with https:// (or http:// on this machine)")
        }
        guard let host = url.host(percentEncoded: false), !host.isEmpty, url.user == nil, url.query == nil,
            url.fragment == nil
        else {
            throw InstantError(
                .invalidRequest, "a server's address is like https://example.com:8443, without user or question mark")
        }
        var text = url.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        self.text = text
        self.host = host.lowercased()
        isEncrypted = scheme == "https"
    }

    /// This machine itself: what is sent there does not leave it.
    package var isLoopback: Bool {
        let bare = host.trimmingPrefix("[").prefix { $0 != "]" }
        return bare == "localhost" || bare == "::1" || Self.isLoopback4(bare)
    }

    private static func isLoopback4(_ text: Substring) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// `key=value` pairs of a query, percent-encoded; nils are left out.
    static func query(_ items: [(String, String?)]) -> String {
        let pairs = items.compactMap { key, value in value.map { "\(key)=\(PercentEncoding.encode($0))" } }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }
}
