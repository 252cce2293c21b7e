import NIOCore
import NIOHTTPTypes

/// Looks at a connection every second while it is the client's turn, and closes it when that takes too long. An idle
/// listener costs no timer.
final class LinePaceHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let uptime: @Sendable () -> Duration
    private let closed: @Sendable (LinePace.Problem) -> Void
    private var pace: LinePace
    private var clock: RepeatedTask?

    /// - Parameter closed: told why a connection was closed.
    init(
        _ limits: ServiceLimits, uptime: @escaping @Sendable () -> Duration,
        closed: @escaping @Sendable (LinePace.Problem) -> Void
    ) {
        (self.uptime, self.closed) = (uptime, closed)
        pace = LinePace(limits, at: uptime())
    }

    func handlerAdded(context: ChannelHandlerContext) { watch(context) }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: pace.headCame(at: uptime())
        case .body(let buffer): pace.bodyCame(bytes: buffer.readableBytes)
        case .end: pace.requestEnded()
        }
        context.fireChannelRead(data)
    }

    // What came at once is looked at once: most requests are whole by now.
    func channelReadComplete(context: ChannelHandlerContext) {
        watch(context)
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { pace.answerEnded() }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        pace.writabilityChanged(context.channel.isWritable, at: uptime())
        watch(context)
        context.fireChannelWritabilityChanged()
    }

    private func watch(_ context: ChannelHandlerContext) {
        guard pace.isWatched else { return stop() }
        guard clock == nil else { return }
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        clock = context.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
            let (handler, context) = bound.value
            handler.look(context)
        }
    }

    private func look(_ context: ChannelHandlerContext) {
        guard let problem = pace.problem(at: uptime()) else { return }
        stop()
        closed(problem)
        context.close(promise: nil)
    }

    private func stop() {
        clock?.cancel()
        clock = nil
    }
}

@available(*, unavailable)
extension LinePaceHandler: Sendable {}
