import NIOCore
import NIOHTTP1

/// Closes a connection on a timeout. It checks every second while the server waits for the client. A connection that is
/// idle or waits for a response uses one timer for all pauses; an idle listener uses none.
final class ConnectionTimeoutHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Called for each connection, on its event loop.
    struct Observer: Sendable {
        var opened: @Sendable () -> Void = {}
        /// With the phase that ended.
        var closed: @Sendable (ConnectionTimeouts.Phase, Timeout?) -> Void = { _, _ in }
    }

    /// Why the server closed a connection, and the address of its peer.
    struct Timeout: Sendable {
        var problem: ConnectionTimeouts.Problem
        var peer: String?
    }

    private let uptime: @Sendable () -> Duration
    private let observer: Observer
    private var pace: ConnectionTimeouts
    private var clock: RepeatedTask?
    private var rest: (timer: Scheduled<Void>, end: Duration)?
    private var hasInputEnded = false
    private var inputEnds: (@Sendable () -> Void)?
    private var isReported = false

    init(_ limits: ServiceLimits, uptime: @escaping @Sendable () -> Duration, observer: Observer = Observer()) {
        (self.uptime, self.observer) = (uptime, observer)
        pace = ConnectionTimeouts(limits, at: uptime())
    }

    func handlerAdded(context: ChannelHandlerContext) {
        observer.opened()
        watch(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        stop()
        report(nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        report(nil)
        endInput()
        context.fireChannelInactive()
    }

    private func report(_ timeout: Timeout?) {
        guard !isReported else { return }
        isReported = true
        observer.closed(pace.phase, timeout)
    }

    // MARK: The end of the client's side

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event as? ChannelEvent {
        case .inputClosed?: endInput()
        case .outputClosed?:
            pace.outputClosed(at: uptime())
            watch(context)
        case nil: break
        }
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

    // MARK: Requests

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): pace.headCame(isBodyHeld: RequestBodies.holds(head), at: uptime())
        case .body(let buffer): pace.bodyCame(bytes: buffer.readableBytes, at: uptime())
        case .end: pace.requestEnded(at: uptime())
        }
        context.fireChannelRead(data)
    }

    // Once per read instead of per part: most requests are complete by now.
    func channelReadComplete(context: ChannelHandlerContext) {
        watch(context)
        context.fireChannelReadComplete()
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is RequestBodyHandler.BodyIsWanted else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        promise?.succeed()
        pace.bodyWanted(at: uptime())
        watch(context)
    }

    // MARK: Responses

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head, .body: if pace.phase != .stream { pace.answerMoved(at: uptime()) }
        case .end:
            pace.answerEnded(at: uptime())
            watch(context)
        }
        context.write(data, promise: promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .output {
            pace.outputCloses(at: uptime())
            watch(context)
        }
        context.close(mode: mode, promise: promise)
    }

    /// The response continues as an event stream.
    func streamBegan() {
        pace.streamBegan()
        rest?.timer.cancel()
        rest = nil
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        pace.writabilityChanged(context.channel.isWritable, at: uptime())
        watch(context)
        context.fireChannelWritabilityChanged()
    }

    // MARK: Timers

    private func watch(_ context: ChannelHandlerContext) {
        watchRest(context)
        guard pace.isWatched, !isReported else { return stopClock() }
        guard clock == nil else { return }
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        clock = context.eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { _ in
            let (handler, context) = bound.value
            handler.look(context)
        }
    }

    /// A pending timer checks on expiry whether it fired too early, so a busy connection sets no new ones.
    private func watchRest(_ context: ChannelHandlerContext) {
        guard !isReported, let end = pace.restEnds else { return }
        if let rest {
            guard end < rest.end else { return }
            rest.timer.cancel()
        }
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        let timer = context.eventLoop.scheduleTask(in: TimeAmount(max(.zero, end - uptime()))) {
            let (handler, context) = bound.value
            handler.rest = nil
            handler.look(context)
            handler.watchRest(context)
        }
        rest = (timer, end)
    }

    private func look(_ context: ChannelHandlerContext) {
        guard let problem = pace.problem(at: uptime()) else { return }
        stop()
        report(Timeout(problem: problem, peer: context.remoteAddress?.ipAddress))
        context.close(promise: nil)
    }

    private func stop() {
        stopClock()
        rest?.timer.cancel()
        rest = nil
    }

    private func stopClock() {
        clock?.cancel()
        clock = nil
    }
}

@available(*, unavailable)
extension ConnectionTimeoutHandler: Sendable {}
