import EventLoops
import HummingbirdCore
import Logging
import NIOCore

/// A connection whose tasks run on the thread of its own event loop: between a request that was read and an answer that
/// is written nothing has to be handed to another thread, unless it blocks. What blocks goes to ``Engine``'s threads.
struct OnItsLoop<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        base.setup(channel: channel, logger: logger)
    }

    func handle(value: Base.Value, logger: Logger) async {
        await withTaskExecutorPreference(LoopExecutor(loop: value.channel.eventLoop)) {
            await base.handle(value: value, logger: logger)
        }
    }
}
