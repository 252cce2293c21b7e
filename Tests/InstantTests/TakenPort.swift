import Foundation
import Glibc

/// A port without a listener that nothing else can bind.
final class TakenPort {
    let number: UInt16
    private let socket: Int32

    init() throws { (socket, number) = try Self.bound() }

    deinit { close(socket) }

    /// Lets clients connect, and never answers them.
    func listen() throws {
        guard Glibc.listen(socket, 1024) == 0 else { throw POSIXError(.EADDRINUSE) }
    }

    /// A socket on a free local port; the caller closes it.
    static func bound() throws -> (socket: Int32, port: UInt16) {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
        return (socket, UInt16(bigEndian: address.sin_port))
    }
}
