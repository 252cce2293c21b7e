import NIOCore
import NIOHTTP1

/// Ends a connection where HTTP says that it ends (RFC 9112 §9.3). The framework looks only for the exact field value
/// `close`: it keeps connections of HTTP/1.0 open, and those of `Connection: Close, TE`. SwiftNIO reads nothing more
/// after a request that asks for another protocol, or for a tunnel: its connection ends with the answer, too.
///
/// A connection ends in two steps (RFC 9112 §9.6): the server says that it has said everything, and goes on reading until
/// the client has. The framework does not read any more then, and a client that is still sending its body would wait for
/// room. What comes is dropped; ``LinePaceHandler`` limits how long it may take.
///
/// A request also gets one answer at most. When a body turns out to be malformed after the request was refused, the
/// framework answers once more, with 400: that answer is dropped, and the connection ends.
final class PersistenceHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private var requests = 0
    private var isInBody = false
    private var answers = 0
    /// Known once something malformed came: nothing is read after it.
    private var mostAnswers = Int.max
    /// Everything was said.
    private var isEnding = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isEnding else { return }
        switch unwrapInboundIn(data) {
        case .head(var head):
            requests += 1
            isInBody = true
            let options = head.headers[canonicalForm: "Connection"].map { $0.lowercased() }
            let ends = head.version == .http1_0 ? !options.contains("keep-alive") : options.contains("close")
            guard ends || head.method == .CONNECT || head.headers.contains(name: "Upgrade") else { break }
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            return context.fireChannelRead(wrapInboundOut(.head(head)))
        case .body: break
        case .end: isInBody = false
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if isEnding { context.read() }
        context.fireChannelReadComplete()
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        context.close(mode: mode, promise: promise)
        guard mode == .output else { return }
        isEnding = true
        context.read()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A malformed head has its answer, too: 400.
        if error is HTTPParserError { mostAnswers = min(mostAnswers, requests + (isInBody ? 0 : 1)) }
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head(let head) = unwrapOutboundIn(data), head.status.code >= 200 { answers += 1 }
        if answers > mostAnswers { promise?.succeed() } else { context.write(data, promise: promise) }
    }
}

@available(*, unavailable)
extension PersistenceHandler: Sendable {}
