import Foundation
import InstantCore
import NIOCore
import NIOPosix
import Synchronization
import TestThreads

@testable import Instant

/// A server that answers requests from a script, whatever they contain, and keeps its connections open.
final class ScriptedServer: Sendable {
    enum Step: Hashable, Sendable {
        case say(String)
        case sayAndClose(String)
        case close
        /// Wait for ``say(_:on:)``.
        case wait
    }

    private struct State {
        var script: [Step]
        var channels: [any Channel] = []
        /// The number of pieces in which each request arrived.
        var pieces: [Int] = []
        /// The full text of each request.
        var texts: [String] = []
    }

    private let state: Mutex<State>
    let address: ServerAddress

    private init(_ script: [Step], _ address: ServerAddress) {
        state = Mutex(State(script: script))
        self.address = address
    }

    static func run(_ script: [Step], _ body: (ScriptedServer, HTTPTransport) async throws -> Void) async throws {
        let place = Mutex<ScriptedServer?>(nil)
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let server = place.withLock({ $0 }) else { return }
                    try channel.pipeline.syncOperations.addHandler(server.joined(by: channel))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let url = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)"
        let server = ScriptedServer(script, try ServerAddress(URL(string: url) ?? URL(filePath: "/")))
        place.withLock { $0 = server }
        let http = HTTPClients()
        do {
            try await Watchdog.shared.watch("a scripted server") {
                try await body(server, HTTPTransport(http: http, address: server.address))
            }
        } catch {
            await http.shutdown()
            throw error
        }
        await http.shutdown()
        try await channel.close()
    }

    private func joined(by channel: any Channel) -> Handler {
        state.withLock { $0.channels.append(channel) }
        return Handler(self)
    }

    var connections: Int { state.withLock { $0.channels.count } }
    var pieces: [Int] { state.withLock { $0.pieces } }
    var texts: [String] { state.withLock { $0.texts } }

    func say(_ text: String, on connection: Int) {
        let channel = state.withLock { $0.channels[connection] }
        channel.writeAndFlush(ByteBuffer(string: text), promise: nil)
    }

    /// Waits until this many requests have arrived.
    func heard(_ count: Int) async throws { try await waitUntil("\(count) requests arrive") { pieces.count >= count } }

    /// Waits until the client has closed this connection.
    func closed(_ connection: Int) async {
        let channel = state.withLock { $0.channels[connection] }
        try? await channel.closeFuture.get()
    }

    private func next(after pieces: Int, _ text: String) -> Step {
        state.withLock { state in
            state.pieces.append(pieces)
            state.texts.append(text)
            return state.script.isEmpty ? .close : state.script.removeFirst()
        }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let server: ScriptedServer
        private var text = ""
        private var pieces = 0

        init(_ server: ScriptedServer) { self.server = server }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            text += String(buffer: unwrapInboundIn(data))
            pieces += 1
            guard let end = text.range(of: "\r\n\r\n")?.upperBound else { return }
            let length = text.firstMatch(of: /content-length: (\d+)/.ignoresCase()).flatMap { Int($0.1) } ?? 0
            guard text[end...].utf8.count >= length else { return }
            let step = server.next(after: pieces, text)
            (text, pieces) = ("", 0)
            switch step {
            case .say(let answer): say(answer, context)
            case .sayAndClose(let answer):
                say(answer, context)
                context.close(promise: nil)
            case .close: context.close(promise: nil)
            case .wait: break
            }
        }

        private func say(_ text: String, _ context: ChannelHandlerContext) {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        }
    }
}
