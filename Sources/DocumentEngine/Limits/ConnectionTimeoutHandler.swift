import NIOCore
import NIOHTTP1

/// Checks a connection every second while the server waits for the client, and closes it on a timeout. A connection
/// that is idle between requests uses one timer for all pauses; an idle listener uses none.
final class ConnectionTimeoutHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let uptime: @Sendable () -> Duration
    private let closed: @Sendable (ConnectionTimeouts.Problem) -> Void
    private var pace: ConnectionTimeouts
    private var clock: RepeatedTask?
    private var rest: Scheduled<Void>?
    private var hasInputEnded = false
    private var inputEnds: (@Sendable () -> Void)?

    /// - Parameter closed: called with the reason for closing a connection, except for the idle timeout.
    init(
        _ limits: ServiceLimits, uptime: @escaping @Sendable () -> Duration,
        closed: @escaping @Sendable (ConnectionTimeouts.Problem) -> Void
    ) {
        (self.uptime, self.closed) = (uptime, closed)
        pace = ConnectionTimeouts(limits, at: uptime())
    }

    func handlerAdded(context: ChannelHandlerContext) {
        watch(context)
        watchRest(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        endInput()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { endInput() }
        context.fireUserInboundEventTriggered(event)
    }

    /// Calls the body once, on the event loop, when the client closes its side, or immediately if it already has. For
    /// responses that take long.
    func whenInputEnds(_ body: @escaping @Sendable () -> Void) {
        if hasInputEnded { body() } else { inputEnds = body }
    }

    private func endInput() {
        hasInputEnded = true
        inputEnds?()
        inputEnds = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: pace.headCame(at: uptime())
        case .body(let buffer): pace.bodyCame(bytes: buffer.readableBytes, at: uptime())
        case .end: pace.requestEnded(at: uptime())
        }
        context.fireChannelRead(data)
    }

    // Once per read instead of per part: most requests are complete by now.
    func channelReadComplete(context: ChannelHandlerContext) {
        watch(context)
        watchRest(context)
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            pace.answerEnded(at: uptime())
            watchRest(context)
        }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        pace.writabilityChanged(context.channel.isWritable, at: uptime())
        watch(context)
        context.fireChannelWritabilityChanged()
    }

    private func watch(_ context: ChannelHandlerContext) {
        guard pace.isWatched else { return stopClock() }
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

    /// A pending timer checks on expiry whether it fired too early, so a busy connection sets no new ones.
    private func watchRest(_ context: ChannelHandlerContext) {
        guard rest == nil, let end = pace.restEnds else { return }
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        rest = context.eventLoop.scheduleTask(in: TimeAmount(max(.zero, end - uptime()))) {
            let (handler, context) = bound.value
            handler.checkDrain(context)
        }
    }

    private func checkDrain(_ context: ChannelHandlerContext) {
        rest = nil
        guard let end = pace.restEnds else { return }
        guard uptime() >= end else { return watchRest(context) }
        stop()
        context.close(promise: nil)
    }

    private func stop() {
        stopClock()
        rest?.cancel()
        rest = nil
    }

    private func stopClock() {
        clock?.cancel()
        clock = nil
    }
}

@available(*, unavailable)
extension ConnectionTimeoutHandler: Sendable {}
