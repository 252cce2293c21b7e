import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// Answers pushes where they are read: on the thread of the event loop, without a task of their own and without the
/// framework, which between them cost more than all that a small push does. Everything else goes on to the framework, and
/// so does a push that is out of the ordinary: both answer alike.
///
/// It stands before what translates requests for the framework: a push is only read for what it is asked. Requests of one
/// connection are answered in the order in which they came: a push behind a request of the framework's goes there as well,
/// and what comes behind a push is held until that is answered.
final class PushHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

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
        case (.passing, .head(let head)):
            if passed == 0, let push = HTTPRequest(ordinaryPush: head) {
                state = .reading(push, ByteBuffer())
            } else {
                passed += 1
                context.fireChannelRead(data)
            }
        case (.reading(let head, var body), .body(var piece)):
            // The usual body comes in one piece, and is not copied.
            if body.readableBytes == 0 { body = piece } else { body.writeBuffer(&piece) }
            state = .reading(head, body)
        case (.reading(let head, let body), .end): answer(head, body, context)
        case (.passing, _), (.reading, .head): context.fireChannelRead(data)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case .answering = state { held.append(.error(error)) } else { context.fireErrorCaught(error) }
    }

    /// Whoever stops sending may still read what it is answered, and a server that stops answers what it is reading.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch (state, event) {
        case (.answering, _), (.reading, is ChannelShouldQuiesceEvent): held.append(.event(event))
        default: context.fireUserInboundEventTriggered(event)
        }
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
        var head = HTTPResponse(status: reply.status, headerFields: reply.headers)
        head.headerFields[.contentLength] = String(reply.body.readableBytes)
        context.write(wrapOutboundOut(.head(HTTPResponseHead(head))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(reply.body))), promise: nil)
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
}

extension HTTPRequest {
    /// What a push's answer can depend on; nil: it asks for more than an answer to a push of a size that is known and
    /// small.
    fileprivate init?(ordinaryPush head: HTTPRequestHead) {
        guard head.method == .POST, head.uri == "/instant/v1/changes", head.version == .http1_1 else { return nil }
        var fields = HTTPFields()
        var length: Int?
        for (name, value) in head.headers {
            guard let name = Self.fieldsOfPushes.first(where: { $0.canonicalName.isCaseless(name) }) else { continue }
            switch name {
            case .contentLength: length = Int(value)
            case .connection where value.lowercased() != "keep-alive": return nil
            case .expect, .upgrade, .transferEncoding, .contentEncoding: return nil
            default: break
            }
            fields.append(HTTPField(name: name, value: value))
        }
        guard let length, (1...PushHandler.largest).contains(length) else { return nil }
        self.init(method: .post, scheme: nil, authority: nil, path: head.uri, headerFields: fields)
    }

    private static let fieldsOfPushes: [HTTPField.Name] = [
        .authorization, .contentLength, Responder.version, RequestID.header, Caller.forwarded, .connection, .expect,
        .upgrade, .transferEncoding, .contentEncoding,
    ]
}

extension String {
    /// Whether the other is the same but for the case of its ASCII letters.
    ///
    /// - Parameter other: in any case; this one is in lower case.
    fileprivate func isCaseless(_ other: String) -> Bool {
        utf8.count == other.utf8.count
            && zip(utf8, other.utf8).allSatisfy { one, other in
                one == other || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(other) && one == other | 0x20
            }
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
