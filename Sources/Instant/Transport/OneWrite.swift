import NIOCore

/// What is sent in one step of the loop leaves in one piece: the HTTP library sends a request's head by itself and its body
/// right behind it, and the server would wake for the first with half of what it needs.
final class OneWrite: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = NIOAny

    private var isComing = false
    private var isOver = false

    func flush(context: ChannelHandlerContext) {
        guard !isComing else { return }
        isComing = true
        // Behind what this step still has to send, before the loop waits again.
        context.eventLoop.assumeIsolated().execute { [self] in
            isComing = false
            if !isOver { context.flush() }
        }
    }

    /// What was to be sent before the end is.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        context.flush()
        context.close(mode: mode, promise: promise)
    }

    func handlerRemoved(context: ChannelHandlerContext) { isOver = true }
}

@available(*, unavailable)
extension OneWrite: Sendable {}
