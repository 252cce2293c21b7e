import Logging
import NIOCore
import NIOHTTP1
import SyncProtocol

/// Gives the response to a malformed request head the form of every other error. SwiftNIO's parser fails before a
/// request exists, so no route can respond; the framework sends a 400 without a body, which is completed here.
///
/// Also reports such requests with the peer's address, which the framework does not know.
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

    init(logger: Logger, metrics: ServerMetrics) { (self.logger, self.metrics) = (logger, metrics) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? HTTPParserError, problem == nil {
            problem = error
            // Not more than debug: scanners cause many.
            logger.debug(
                "malformed request",
                metadata: [
                    "error": "\(error)", "address": "\(context.channel.remoteAddress?.ipAddress ?? "unknown")",
                ])
        }
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard let problem, case .head(var head) = unwrapOutboundIn(data), head.status == .badRequest,
            !head.headers.contains(name: ProtocolVersion.header)
        else { return context.write(data, promise: promise) }
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
