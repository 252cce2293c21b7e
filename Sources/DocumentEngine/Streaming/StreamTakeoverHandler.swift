import NIOCore
import NIOHTTP1

/// Takes over a connection from the framework during a response, for a stream that continues for hours: the framework's
/// per-connection state is larger than everything else a listener needs.
///
/// It precedes the framework's codec. After the takeover, the framework sees the connection as closed, and nothing
/// passes between the two.
final class StreamTakeoverHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let valve: InputValve
    private let pace: ConnectionTimeoutHandler
    private var isTaken = false
    private var context: ChannelHandlerContext?

    init(valve: InputValve, pace: ConnectionTimeoutHandler) { (self.valve, self.pace) = (valve, pace) }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Takes over the connection. The framework's output must have been written.
    func take() throws {
        guard let context else { throw ChannelError.ioOnClosedChannel }
        // No request follows, and the decoder takes memory.
        valve.discard()
        let pipeline = context.pipeline.syncOperations
        pipeline.removeHandler(
            context: try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self), promise: nil)
        pace.streamBegan()
        isTaken = true
    }

    // MARK: The stream

    /// - Returns: the future of the write if too much output is pending; nil if more can be written at once.
    /// - Throws: an error if the connection is closed.
    func send(_ bytes: ByteBuffer) throws -> EventLoopFuture<Void>? {
        guard let context, context.channel.isActive else { throw ChannelError.ioOnClosedChannel }
        let promise = context.channel.isWritable ? nil : context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: promise)
        return promise?.futureResult
    }

    /// Ends the response and closes the connection.
    ///
    /// - Returns: a future of the write, which fails if the connection is closed.
    func end() -> EventLoopFuture<Void>? {
        guard let context else { return nil }
        let promise = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        promise.futureResult.whenComplete { _ in bound.value.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: promise)
        return promise.futureResult
    }

    /// Closes the connection immediately.
    func cut() { context?.close(promise: nil) }

    // MARK: The framework

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if isTaken { promise?.fail(ChannelError.ioOnClosedChannel) } else { context.write(data, promise: promise) }
    }

    func flush(context: ChannelHandlerContext) { if !isTaken { context.flush() } }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if isTaken { promise?.succeed() } else { context.close(mode: mode, promise: promise) }
    }
}

@available(*, unavailable)
extension StreamTakeoverHandler: Sendable {}
