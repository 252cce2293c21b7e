import Logging
import NIOCore
import NIOHTTP1
import SyncProtocol

/// Gives the response to a malformed request head the form of every other error. SwiftNIO's parser fails before a
/// request exists, so no route can respond; the framework sends a 400 without a body, which is completed here.
///
/// Also reports such requests with the peer's address, which the framework does not know.
///
/// It handles what the ``PersistenceHandler`` lets through, so that only errors that are sent are counted and logged.
final class MalformedRequestHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The limits of a request head: bytes of all fields, and their number.
    static let (maxHeadBytes, maxFields) = (32 << 10, 100)

    private let logger: Logger
    private let metrics: ServerMetrics
    private var problem: HTTPParserError?
    private var isLogged = false

    init(logger: Logger, metrics: ServerMetrics) { (self.logger, self.metrics) = (logger, metrics) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? HTTPParserError { problem = problem ?? error }
        context.fireErrorCaught(error)
    }

    private func log(_ problem: HTTPParserError, _ channel: any Channel) {
        guard !isLogged else { return }
        isLogged = true
        // Not more than debug: scanners cause many.
        logger.debug(
            "malformed request",
            metadata: ["error": "\(problem)", "address": "\(channel.remoteAddress?.ipAddress ?? "unknown")"])
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard let problem, case .head(var head) = unwrapOutboundIn(data), head.status == .badRequest else {
            return context.write(data, promise: promise)
        }
        log(problem, context.channel)
        // A route that was reading the body has responded.
        guard !head.headers.contains(name: ProtocolVersion.header) else {
            return context.write(data, promise: promise)
        }
        metrics.refused(.badRequest)
        let body = ErrorAnswer(.badRequest, Self.description(of: problem)).bytes
        for (name, value) in [
            ("Content-Type", "application/json"), ("Content-Length", "\(body.count)"), ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"), (ProtocolVersion.header, "\(ProtocolVersion.current)"),
            ("X-Request-Id", RequestID(nil).description),
        ] { head.headers.replaceOrAdd(name: name, value: value) }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: promise)
    }

    private static func description(of problem: HTTPParserError) -> String {
        problem == .headerOverflow
            ? "the request head is larger than \(maxHeadBytes >> 10) KB or has more than \(maxFields) fields"
            : "the request is not valid HTTP/1.1"
    }
}

@available(*, unavailable)
extension MalformedRequestHandler: Sendable {}
