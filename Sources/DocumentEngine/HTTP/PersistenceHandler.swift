import NIOCore
import NIOHTTP1

/// Closes a connection when HTTP requires it (RFC 9112 §9.3). The framework only recognises the exact field value
/// `close`: it keeps HTTP/1.0 connections open, and those with `Connection: Close, TE`. SwiftNIO stops parsing after a
/// request with `Upgrade` or `CONNECT`, so the connection also closes after that response.
///
/// A connection closes in two steps (RFC 9112 §9.6): the server closes its sending side, then reads until the client
/// closes. The framework stops reading at that point, which would block a client that is still sending its body. This
/// handler reads and discards what arrives, for a limited time.
///
/// A request gets at most one response. When a body turns out to be malformed after the request was refused, the
/// framework sends a second response, 400: that one is dropped, and the connection closes.
final class PersistenceHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private var requests = 0
    private var isInBody = false
    private var answers = 0
    /// The maximum number of responses, set once malformed input arrives, after which nothing is read.
    private var maxResponses = Int.max
    /// Whether SwiftNIO's decoder stores what arrives after this request without parsing it.
    private var isLast = false
    /// Whether the sending side is closed, or closes as soon as everything is sent; input is then discarded.
    private var isEnding = false
    private let linger: TimeAmount
    private var end: Scheduled<Void>?

    /// - Parameter linger: the time the client has to close its side after the server has closed its own, and the time
    ///   for which it may accept no data while some is still unsent.
    init(linger: TimeAmount = .seconds(30)) { self.linger = linger }

    func handlerRemoved(context: ChannelHandlerContext) { end?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isEnding else {
            if case .end = unwrapInboundIn(data) {
                isInBody = false
                stopDecoding(context)
            }
            return
        }
        switch unwrapInboundIn(data) {
        case .head(var head):
            requests += 1
            isInBody = true
            let options = head.headers[canonicalForm: "Connection"].map { $0.lowercased() }
            let ends = head.version == .http1_0 ? !options.contains("keep-alive") : options.contains("close")
            isLast = head.method == .CONNECT || head.headers.contains(name: "Upgrade")
            guard ends || isLast else { break }
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
        guard mode == .output, !isEnding else { return context.close(mode: mode, promise: promise) }
        isEnding = true
        stopDecoding(context)
        limit(context, unsent: Self.unsent(context))
        context.close(mode: mode, promise: promise)
        context.read()
    }

    private func stopDecoding(_ context: ChannelHandlerContext) {
        guard isLast, !isInBody else { return }
        // Only once: SwiftNIO traps when a decoder is removed a second time.
        isLast = false
        try? context.pipeline.syncOperations.dropInput()
    }

    /// Closes the connection if the client accepts no data for too long, or has everything and does not close.
    private func limit(_ context: ChannelHandlerContext, unsent: Int) {
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        end = context.eventLoop.scheduleTask(in: linger) {
            let (handler, context) = bound.value
            let rest = Self.unsent(context)
            if rest < unsent { handler.limit(context, unsent: rest) } else { context.close(promise: nil) }
        }
    }

    /// The number of bytes that the connection has not accepted yet.
    private static func unsent(_ context: ChannelHandlerContext) -> Int {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A malformed head also gets a response: 400.
        if error is HTTPParserError {
            maxResponses = min(maxResponses, requests + (isInBody ? 0 : 1))
            if !isEnding { (isLast, isInBody) = (true, false) }
        }
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head(let head) = unwrapOutboundIn(data), head.status.code >= 200 { answers += 1 }
        if answers > maxResponses { promise?.succeed() } else { context.write(data, promise: promise) }
    }
}

@available(*, unavailable)
extension PersistenceHandler: Sendable {}
