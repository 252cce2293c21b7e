import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
import Synchronization

/// The framework's connection with additional handlers: limits on input, timeouts, connection close, request bodies,
/// malformed requests, and the takeover of event streams (``DetachedStreams``). They run where requests still have
/// SwiftNIO's types, which include the HTTP version; the ``InputValve`` precedes the decoder.
struct ConnectionHandlers<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    /// Creates the timeout handler of a connection.
    let pace: @Sendable () -> ConnectionTimeoutHandler
    /// Creates the handler that responds to malformed requests.
    let malformed: @Sendable () -> MalformedRequestHandler
    /// nil: an address may have any number of connections.
    var limiter: ConnectionLimiter?
    /// nil: any user may connect.
    var gate: OwnerGate?

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Accepted<Base.Value>> {
        base.setup(channel: channel, logger: logger).map { value in
            Accepted(value) { await base.handle(value: $0, logger: logger) }
        }.flatMapThrowing { accepted in
            // The buffer of a connection's first read lives as long as the connection. Most requests fit into this
            // size; larger ones get a larger buffer.
            try channel.syncOptions?.setOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 1024, maximum: 64 << 10))
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let translation = try pipeline.context(handlerType: HTTP1ToHTTPServerCodec.self)
            let (valve, pace) = (InputValve(), pace())
            try pipeline.addHandler(valve, position: .before(decoder.handler))
            for handler in [
                pace, malformed(), PersistenceHandler(valve: valve), RequestBodyHandler(valve: valve),
                StreamTakeoverHandler(valve: valve, pace: pace),
            ] as [any ChannelHandler] {
                try pipeline.addHandler(handler, position: .before(translation.handler))
            }
            limiter?.admit(channel)
            gate?.admit(channel)
            return accepted
        }
    }

    func handle(value: Accepted<Base.Value>, logger: Logger) async {
        await base.handle(value: value.take(), logger: logger)
    }
}

/// An accepted connection that the framework has not started to serve. If the server stops now, the framework drops the
/// connection, and SwiftNIO traps when its writer is released unfinished (swift-nio issue 2637). Such a connection is
/// closed here without a response.
final class Accepted<Value: ServerChildChannelValue>: ServerChildChannelValue {
    private let value: Value
    private let serve: @Sendable (Value) async -> Void
    private let isTaken = Atomic(false)

    init(_ value: Value, serve: @escaping @Sendable (Value) async -> Void) { (self.value, self.serve) = (value, serve) }

    deinit {
        guard !isTaken.load(ordering: .relaxed) else { return }
        value.channel.close(promise: nil)
        Task { [value, serve] in
            // A cancelled task reads no request: it only finishes the writer.
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
