import Foundation

/// Many connections that listen to a server on this machine, read by one thread (poll(2)).
final class Audience {
    private let port: UInt16
    private var watched: [pollfd] = []
    /// By descriptor.
    private(set) var ears: [Int32: Ear] = [:]
    /// The number of listeners that have received each revision, and when the last one did.
    private(set) var heard: [Int64: (count: Int, last: ContinuousClock.Instant)] = [:]
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)

    init(port: UInt16) { self.port = port }

    deinit { for descriptor in ears.keys { close(descriptor) } }

    var open: Int { ears.values.count { $0.isOpen && !$0.isClosed } }

    /// Opens this many more connections, and waits until each stream has reported that it is open.
    ///
    /// - Parameter request: Returns the bytes that the listener with this number sends.
    func grow(by count: Int, request: (Int) throws -> [UInt8]) throws {
        // Not all at once, because the kernel limits the number of connections that are not yet accepted.
        for start in stride(from: 0, to: count, by: 200) {
            for number in start..<min(start + 200, count) { try connect(number, try request(number)) }
            try listen(for: .seconds(60), what: "streams to open") { self.open == self.ears.count }
        }
    }

    /// Reads until the condition holds.
    func listen(for limit: Duration, what: String, until isEnough: () -> Bool) throws {
        let end = ContinuousClock.now + limit
        while !isEnough() {
            guard ContinuousClock.now < end else { throw BenchmarkError("waited \(limit) in vain for \(what)") }
            read(milliseconds: 20)
        }
    }

    /// Reads for this long.
    func listen(for time: Duration) {
        let end = ContinuousClock.now + time
        while ContinuousClock.now < end { read(milliseconds: 20) }
    }

    private func read(milliseconds: Int32) {
        guard poll(&watched, nfds_t(watched.count), milliseconds) > 0 else { return }
        for index in watched.indices where watched[index].revents != 0 {
            // poll(2) ignores a negative descriptor from then on.
            if !read(watched[index].fd) { watched[index].fd = -1 }
        }
    }

    /// - Returns: Whether more may arrive.
    private func read(_ descriptor: Int32) -> Bool {
        let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        guard count > 0 else {
            if count < 0, errno == EAGAIN { return true }
            ears[descriptor]?.isClosed = true
            return false
        }
        ears[descriptor]?.hear(buffer[..<count]) { revision in
            heard[revision] = ((heard[revision]?.count ?? 0) + 1, .now)
        }
        return true
    }

    /// Connects from one of several addresses of this machine, so that there are enough ports.
    private func connect(_ number: Int, _ request: [UInt8]) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw BenchmarkError("no socket: \(String(cString: strerror(errno)))") }
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, &yes, socklen_t(MemoryLayout<Int32>.size))
        let isConnected =
            Self.with(address: 0x7F00_0002 + UInt32(number % 8), port: 0) { bind(descriptor, $0, $1) == 0 }
            && Self.with(address: 0x7F00_0001, port: port) { Foundation.connect(descriptor, $0, $1) == 0 }
            && send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count
        guard isConnected else {
            close(descriptor)
            throw BenchmarkError("listener \(number): \(String(cString: strerror(errno)))")
        }
        watched.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
        ears[descriptor] = Ear()
    }

    private static func with<Result>(
        address: UInt32, port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = address.bigEndian
        return withUnsafePointer(to: name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }
}
