import Glibc

/// The other end of a Unix socket.
enum UnixSocket {
    /// The process that listens, as the kernel knows it.
    struct Listener: Hashable, Sendable {
        /// 0: in another PID namespace.
        var pid: pid_t
        var user: uid_t
    }

    /// The limit of a socket's path (unix(7)), without the final zero.
    static let maxPathBytes = 107

    /// Connects and closes. Blocks briefly.
    ///
    /// - Returns: nil if no process listens.
    static func listener(at path: String) -> Listener? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // With a full queue of connections, such as that of a stopped process, connecting would block for good.
        var time = timeval(tv_sec: 2, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < room else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isConnected else { return nil }
        // The value of SO_PEERCRED: pid, uid, gid.
        var credentials: (pid_t, uid_t, gid_t) = (0, uid_t.max, gid_t.max)
        var size = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
        return Listener(pid: credentials.0, user: credentials.1)
    }
}
