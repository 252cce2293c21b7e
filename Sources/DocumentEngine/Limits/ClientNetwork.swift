import Glibc

/// Whose address it is, as far as an address tells: of IPv6 the first 64 bits, which is what one customer gets (RFC 6177),
/// and who has one address of them has all.
enum ClientNetwork {
    /// - Parameter address: as text; what is no address stands for itself.
    static func of(_ address: String) -> String {
        var bytes = in6_addr()
        guard inet_pton(AF_INET6, address, &bytes) == 1 else { return address }
        return withUnsafeBytes(of: bytes) { bytes in
            // An IPv4 address in the clothes of IPv6 (RFC 4291, section 2.5.5.2).
            let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            if isMapped { return bytes[12...].map { String($0) }.joined(separator: ".") }
            return bytes[..<8].map { String($0, radix: 16) }.joined(separator: ":") + "/64"
        }
    }
}
