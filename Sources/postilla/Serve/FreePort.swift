import Glibc

/// Checks whether a port can be listened on.
enum FreePort {
    /// Why a port cannot be listened on. `isOfHost` is true if another port would not help.
    struct Problem {
        var reason: String
        var isOfHost = false
    }

    static func isFree(_ port: Int, on host: String) -> Bool { problem(port, on: host) == nil }

    /// - Parameter host: A name or an address. If a name has several addresses, the port must be free on each. Port 0
    ///   is always free.
    /// - Returns: nil if the port can be listened on.
    static func problem(_ port: Int, on host: String) -> Problem? {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = streams
        hints.ai_flags = AI_PASSIVE
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &found) == 0, let first = found else {
            return Problem(reason: "unknown host name", isOfHost: true)
        }
        defer { freeaddrinfo(first) }
        return sequence(first: first, next: { $0.pointee.ai_next }).lazy.compactMap { problem($0.pointee) }.first
    }

    private static func problem(_ address: addrinfo) -> Problem? {
        let descriptor = socket(address.ai_family, streams, 0)
        // Without support for the address family the port cannot be in use.
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var reuse: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        if bind(descriptor, address.ai_addr, address.ai_addrlen) == 0, listen(descriptor, 1) == 0 { return nil }
        return switch errno {
        case EADDRINUSE: Problem(reason: "the address is in use")
        case EADDRNOTAVAIL: Problem(reason: "this machine does not have this address", isOfHost: true)
        case EACCES: Problem(reason: "permission denied")
        default: Problem(reason: String(cString: strerror(errno)))
        }
    }

    private static let streams = Int32(SOCK_STREAM.rawValue)
}
