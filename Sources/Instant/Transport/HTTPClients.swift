package import AsyncHTTPClient
import Glibc
package import InstantCore
package import NIOCore
import NIOPosix

/// The HTTP clients for requests with secrets. They follow no redirect, decompress nothing, send no `Referer`, and reuse
/// connections.
///
/// `localhost` is connected to as 127.0.0.1 and, if nothing listens there, as ::1. No resolver is asked, because it could
/// name another machine (RFC 6761, section 6.3). A Unix socket is used only if this user or root is at the other end.
package struct HTTPClients: Sendable {
    /// Never shut down.
    package static let shared = HTTPClients(readTimeout: .seconds(45))

    private let four: HTTPClient
    private let six: HTTPClient

    /// - Parameter readTimeout: How long an answer may stand still; nil if the caller watches that. The library's timeout
    ///   begins before the kernel has sent the request.
    package init(readTimeout: TimeAmount? = nil) {
        four = Self.client(localhost: "127.0.0.1", readTimeout)
        six = Self.client(localhost: "::1", readTimeout)
    }

    private static func client(localhost: String, _ readTimeout: TimeAmount?) -> HTTPClient {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout.connect = .seconds(10)
        configuration.timeout.read = readTimeout
        configuration.decompression = .disabled
        configuration.dnsOverride = ["localhost": localhost]
        configuration.http1_1ConnectionDebugInitializer = { channel in
            SocketPeer.check(channel).flatMap { UnsentBytes.limit(channel) }
        }
        configuration.http2ConnectionDebugInitializer = UnsentBytes.limit
        // The session backs off: a missing server must be reported at once.
        configuration.connectionPool.retryConnectionEstablishment = false
        // Servers and proxies also close idle connections: close them here first, before a request is in flight.
        configuration.connectionPool.idleTimeout = .seconds(30)
        // Each listening layer occupies one connection: its requests must not wait for it.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1024
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Runs the body with the client that reaches a server; with both, one after the other, if `localhost` refuses.
    package func reach<Result: Sendable>(
        _ address: ServerAddress, _ body: (HTTPClient) async throws -> Result
    ) async throws -> Result {
        guard address.isLocalhost else { return try await body(four) }
        let refusal: any Error
        do { return try await body(four) } catch  where Self.isRefusal(error) { refusal = error }
        do { return try await body(six) } catch  where error is IOError || error is NIOConnectionError {
            // Nothing listens there either, or this machine has no IPv6.
            throw refusal
        }
    }

    package func execute(
        _ request: HTTPClientRequest, to recipient: SecretRecipient, deadline: NIODeadline
    ) async throws -> HTTPClientResponse {
        try await reach(recipient.address) { try await $0.execute(request, deadline: deadline) }
    }

    /// Waits for the end of all connections.
    package func shutdown() async {
        try? await four.shutdown()
        try? await six.shutdown()
    }

    package func shutdownLater() { for client in [four, six] { client.shutdown { _ in } } }

    /// Whether nothing listens there, so that nothing was sent.
    private static func isRefusal(_ error: any Error) -> Bool {
        switch error {
        case let error as IOError: error.errnoCode == ECONNREFUSED
        case let error as NIOConnectionError:
            !error.connectionErrors.isEmpty && error.connectionErrors.allSatisfy { isRefusal($0.error) }
        default: false
        }
    }
}

/// The bytes that the kernel takes before it can send them.
private enum UnsentBytes {
    /// Without a limit, the kernel takes megabytes at once, and the client cannot tell whether they move (`tcp(7)`,
    /// `TCP_NOTSENT_LOWAT`). Data in flight does not count, so throughput stays the same.
    private static let most: SocketOptionValue = 32 << 10

    @Sendable static func limit(_ channel: any Channel) -> EventLoopFuture<Void> {
        switch channel.remoteAddress {
        case .v4?, .v6?: break
        case .unixDomainSocket?, nil: return channel.eventLoop.makeSucceededVoidFuture()
        }
        return channel.setOption(
            ChannelOptions.Types.SocketOption(level: .tcp, name: .init(rawValue: TCP_NOTSENT_LOWAT)), value: most
        ).recover { _ in }  // The option only makes progress visible.
    }
}

/// The process at the other end of a Unix socket, as the kernel knows it.
enum SocketPeer {
    /// The socket belongs to another user, who would get what is sent to it.
    struct Foreign: Error, CustomStringConvertible {
        var user: uid_t
        var description: String { "its socket belongs to another user (\(user))" }
    }

    /// The value of the socket option `SO_PEERCRED`: pid, uid, gid.
    private typealias Credentials = (pid_t, uid_t, gid_t)

    /// On a Unix socket, fails before anything is sent unless this user or root is at the other end.
    @Sendable static func check(_ channel: any Channel) -> EventLoopFuture<Void> {
        switch channel.remoteAddress {
        case .v4?, .v6?: return channel.eventLoop.makeSucceededVoidFuture()
        case .unixDomainSocket?, nil: break
        }
        guard let socket = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        let credentials: EventLoopFuture<Credentials> = socket.unsafeGetSocketOption(
            level: .init(rawValue: SOL_SOCKET), name: .init(rawValue: SO_PEERCRED))
        return credentials.flatMapThrowing { peer in
            guard peer.1 == geteuid() || peer.1 == 0 else {
                // Later, because the pool must first hear that the connection failed.
                channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
                throw Foreign(user: peer.1)
            }
        }
    }
}
