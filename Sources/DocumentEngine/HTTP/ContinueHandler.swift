import NIOCore
import NIOHTTP1

/// Tells those who wait to be told that their body is wanted (`Expect: 100-continue`, RFC 9110 §10.1.1): when a route
/// begins to read it, and not before, so that a body that would be refused is never sent. curl waits a second with every
/// large file where nobody tells it.
final class ContinueHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Triggered on the channel of a request when its body is about to be read.
    struct BodyIsWanted: Sendable {}

    private var isWaitedFor = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            // Whoever speaks HTTP/1.0 would take it for the answer.
            isWaitedFor =
                head.version == .http1_1 && head.headers["Expect"].contains { $0.lowercased() == "100-continue" }
        case .body, .end: isWaitedFor = false
        }
        context.fireChannelRead(data)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is BodyIsWanted else { return context.triggerUserOutboundEvent(event, promise: promise) }
        promise?.succeed()
        guard isWaitedFor else { return }
        isWaitedFor = false
        context.writeAndFlush(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
    }
}

@available(*, unavailable)
extension ContinueHandler: Sendable {}
