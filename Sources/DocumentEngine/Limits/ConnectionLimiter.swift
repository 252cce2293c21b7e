import Annotations
import NIOCore
import Synchronization

/// Limits the open connections of each address, so that one client cannot take all that the server accepts.
final class ConnectionLimiter: Sendable {
    private let limit: Int
    private let countsLoopback: Bool
    private let limited: @Sendable () -> Void
    /// Keyed by network.
    private let counts = Mutex<[String: Int]>([:])

    /// - Parameters:
    ///   - limits: unless they state the connections per address, one address may have half of all, and the loopback any
    ///     number: either a proxy runs there, or only local programs connect.
    ///   - limited: called for each connection that is refused.
    /// - Returns: nil if there is no limit.
    init?(_ limits: ServiceLimits, limited: @escaping @Sendable () -> Void = {}) {
        limit = limits.effectiveConnectionsPerAddress
        countsLoopback = limits.connectionsPerAddress != nil
        self.limited = limited
        guard limit > 0 else { return nil }
    }

    /// Counts a new connection until it closes, or closes it at once.
    func admit(_ channel: any Channel) {
        guard let address = channel.remoteAddress?.ipAddress else { return }
        guard enter(address) else {
            limited()
            // Later, because the connection is still being set up.
            return channel.eventLoop.execute { channel.close(promise: nil) }
        }
        channel.closeFuture.whenComplete { [self] _ in leave(address) }
    }

    /// - Returns: whether the address may have one more connection.
    func enter(_ address: String) -> Bool {
        let network = ClientNetwork.of(address)
        guard countsLoopback || !Self.isLoopback(network) else { return true }
        return counts.withLock { counts in
            let count = counts[network, default: 0]
            guard count < limit else { return false }
            counts[network] = count + 1
            return true
        }
    }

    func leave(_ address: String) {
        let network = ClientNetwork.of(address)
        counts.withLock { counts in
            guard let count = counts[network] else { return }
            counts[network] = count > 1 ? count - 1 : nil
        }
    }

    /// The number of addresses with connections.
    var count: Int { counts.withLock(\.count) }

    private static func isLoopback(_ network: String) -> Bool {
        network.begins(with: "127.") || network == ClientNetwork.of("::1")
    }
}
