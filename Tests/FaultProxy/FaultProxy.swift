import NIOCore
import NIOPosix
import Synchronization

/// A TCP proxy on loopback in front of a server, with one fault per connection as the test defines.
package final class FaultProxy: Sendable {
    /// Returns the fault of a connection, by its number from 0.
    package typealias Script = @Sendable (Int) -> Fault

    package let port: Int
    private let listener: any Channel
    private let state: Mutex<State>

    private struct State {
        var script: Script
        var count = 0
        var open: [any Channel] = []
    }

    package init(to port: Int, _ script: @escaping Script = { _ in .none }) async throws {
        let state = Mutex(State(script: script))
        self.state = state
        let accepted = AcceptedLines()
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { accepted.take($0, to: port) }
            .bind(host: "127.0.0.1", port: 0).get()
        guard let here = listener.localAddress?.port else { throw ChannelError.unknownLocalAddress }
        self.port = here
        accepted.proxy = self
    }

    deinit { listener.close(promise: nil) }

    package var url: String { "http://127.0.0.1:\(port)" }
    /// The number of connections so far.
    package var connections: Int { state.withLock(\.count) }

    /// Sets the faults of new connections; their numbers restart at 0.
    package func follow(_ script: @escaping Script) {
        state.withLock { state in
            state.script = script
            state.count = 0
        }
    }

    /// Resets every open line.
    package func cut() {
        let open = state.withLock { state in
            defer { state.open = [] }
            return state.open
        }
        for channel in open { channel.reset() }
    }

    fileprivate func fault(for channel: any Channel) -> Fault {
        state.withLock { state in
            defer { state.count += 1 }
            state.open.removeAll { !$0.isActive }
            state.open.append(channel)
            return state.script(state.count)
        }
    }
}

/// Connects each accepted connection to the server through another one, on the same loop.
private final class AcceptedLines: Sendable {
    private struct Weak { weak var proxy: FaultProxy? }
    private let state = Mutex(Weak())

    var proxy: FaultProxy? {
        get { state.withLock(\.proxy) }
        set { state.withLock { $0.proxy = newValue } }
    }

    func take(_ client: any Channel, to port: Int) -> EventLoopFuture<Void> {
        guard let fault = proxy?.fault(for: client), fault != .refuse else {
            client.reset()
            return client.eventLoop.makeSucceededVoidFuture()
        }
        return ClientBootstrap(group: client.eventLoop).channelOption(.autoRead, value: false)
            .connect(host: "127.0.0.1", port: port)
            .flatMap { server in
                client.eventLoop.makeCompletedFuture {
                    let line = Line(fault: fault, client: client, server: server)
                    try client.pipeline.syncOperations.addHandler(LineEnd(line, .up))
                    try server.pipeline.syncOperations.addHandler(LineEnd(line, .down))
                    for channel in [client, server] { _ = channel.setOption(.autoRead, value: true) }
                }
            }
            .flatMapErrorThrowing { _ in client.reset() }
    }
}

extension Channel {
    /// Closes with RST instead of FIN: data in transit is lost.
    func reset() {
        guard let socket = self as? any SocketOptionProvider else { return close(promise: nil) }
        socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in self.close(promise: nil) }
    }
}
