import EventLoops
import HummingbirdCore
import Logging
import NIOCore

/// A connection whose tasks run on the thread of its own event loop: between a request that was read and an answer that
/// is written nothing has to be handed to another thread, unless it blocks. What blocks goes to ``Engine``'s threads.
/// Pushes do not even take a task: see ``PushHandler``.
struct OnItsLoop<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    /// nil: pushes are answered as everything else is.
    let push: PushHandler.Push?

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        let ready = base.setup(channel: channel, logger: logger)
        guard let push else { return ready }
        return ready.flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let last = try pipeline.handler(type: HTTPConnectionStateHandler.self)
            try pipeline.addHandler(PushHandler(push), position: .after(last))
            return value
        }
    }

    func handle(value: Base.Value, logger: Logger) async {
        await withTaskExecutorPreference(LoopExecutor(loop: value.channel.eventLoop)) {
            await base.handle(value: value, logger: logger)
        }
    }
}
