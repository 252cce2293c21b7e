package import Glibc
import Logging
package import NIOCore
import NIOPosix
import Synchronization

/// Admits connections of the engine's own user only, and counts those that are open. The socket's folder keeps others
/// out; the kernel's word on who connects does so too where its mode was changed.
package final class OwnerGate: Sendable {
    private struct State {
        var open = 0
        var lastChange = ContinuousClock.now
        var lastClose: ContinuousClock.Instant?
        var changed: @Sendable () -> Void = {}
        /// Refused connections, and when they were last mentioned.
        var refused = 0
        var lastMention: ContinuousClock.Instant?
    }

    /// Another account may try again and again.
    private static let pause = Duration.seconds(60)
    private static let grace = Duration.seconds(3)

    private let state = Mutex(State())
    private let owner: uid_t
    private let logger: Logger

    init(owner: uid_t = geteuid(), logger: Logger) { (self.owner, self.logger) = (owner, logger) }

    /// Counts a new connection until it closes, or closes it at once.
    func admit(_ channel: any Channel) {
        Self.peer(of: channel).whenComplete { [self] result in
            guard case .success(let peer) = result, peer.uid == owner else {
                if let count = refuse() {
                    logger.warning("connections of another user were refused", metadata: ["count": "\(count)"])
                }
                // Later, because the connection is still being set up.
                return channel.eventLoop.execute { channel.close(promise: nil) }
            }
            change(by: 1)
            channel.closeFuture.whenComplete { [self] _ in change(by: -1) }
        }
    }

    /// Counts a refused connection.
    ///
    /// - Returns: how many to mention; nil: none now.
    func refuse(at now: ContinuousClock.Instant = .now) -> Int? {
        state.withLock { state in
            state.refused += 1
            if let last = state.lastMention, last.duration(to: now) < Self.pause { return nil }
            defer { (state.refused, state.lastMention) = (0, now) }
            return state.refused
        }
    }

    private func change(by count: Int) {
        let changed = state.withLock { state in
            state.open += count
            state.lastChange = .now
            if count < 0 { state.lastClose = state.lastChange }
            return state.changed
        }
        changed()
    }

    /// - Parameter body: called when a connection has come or gone.
    func whenChanged(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.changed = body } }

    /// Whether a connection was closed within the last seconds. Its process may be about to end.
    var hasJustClosed: Bool { state.withLock { $0.lastClose.map { .now - $0 < Self.grace } ?? false } }

    var connections: Int { state.withLock(\.open) }

    /// How long there has been no connection; nil: there is one.
    func idle(since start: ContinuousClock.Instant = .now) -> Duration? {
        state.withLock { $0.open > 0 ? nil : $0.lastChange.duration(to: start) }
    }

    /// The process at the other end, as the kernel knows it.
    package struct Peer: Hashable, Sendable {
        /// 0: in another PID namespace.
        package var pid: pid_t
        package var uid: uid_t
    }

    /// The value of the socket option `SO_PEERCRED`: pid, uid, gid.
    private typealias Credentials = (pid_t, uid_t, gid_t)

    /// - Returns: fails if the connection is not a Unix socket.
    package static func peer(of channel: any Channel) -> EventLoopFuture<Peer> {
        guard let socket = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        let credentials: EventLoopFuture<Credentials> = socket.unsafeGetSocketOption(
            level: .init(rawValue: SOL_SOCKET), name: .init(rawValue: SO_PEERCRED))
        return credentials.map { Peer(pid: $0.0, uid: $0.1) }
    }
}
