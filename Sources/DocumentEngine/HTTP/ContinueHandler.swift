import NIOCore
import NIOHTTP1

/// Sends `100 Continue` (`Expect: 100-continue`, RFC 9110 §10.1.1) when a route starts to read the body, so that a body
/// that would be refused is never sent. Without this response, curl waits a second before each large file.
final class ContinueHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Triggered on a request's channel when its body is about to be read.
    struct BodyIsWanted: Sendable {}

    private var isWaitedFor = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            // An HTTP/1.0 client would take `100 Continue` for the final response.
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
