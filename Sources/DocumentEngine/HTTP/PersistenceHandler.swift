import NIOCore
import NIOHTTP1

/// Closes a connection when HTTP requires it (RFC 9112 §9.3). The framework only recognises the exact field value
/// `close`: it keeps connections of HTTP/1.0 open, and those of `Connection: Close, TE`. SwiftNIO stops parsing after a
/// request with `Upgrade` or `CONNECT`, so the connection also closes after that response. It also closes after every
/// response with `Connection: close`, whatever follows its request, for example the rest of a refused body.
///
/// A connection closes in two steps (RFC 9112 §9.6): the server closes its sending side, then the client closes. A
/// client that is still sending meanwhile must not be reset before it has read the response, so a limited amount of what
/// it sends is dropped (``InputValve``), for a limited time (``ConnectionTimeouts``).
///
/// A request gets at most one response. When a body turns out to be malformed after the request was refused, the
/// framework sends a second response, 400: that one is dropped, and the connection closes.
final class PersistenceHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let valve: InputValve
    private var requests = 0
    private var isInBody = false
    private var answers = 0
    /// The maximum number of responses, set once malformed input arrives, after which nothing is read.
    private var maxResponses = Int.max
    /// The number of the request after whose response the connection closes.
    private var last = Int.max
    /// SwiftNIO's decoder stores what arrives after this request without parsing it.
    private var isLast = false
    /// The numbers of the requests of HTTP/1.0 that have no response yet.
    private var oldRequests: [Int] = []
    /// The response being sent is the last.
    private var isLastAnswer = false
    /// The last response is written, but not flushed.
    private var isAnswered = false
    /// The sending side is closed, or closes as soon as everything is sent; input is dropped.
    private var isEnding = false

    init(valve: InputValve) { self.valve = valve }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isEnding else { return }
        switch unwrapInboundIn(data) {
        case .head(var head):
            requests += 1
            isInBody = true
            let isOld = head.version == .http1_0
            if isOld {
                oldRequests.append(requests)
                // The only version without a mandatory Host (RFC 9112 §3.2); an empty one is valid.
                if !head.headers.contains(name: "Host") { head.headers.add(name: "Host", value: "") }
            }
            let options = head.headers[canonicalForm: "Connection"].map { $0.lowercased() }
            let ends = isOld ? !options.contains("keep-alive") : options.contains("close")
            isLast = head.method == .CONNECT || head.headers.contains(name: "Upgrade")
            if ends || isLast {
                last = min(last, requests)
                head.headers.replaceOrAdd(name: "Connection", value: "close")
            }
            return context.fireChannelRead(wrapInboundOut(.head(head)))
        case .body: break
        case .end:
            isInBody = false
            if isLast { valve.discard() }
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is HTTPParserError {
            // A malformed head also gets a response: 400.
            maxResponses = min(maxResponses, requests + (isInBody ? 0 : 1))
            valve.discard()
        }
        context.fireErrorCaught(error)
    }

    // MARK: Responses

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isEnding else {
            promise?.fail(ChannelError.outputClosed)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.code >= 200:
            answers += 1
            guard answers <= maxResponses else {
                promise?.succeed()
                return
            }
            prepare(&head)
            return context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end where answers <= maxResponses: isAnswered = isLastAnswer
        default: break
        }
        if answers > maxResponses { promise?.succeed() } else { context.write(data, promise: promise) }
    }

    private func prepare(_ head: inout HTTPResponseHead) {
        isLastAnswer =
            answers >= last || head.headers[canonicalForm: "Connection"].contains { $0.lowercased() == "close" }
        if oldRequests.first == answers {
            oldRequests.removeFirst()
            // HTTP/1.0 knows no chunks (RFC 9112 §6.1): the body ends with the connection. SwiftNIO decides by the
            // version of the response.
            if head.status.mayHaveResponseBody, !head.headers.contains(name: "Content-Length") {
                head.version = .http1_0
                isLastAnswer = true
            }
        }
        if isLastAnswer { head.headers.replaceOrAdd(name: "Connection", value: "close") }
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        guard isAnswered, !isEnding else { return }
        close(context: context, mode: .output, promise: nil)
        // The framework reads on until the end of the request, which may never come.
        context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }

    // MARK: The end

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .output else { return context.close(mode: mode, promise: promise) }
        guard !isEnding else {
            promise?.succeed()
            return
        }
        isEnding = true
        valve.discard()
        context.close(mode: .output, promise: promise)
    }
}

@available(*, unavailable)
extension PersistenceHandler: Sendable {}
