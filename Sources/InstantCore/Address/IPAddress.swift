import Annotations

/// An IP address as addresses of servers write it.
package enum IPAddress: Hashable, Sendable {
    /// Four bytes.
    case four([UInt8])
    /// Eight numbers of 16 bits.
    case six([UInt16])

    /// Reads the host of an address: `127.0.0.1` or `[::1]`.
    ///
    /// - Returns: nil for a name. So are the forms of IPv4 that only some programs accept, and that name different
    ///   addresses for them: `127.1`, `0177.0.0.1`, `0x7f000001`.
    package init?(_ host: String) {
        if host.utf8.first == UInt8(ascii: "["), host.utf8.last == UInt8(ascii: "]") {
            guard let address = Self.six(host.dropFirst().dropLast()) else { return nil }
            self = address
        } else {
            guard let bytes = Self.four(host[...]) else { return nil }
            self = .four(bytes)
        }
    }

    /// Whether it is an address of this machine: `127.0.0.0/8`, `::1`, or `::ffff:127.0.0.0/104`.
    package var isLoopback: Bool {
        switch self {
        case .four(let bytes): bytes[0] == 127
        case .six(let parts):
            parts == [0, 0, 0, 0, 0, 0, 0, 1] || parts[..<6] == [0, 0, 0, 0, 0, 0xFFFF] && parts[6] >> 8 == 127
        }
    }

    /// Whether a host is this machine: `localhost` or an address, an IPv6 address with or without brackets.
    package static func isLoopback(host: String) -> Bool {
        let name = host.dropping(suffix: ".").map(String.init) ?? host
        return name.lowercased().isExactly("localhost")
            || (IPAddress(host) ?? six(host[...]))?.isLoopback ?? false
    }

    /// Reads four decimal numbers without leading zeros.
    private static func four(_ text: Substring) -> [UInt8]? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let bytes = parts.compactMap { digits -> UInt8? in
            guard (1...3).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
                digits.count == 1 || digits.first != UInt8(ascii: "0")
            else { return nil }
            return UInt8(Substring(digits))
        }
        return parts.count == 4 && bytes.count == 4 ? bytes : nil
    }

    /// Reads an address without brackets (RFC 4291, section 2.2).
    static func six(_ text: Substring) -> IPAddress? {
        let bytes = Array(text.utf8)
        // The place of the two colons that stand for the zeros.
        let gap = bytes.indices.dropLast().first {
            bytes[$0] == UInt8(ascii: ":") && bytes[$0 + 1] == UInt8(ascii: ":")
        }
        guard let gap else {
            guard let parts = numbers(bytes[...]), parts.count == 8 else { return nil }
            return .six(parts)
        }
        guard let head = numbers(bytes[..<gap], isLast: false), let tail = numbers(bytes[(gap + 2)...]),
            head.count + tail.count < 8
        else { return nil }
        return .six(head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail)
    }

    /// Reads hexadecimal numbers between colons; the last one may be an IPv4 address.
    private static func numbers(_ bytes: ArraySlice<UInt8>, isLast: Bool = true) -> [UInt16]? {
        if bytes.isEmpty { return [] }
        var numbers: [UInt16] = []
        let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if isLast, index == parts.count - 1, let four = four(Substring(String(decoding: part, as: UTF8.self))) {
                numbers += [UInt16(four[0]) << 8 | UInt16(four[1]), UInt16(four[2]) << 8 | UInt16(four[3])]
                continue
            }
            guard (1...4).contains(part.count) else { return nil }
            var number: UInt16 = 0
            for byte in part {
                guard let digit = byte.hexadecimalValue else { return nil }
                number = number << 4 | UInt16(digit)
            }
            numbers.append(number)
        }
        return numbers
    }
}
