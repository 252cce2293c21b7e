import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// One connection for questions that have one answer each: HTTP/1.1, one at a time, kept open in between. Used on the
/// thread of its loop alone.
final class Line: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let lines: Lines
    /// nil: only the loop can ask here.
    var door: Door?
    private var call: Call?
    private var context: ChannelHandlerContext?
    /// How many answers came over it.
    private var answers = 0

    init(_ lines: Lines) { self.lines = lines }

    var isOpen: Bool { context?.channel.isActive ?? false }

    /// Asks, in one piece: a server that is woken for a head finds the body behind it.
    func ask(_ call: Call) {
        guard let context, isOpen else { return lost(call, HTTPClientError.remoteConnectionClosed) }
        self.call = call
        call.line = self
        // A head that may not be sent, or a connection that is gone already.
        let sent = context.eventLoop.makePromise(of: Void.self)
        sent.futureResult.assumeIsolated().whenFailure { [weak self] error in
            self?.end(error)
            self?.close()
        }
        context.write(wrapOutboundOut(.head(call.question.head)), promise: sent)
        if let body = call.question.body { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func close() { context?.close(promise: nil) }

    /// Takes an idle line, unless another thread was quicker.
    func claim() -> Bool { door?.claim() ?? true }

    func leaveIdle() { lines.remove(self) }

    // MARK: What comes

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let call else { return close() }
        switch unwrapInboundIn(data) {
        case .head(let head): call.head = head
        case .body(var bytes):
            if call.bytes.readableBytes == 0 { call.bytes = bytes } else { call.bytes.writeBuffer(&bytes) }
            // Whoever asked finds that it is too much; the rest is not waited for.
            guard call.bytes.readableBytes > call.question.limit else { return }
            self.call = nil
            call.answer()
            close()
        case .end:
            self.call = nil
            answers += 1
            // First back to its place: the next question may be asked by whoever hears the answer.
            if call.head?.isKeepAlive == true { lines.take(back: self) } else { close() }
            call.answer()
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        context.fireChannelInactive()
        end(HTTPClientError.remoteConnectionClosed)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isCut = (error as? HTTPParserError) == .invalidEOFState || error is ChannelError
        end(isCut ? HTTPClientError.remoteConnectionClosed : error)
        close()
    }

    private func end(_ error: any Error) {
        lines.forget(self)
        guard let call else { return }
        self.call = nil
        lost(call, error)
    }

    private func lost(_ call: Call, _ error: any Error) {
        // A server may close what has been idle just when it is asked: that says nothing of the question.
        if answers > 0, call.head == nil, (error as? HTTPClientError) == .remoteConnectionClosed, !call.isSecondTry {
            call.isSecondTry = true
            lines.connect(for: call)
        } else {
            call.fail(error)
        }
    }
}

@available(*, unavailable)
extension Line: Sendable {}

/// A question that waits for its answer.
///
/// Unchecked: used on the loop's thread alone.
final class Call: @unchecked Sendable {
    struct Question: Sendable {
        var head: HTTPRequestHead
        var body: ByteBuffer?
        var deadline: NIODeadline
        /// Bytes of an answer: a little more is given, and no more than that.
        var limit: Int
    }

    let question: Question
    var line: Line?
    var head: HTTPResponseHead?
    var bytes = ByteBuffer()
    var isSecondTry = false
    private var finish: ((Result<HTTPClientResponse, any Error>) -> Void)?
    private var clock: Scheduled<Void>?
    /// What came of it, nil while it is open. Whoever asked may learn it later: it was asked before he waits.
    private var result: Result<HTTPClientResponse, any Error>?

    init(_ question: Question) { self.question = question }

    func begin(on loop: any EventLoop, _ finish: @escaping (Result<HTTPClientResponse, any Error>) -> Void) {
        if let result { return finish(result) }
        self.finish = finish
        clock = loop.assumeIsolated().scheduleTask(deadline: question.deadline) { [self] in
            giveUp(HTTPClientError.deadlineExceeded)
        }
    }

    func cancel() { giveUp(CancellationError()) }

    /// Whether an answer is still wanted.
    var isOpen: Bool { result == nil }

    private func giveUp(_ error: any Error) {
        guard isOpen else { return }
        // It may still be answered, to nobody: the connection cannot be used for anything else.
        isSecondTry = true
        let line = line
        fail(error)
        line?.close()
    }

    func answer() {
        guard let head else { return fail(HTTPClientError.remoteConnectionClosed) }
        end(
            .success(
                HTTPClientResponse(
                    version: head.version, status: head.status, headers: head.headers, body: .bytes(bytes))))
    }

    func fail(_ error: any Error) { end(.failure(error)) }

    private func end(_ result: Result<HTTPClientResponse, any Error>) {
        guard isOpen else { return }
        self.result = result
        clock?.cancel()
        clock = nil
        line = nil
        let finish = finish.take()
        finish?(result)
    }
}
