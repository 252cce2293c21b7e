import EventLoops
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypesHTTP1

/// A connection whose tasks run on the thread of its own event loop: between a request that was read and an answer that
/// is written nothing has to be handed to another thread, unless it blocks. What blocks goes to ``Engine``'s threads.
/// Pushes do not even take a task: see ``PushHandler``.
struct OnItsLoop<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    /// Of each connection.
    let pace: @Sendable () -> LinePaceHandler
    /// nil: pushes are answered as everything else is.
    let push: PushHandler.Push?

    /// They stand before requests are translated for the framework, which takes longer than reading them.
    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            // What a connection's first request is read into is kept for as long as there is the connection. Most fit
            // into this; what reads more gets more.
            try channel.syncOptions?.setOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 1024, maximum: 64 << 10))
            let pipeline = channel.pipeline.syncOperations
            let translation = try pipeline.context(handlerType: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandler(pace(), position: .before(translation.handler))
            if let push { try pipeline.addHandler(PushHandler(push), position: .before(translation.handler)) }
            try pipeline.addHandler(ContinueHandler(), position: .before(translation.handler))
            try pipeline.addHandler(StreamHandler(), position: .before(translation.handler))
            return value
        }
    }

    func handle(value: Base.Value, logger: Logger) async {
        await withTaskExecutorPreference(LoopExecutor(loop: value.channel.eventLoop)) {
            await base.handle(value: value, logger: logger)
        }
    }
}
