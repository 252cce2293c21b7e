package import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A channel's socket under a descriptor of its own, to be written to by a thread that is not the loop's.
///
/// The channel's descriptor may be closed, and belong to another connection, at any moment; this one belongs to the same
/// socket for as long as this object lives. The other end is told that the connection is over when both are closed. Who
/// writes must know that the channel has nothing left to write.
package final class SharedSocket: Sendable {
    private let descriptor: CInt

    /// On the thread of the channel's loop; nil: the channel has no socket, or is closed, or there are too many open files.
    package init?(_ channel: any Channel) {
        guard channel.isActive else { return nil }
        let found = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) {
            fcntl($0, F_DUPFD_CLOEXEC, 0)
        }
        guard let descriptor = found ?? nil, descriptor >= 0 else { return nil }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Writes what the socket takes without waiting, from the front of the buffer, and moves past it.
    ///
    /// A connection that is gone takes nothing: its loop finds out.
    package func write(_ buffer: inout ByteBuffer) {
        let sent = buffer.withUnsafeReadableBytes {
            send(descriptor, $0.baseAddress, $0.count, CInt(MSG_DONTWAIT) | CInt(MSG_NOSIGNAL))
        }
        if sent > 0 { buffer.moveReaderIndex(forwardBy: sent) }
    }
}
