import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Answers pushes where they are read: on the thread of the event loop, without a task of their own and without the
/// framework, which between them cost more than all that a small push does. Everything else goes on to the framework, and
/// so does a push that is out of the ordinary: both answer alike.
///
/// It stands last before the framework. Requests of one connection are answered in the order in which they came: a push
/// behind a request of the framework's goes there as well, and what comes behind a push is held until that is answered.
final class PushHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Gives the answer to a push once, on any thread.
    typealias Push =
        @Sendable (
            _ head: HTTPRequest, _ body: ByteBuffer, _ peer: String?, _ answer: @escaping @Sendable (Reply) -> Void
        ) -> Void

    /// Larger bodies are read piece by piece, by the framework, and not before it is known who sends them.
    static let largest = 64 << 10

    private enum State {
        /// Parts go on.
        case passing
        case reading(HTTPRequest, ByteBuffer)
        case answering
    }

    /// What came behind a push that is not answered yet.
    private enum Held {
        case part(NIOAny)
        case error(any Error)
        case event(Any)
    }

    private let push: Push
    private var state = State.passing
    /// Requests of the framework's that are not answered yet.
    private var passed = 0
    private var held: [Held] = []
    /// More was asked for while nothing more was wanted.
    private var owesRead = false
    private var peer: String?

    init(_ push: @escaping Push) { self.push = push }

    // MARK: Inbound

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (state, unwrapInboundIn(data)) {
        case (.answering, _): held.append(.part(data))
        case (.passing, .head(let head)) where passed == 0 && Self.isOrdinary(head):
            state = .reading(head, ByteBuffer())
        case (.reading(let head, var body), .body(var piece)):
            // The usual body comes in one piece, and is not copied.
            if body.readableBytes == 0 { body = piece } else { body.writeBuffer(&piece) }
            state = .reading(head, body)
        case (.reading(let head, let body), .end): answer(head, body, context)
        case (_, let part):
            if case .head = part { passed += 1 }
            context.fireChannelRead(data)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case .answering = state { held.append(.error(error)) } else { context.fireErrorCaught(error) }
    }

    /// Whoever stops sending may still read what it is answered.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .answering = state { held.append(.event(event)) } else { context.fireUserInboundEventTriggered(event) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        held = []
        context.fireChannelInactive()
    }

    // MARK: Outbound

    func read(context: ChannelHandlerContext) {
        if case .answering = state { owesRead = true } else { context.read() }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { passed -= 1 }
        context.write(data, promise: promise)
    }

    // MARK: Answering

    private func answer(_ head: HTTPRequest, _ body: ByteBuffer, _ context: ChannelHandlerContext) {
        state = .answering
        if peer == nil { peer = context.remoteAddress?.ipAddress }
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        push(head, body, peer) { reply in
            // Where it was asked, in most cases, and then at once.
            bound.eventLoop.runInPlace { bound.value.handler.send(reply, bound.value.context) }
        }
    }

    private func send(_ reply: Reply, _ context: ChannelHandlerContext) {
        // Whoever has left meanwhile left nobody to answer.
        guard context.channel.isActive else { return }
        var headers = reply.headers
        headers[.contentLength] = String(reply.body.readableBytes)
        let head = HTTPResponse(status: reply.status, headerFields: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(reply.body)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        state = .passing
        goOn(context)
    }

    private func goOn(_ context: ChannelHandlerContext) {
        while !held.isEmpty {
            if case .answering = state { return }
            switch held.removeFirst() {
            case .part(let data): channelRead(context: context, data: data)
            case .error(let error): context.fireErrorCaught(error)
            case .event(let event): context.fireUserInboundEventTriggered(event)
            }
        }
        guard owesRead else { return }
        if case .answering = state { return }
        owesRead = false
        context.read()
    }

    /// Whether it asks for nothing but an answer to a push of a size that is known and small.
    private static func isOrdinary(_ head: HTTPRequest) -> Bool {
        guard head.method == .post, head.path == "/instant/v1/changes" else { return false }
        var length: Int?
        for field in head.headerFields {
            switch field.name {
            case .contentLength: length = Int(field.value)
            case .connection where field.value.lowercased() != "keep-alive": return false
            case .expect, .upgrade, .transferEncoding, .contentEncoding: return false
            default: break
            }
        }
        return length.map { (1...largest).contains($0) } ?? false
    }
}

@available(*, unavailable)
extension PushHandler: Sendable {}

extension EventLoop {
    /// At once where this is the loop's thread, else there.
    fileprivate func runInPlace(_ body: @escaping @Sendable () -> Void) {
        if inEventLoop { body() } else { execute(body) }
    }
}
