import Annotations

/// The address of a server: http or https, a host, and optionally a port and a path; or http+unix and the percent-encoded
/// path of a socket on this machine.
///
/// Everything that connects to a server reads its address here, so that a check and the connection that follows it never
/// understand an address differently.
package struct ServerAddress: Hashable, Sendable {
    /// Its one form, `https://example.com:8443/sync`: scheme and host in lower case, no default port, no trailing slash,
    /// percent-encodings in upper case (RFC 3986, sections 6.2.2.1 and 6.2.3). Local stores are kept under it.
    package let canonical: String
    /// The host, for messages: in lower case, an IPv6 address in brackets.
    package let host: String
    package let isEncrypted: Bool
    /// Whether the server is behind a Unix socket.
    package let isSocket: Bool
    /// Whether the host is `localhost`, which is an address of this machine whatever a resolver says (RFC 6761, section
    /// 6.3).
    package let isLocalhost: Bool
    /// Whether the server is on this machine, so that what is sent to it does not leave the machine.
    package let isLoopback: Bool

    package init(_ text: String) throws(InvalidAddress) {
        var text = Substring(text)
        while text.utf8.last == UInt8(ascii: "/") { text.removeLast() }
        guard let parts = AddressParts(text) else { throw .form }
        (isSocket, isEncrypted) = (parts.scheme == "http+unix", parts.scheme == "https")
        guard isSocket || isEncrypted || parts.scheme == "http" else { throw .scheme }
        guard !isSocket else {
            guard let path = PercentEncoding.decode(parts.authority), path.utf8.first == UInt8(ascii: "/") else {
                throw .form
            }
            canonical = "http+unix://\(parts.authority)\(parts.path)"
            (host, isLocalhost, isLoopback) = ("the engine on this machine", false, true)
            return
        }
        let (name, port) = try parts.hostAndPort()
        let bare = name.dropping(suffix: ".").map(String.init) ?? name
        isLocalhost = bare.isExactly("localhost")
        isLoopback = IPAddress.isLoopback(host: name)
        host = isLocalhost ? bare : name
        let isDefault = port == nil || port == (isEncrypted ? 443 : 80)
        canonical = "\(parts.scheme)://\(host)\(isDefault ? "" : ":\(port ?? 0)")\(parts.path.withUpperCaseEscapes)"
    }

    /// Reads an address as a person types it: one without a scheme is http on this machine, and https elsewhere.
    ///
    /// - Returns: The address, and whether its scheme was added.
    package static func typed(_ text: String) throws(InvalidAddress) -> (address: ServerAddress, isCompleted: Bool) {
        guard text.utf8Range(of: "://") == nil else { return (try ServerAddress(text), false) }
        let local = try ServerAddress("http://" + text)
        return (local.isLoopback ? local : try ServerAddress("https://" + text), true)
    }

    /// Reads the address of a resource, which may have a query.
    ///
    /// - Returns: The address of its server, and the rest: a path and a query, as in a request.
    package static func resource(
        _ text: String
    ) throws(InvalidAddress) -> (server: ServerAddress, target: String) {
        guard let start = text.utf8Range(of: "://")?.upperBound else { throw .scheme }
        let end = text.utf8[start...].firstIndex { [UInt8(ascii: "/"), UInt8(ascii: "?")].contains($0) }
        let server = try ServerAddress(String(text[..<(end ?? text.endIndex)]))
        let target = text[(end ?? text.endIndex)...]
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "#") }) else { throw .form }
        return (server, target.utf8.first == UInt8(ascii: "/") ? String(target) : "/" + target)
    }
}

/// Why a text is not the address of a server.
package enum InvalidAddress: Error, Hashable, Sendable, CustomStringConvertible {
    case scheme
    case form
    case port(String)

    package var description: String {
        switch self {
        case .scheme: "a server address begins with https:// (or http:// on this machine)"
        case .form: "a server address looks like https://example.com:8443, without a user or a query"
        case .port(let text): "\(text) is not a port; ports are numbers from 1 to 65535"
        }
    }

    /// What is wrong with an address that a person typed.
    package func sentence(about text: String) -> String {
        if case .port = self { return "\(text): \(self)" }
        return "\(text) is not a server address such as http://127.0.0.1:5000"
    }
}

/// The parts of an address (RFC 3986, section 3).
private struct AddressParts {
    /// In lower case.
    let scheme: String
    let authority: Substring
    /// Empty, or from its first slash.
    let path: Substring

    /// - Returns: nil for what has no scheme or authority, has a user, a query or a fragment, or a character that an
    ///   address cannot have.
    init?(_ text: Substring) {
        let forbidden = Set(#"?#\"<>^`{|}"#.utf8)
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !forbidden.contains($0) }),
            let colon = text.utf8Range(of: "://")
        else { return nil }
        scheme = text[..<colon.lowerBound].lowercased()
        let rest = text[colon.upperBound...]
        let slash = rest.utf8.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        (authority, path) = (rest[..<slash], rest[slash...])
        guard !authority.isEmpty, !authority.utf8.contains(UInt8(ascii: "@")) else { return nil }
    }

    /// - Returns: The host in lower case, and the port; nil if it is not stated.
    func hostAndPort() throws(InvalidAddress) -> (host: String, port: Int?) {
        let colon: Substring.Index?
        if authority.utf8.first == UInt8(ascii: "[") {
            guard let end = authority.utf8.firstIndex(of: UInt8(ascii: "]")) else { throw .form }
            let next = authority.utf8.index(after: end)
            guard next == authority.endIndex || authority.utf8[next] == UInt8(ascii: ":") else { throw .form }
            colon = next == authority.endIndex ? nil : next
        } else {
            colon = authority.utf8.firstIndex(of: UInt8(ascii: ":"))
        }
        let host = authority[..<(colon ?? authority.endIndex)]
        guard Self.isHost(host) else { throw .form }
        guard let colon else { return (host.lowercased(), nil) }
        let digits = authority[authority.utf8.index(after: colon)...]
        // An empty port is the default one.
        guard !digits.isEmpty else { return (host.lowercased(), nil) }
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(digits),
            (1...65_535).contains(port)
        else { throw .port(String(digits)) }
        return (host.lowercased(), port)
    }

    /// A name of letters, digits, hyphens, underscores and dots, or an IPv6 address in brackets.
    private static func isHost(_ text: Substring) -> Bool {
        if text.utf8.first == UInt8(ascii: "[") {
            // A zone, as in [fe80::1%25eth0], is for the system to resolve.
            guard let address = text.dropping(prefix: "[")?.dropping(suffix: "]") else { return false }
            let zone = address.utf8Range(of: "%25")
            return IPAddress.six(address[..<(zone?.lowerBound ?? address.endIndex)]) != nil
        }
        let others = Set("-_.".utf8)
        return !text.isEmpty && text.utf8.first != UInt8(ascii: ".")
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || others.contains(byte)
            }
    }
}

extension StringProtocol {
    /// The first place of an ASCII text.
    fileprivate func utf8Range(of wanted: String) -> Range<Index>? {
        let wanted = Array(wanted.utf8)
        var start = startIndex
        while start < endIndex {
            if utf8[start...].starts(with: wanted) { return start..<utf8.index(start, offsetBy: wanted.count) }
            start = utf8.index(after: start)
        }
        return nil
    }
}

extension Substring {
    /// `%c3` as `%C3`.
    fileprivate var withUpperCaseEscapes: String {
        var digits = 0
        let bytes = utf8.map { byte in
            let isDigit = digits > 0
            digits = byte == UInt8(ascii: "%") ? 2 : digits - 1
            return isDigit && (0x61...0x7A).contains(byte) ? byte - 0x20 : byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
