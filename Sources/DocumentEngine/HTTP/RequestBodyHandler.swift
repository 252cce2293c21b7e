import NIOCore
import NIOHTTP1

/// Reads the body of a request when a route wants it, after `100 Continue` if the client waits for that
/// (`Expect: 100-continue`, RFC 9110 §10.1.1), and not at all if the request is refused: the response to a request whose
/// body is not read says `Connection: close`. See ``RequestBodies``.
final class RequestBodyHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Triggered on a request's channel when its body is about to be read; passed on if the body was held back.
    struct BodyIsWanted: Sendable {}

    private let valve: InputValve
    private var bodies = RequestBodies()

    init(valve: InputValve) { self.valve = valve }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            valve.requestBegan(holdsBody: bodies.headCame(head), isChunked: RequestBodies.isChunked(head))
        case .body(let buffer):
            bodies.bodyCame(bytes: buffer.readableBytes)
            valve.bodyCame(bytes: buffer.readableBytes)
        case .end:
            bodies.requestEnded()
            valve.requestEnded()
        }
        context.fireChannelRead(data)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is BodyIsWanted else { return context.triggerUserOutboundEvent(event, promise: promise) }
        let wish = bodies.wanted()
        guard wish != .nothing else {
            promise?.succeed()
            return
        }
        if wish == .readContinued {
            context.writeAndFlush(
                wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .continue))), promise: nil)
        }
        context.triggerUserOutboundEvent(event, promise: promise)
        valve.open()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data), head.status.code >= 200 else {
            return context.write(data, promise: promise)
        }
        switch bodies.answered() {
        case .nothing: break
        case .drain: valve.open()
        case .close: head.headers.replaceOrAdd(name: "Connection", value: "close")
        }
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}

@available(*, unavailable)
extension RequestBodyHandler: Sendable {}
