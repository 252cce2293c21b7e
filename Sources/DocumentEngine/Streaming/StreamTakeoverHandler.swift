import NIOCore
import NIOHTTP1

/// Takes a connection from the framework in the middle of an answer, for a stream that goes on for hours: what the
/// framework keeps for a connection is more than all that a listener needs.
///
/// It stands before what translates for the framework. Once the line is taken, the framework is told that the
/// connection is closed, and nothing passes between the two any more.
final class StreamTakeoverHandler: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private var isTaken = false
    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// What the framework was told to write must have been written.
    func take() throws {
        guard let context else { throw ChannelError.ioOnClosedChannel }
        // What reads requests is not needed any more.
        try context.pipeline.syncOperations.dropInput()
        isTaken = true
    }

    // MARK: The stream

    /// - Returns: when it has left, where too much is on its way already; nil: more may follow at once.
    /// - Throws: when the connection is gone.
    func send(_ bytes: ByteBuffer) throws -> EventLoopFuture<Void>? {
        guard let context, context.channel.isActive else { throw ChannelError.ioOnClosedChannel }
        let promise = context.channel.isWritable ? nil : context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: promise)
        return promise?.futureResult
    }

    /// Ends the answer, and with it the connection.
    ///
    /// - Returns: when it has left, or never will.
    func end() -> EventLoopFuture<Void>? {
        guard let context else { return nil }
        let promise = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        promise.futureResult.whenComplete { _ in bound.value.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: promise)
        return promise.futureResult
    }

    /// Waits for nothing.
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

extension ChannelPipeline.SynchronousOperations {
    /// Reads no requests any more: what arrives is dropped, and that the client leaves is still seen.
    func dropInput() throws {
        let reader = try context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try addHandler(DeafHandler(), position: .before(reader.handler))
        removeHandler(context: reader, promise: nil)
    }
}

/// Reads and drops.
private final class DeafHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {}
    func channelReadComplete(context: ChannelHandlerContext) { context.read() }
}
