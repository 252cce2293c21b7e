import Foundation
import Glibc

/// A non-blocking local TCP connection that can be closed in every way.
final class RawSocket {
    private(set) var descriptor: Int32

    enum Outcome {
        case bytes([UInt8])
        case nothingYet
        /// The peer closed its side in order.
        case end
        /// The connection is gone.
        case reset
    }

    /// - Parameter receiveBuffer: The system's receive buffer in bytes; nil for the default.
    /// - Returns: nil if nothing listens there.
    init?(port: Int, receiveBuffer: Int? = nil) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        if let receiveBuffer { set(SO_RCVBUF, Int32(receiveBuffer)) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else {
            close()
            return nil
        }
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    deinit { close() }

    private func set(_ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// - Returns: The number of bytes sent; nil if the connection is gone.
    func send(_ bytes: ArraySlice<UInt8>) -> Int? {
        let count = bytes.withUnsafeBytes {
            Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if count >= 0 { return count }
        return errno == EAGAIN || errno == EINTR ? 0 : nil
    }

    func receive(upTo limit: Int = 256 << 10) -> Outcome {
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, filled in
            count = recv(descriptor, buffer.baseAddress, limit, 0)
            filled = max(0, count)
        }
        if count > 0 { return .bytes(bytes) }
        if count == 0 { return .end }
        return errno == EAGAIN || errno == EINTR ? .nothingYet : .reset
    }

    /// Ends the output; input can still be read.
    func endOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends the connection with a reset.
    func reset() {
        guard descriptor >= 0 else { return }
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    func close() {
        guard descriptor >= 0 else { return }
        _ = Foundation.close(descriptor)
        descriptor = -1
    }
}
