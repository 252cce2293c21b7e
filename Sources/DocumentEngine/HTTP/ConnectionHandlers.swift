import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypesHTTP1

/// The framework's connection with handlers of our own: time limits, the end of a connection, `100 Continue`, and the way
/// out for streams of events (``Streams``). They stand where requests are still those of SwiftNIO, which know their version
/// of HTTP.
struct ConnectionHandlers<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    /// Of each connection.
    let pace: @Sendable () -> LinePaceHandler

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            // The buffer of a connection's first read is kept for as long as the connection. Most requests fit into this
            // one; what is larger gets more.
            try channel.syncOptions?.setOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 1024, maximum: 64 << 10))
            let pipeline = channel.pipeline.syncOperations
            let translation = try pipeline.context(handlerType: HTTP1ToHTTPServerCodec.self)
            for handler in [pace(), PersistenceHandler(), ContinueHandler(), StreamHandler()] as [any ChannelHandler] {
                try pipeline.addHandler(handler, position: .before(translation.handler))
            }
            return value
        }
    }

    func handle(value: Base.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
