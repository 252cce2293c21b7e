import Dispatch
import Glibc
import Synchronization

/// A watch that reports when this machine may have a network again, so that a wait for the next attempt can end.
///
/// The kernel reports changes on a netlink socket, at no cost while nothing changes. Where no such socket can be
/// opened, as in some containers, the addresses of the machine are polled every few seconds.
final class NetworkWatch: Sendable {
    /// Seconds between two polls of the addresses.
    private static let pollSeconds = 5

    private let stop: @Sendable () -> Void

    /// - Parameter returned: Called on a queue of the watch, until the watch is released.
    init(returned: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "postilla.network")
        stop = Self.listen(on: queue, returned) ?? Self.poll(on: queue, returned)
    }

    deinit { stop() }

    /// IPv4 and IPv6, addresses and routes (linux/rtnetlink.h).
    private static let groups: UInt32 = 0x10 | 0x40 | 0x100 | 0x400

    /// - Returns: A closure that stops the watch; nil if the socket cannot be opened.
    private static func listen(
        on queue: DispatchQueue, _ returned: @escaping @Sendable () -> Void
    ) -> (@Sendable () -> Void)? {
        let descriptor = socket(
            AF_NETLINK, Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        // struct sockaddr_nl: family, padding, the port (chosen by the kernel), groups.
        var address: (UInt16, UInt16, UInt32, UInt32) = (UInt16(AF_NETLINK), 0, 0, groups)
        let size = socklen_t(MemoryLayout.size(ofValue: address))
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
        }
        guard isBound else {
            close(descriptor)
            return nil
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { if hasNews(descriptor) { returned() } }
        source.setCancelHandler { close(descriptor) }
        source.resume()
        return Ending(source).end
    }

    /// Reads everything available, so that a burst is reported once.
    private static func hasNews(_ descriptor: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        var hasNews = false
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 {
                hasNews = RouteMessages.bringNetwork(buffer[..<count]) || hasNews
            } else if count < 0, errno == ENOBUFS {
                // Messages were lost: one of them may have mattered.
                hasNews = true
            } else {
                return hasNews
            }
        }
    }

    static func poll(
        on queue: DispatchQueue, _ returned: @escaping @Sendable () -> Void,
        addresses: @escaping @Sendable () -> Set<[UInt8]> = AddressList.present
    ) -> @Sendable () -> Void {
        let known = Mutex(addresses())
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + .seconds(pollSeconds), repeating: .seconds(pollSeconds), leeway: .seconds(1))
        timer.setEventHandler {
            let present = addresses()
            let isNew = known.withLock { known in
                defer { known = present }
                return !present.isSubset(of: known)
            }
            if isNew { returned() }
        }
        timer.resume()
        return Ending(timer).end
    }

    /// A dispatch source may be cancelled from any thread, but its type is not Sendable.
    private struct Ending: @unchecked Sendable {
        private let source: any DispatchSourceProtocol

        init(_ source: any DispatchSourceProtocol) { self.source = source }

        var end: @Sendable () -> Void { { [self] in source.cancel() } }
    }
}

/// The Linux kernel's messages about addresses and routes (rtnetlink(7)): each has a header of 16 bytes (length and
/// kind first, in native byte order) and a body; the next one starts at a multiple of four.
enum RouteMessages {
    private static let newAddress: UInt16 = 20
    private static let newRoute: UInt16 = 24
    private static let headerBytes = 16

    /// Whether an address or a route was added, so that a server may be reachable again. A removal is no reason to
    /// retry.
    static func bringNetwork(_ bytes: some Collection<UInt8>) -> Bool {
        let bytes = Array(bytes)
        return bytes.withUnsafeBytes { bytes in
            var start = 0
            while start + headerBytes <= bytes.count {
                let length = Int(bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self))
                let kind = bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt16.self)
                guard length >= headerBytes else { return false }
                if kind == newAddress || kind == newRoute { return true }
                start += (length + 3) & ~3
            }
            return false
        }
    }
}

/// The addresses of this machine, as the bytes of their `sockaddr`.
enum AddressList {
    /// Returns those of interfaces that are up, without loopback.
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
