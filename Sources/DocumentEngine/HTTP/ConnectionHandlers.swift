import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypesHTTP1
import Synchronization

/// The framework's connection with handlers of our own: time limits, the end of a connection, `100 Continue`, and the way
/// out for streams of events (``DetachedStreams``). They stand where requests are still those of SwiftNIO, which know their version
/// of HTTP.
struct ConnectionHandlers<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    /// Of each connection.
    let pace: @Sendable () -> ConnectionTimeoutHandler

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Accepted<Base.Value>> {
        base.setup(channel: channel, logger: logger).map { value in
            Accepted(value) { await base.handle(value: $0, logger: logger) }
        }.flatMapThrowing { accepted in
            // The buffer of a connection's first read is kept for as long as the connection. Most requests fit into this
            // one; what is larger gets more.
            try channel.syncOptions?.setOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 1024, maximum: 64 << 10))
            let pipeline = channel.pipeline.syncOperations
            let translation = try pipeline.context(handlerType: HTTP1ToHTTPServerCodec.self)
            for handler in [pace(), PersistenceHandler(), ContinueHandler(), StreamTakeoverHandler()]
                as [any ChannelHandler]
            {
                try pipeline.addHandler(handler, position: .before(translation.handler))
            }
            return accepted
        }
    }

    func handle(value: Accepted<Base.Value>, logger: Logger) async {
        await base.handle(value: value.take(), logger: logger)
    }
}

/// An accepted connection that the framework has not taken yet. If the server stops now, the connection is dropped, and
/// SwiftNIO traps when its writer is released unfinished (swift-nio issue 2637). Such a connection is closed here, without
/// answering anything.
final class Accepted<Value: ServerChildChannelValue>: ServerChildChannelValue {
    private let value: Value
    private let serve: @Sendable (Value) async -> Void
    private let isTaken = Atomic(false)

    init(_ value: Value, serve: @escaping @Sendable (Value) async -> Void) { (self.value, self.serve) = (value, serve) }

    deinit {
        guard !isTaken.load(ordering: .relaxed) else { return }
        value.channel.close(promise: nil)
        Task { [value, serve] in
            // A task that is cancelled reads no request: it only finishes the writer.
            withUnsafeCurrentTask { $0?.cancel() }
            await serve(value)
        }
    }

    var channel: any Channel { value.channel }

    func take() -> Value {
        isTaken.store(true, ordering: .relaxed)
        return value
    }
}
