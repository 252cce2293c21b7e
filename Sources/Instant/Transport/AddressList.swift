import Glibc

/// The addresses of this machine, as the bytes of their `sockaddr`.
enum AddressList {
    /// Those of interfaces that are up; the machine's own loopback is not among them.
    static func present() -> Set<[UInt8]> {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: Set<[UInt8]> = []
        for entry in sequence(first: first, next: { $0?.pointee.ifa_next }) {
            guard let entry = entry?.pointee, let address = entry.ifa_addr,
                entry.ifa_flags & UInt32(IFF_UP) != 0, entry.ifa_flags & UInt32(IFF_LOOPBACK) == 0,
                let length = length(of: Int32(address.pointee.sa_family))
            else { continue }
            found.insert(Array(UnsafeRawBufferPointer(start: address, count: length)))
        }
        return found
    }

    private static func length(of family: Int32) -> Int? {
        switch family {
        case AF_INET: MemoryLayout<sockaddr_in>.size
        case AF_INET6: MemoryLayout<sockaddr_in6>.size
        default: nil
        }
    }
}
