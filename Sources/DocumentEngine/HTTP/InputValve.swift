import NIOCore
import NIOHTTP1

/// Limits how much of a client's input is read: the first handler of a connection, behind TLS and before the decoder.
///
/// Unwanted input is not read, so it stays in the client's system and costs the server nothing: the body of a request
/// until a route wants it, and everything after the last request.
final class InputValve: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = Never

    /// Reading pauses after this many bytes of a body that no route has asked for.
    static let unwantedBytes = 64 << 10
    /// Reading ends after this many bytes of a request that was refused, so that a client that sends all of a small
    /// body before it reads gets the response. One turn of the event loop reads up to 256 KB more, so the total is less
    /// than 1 MB.
    static let refusedBytes = 704 << 10
    /// The bytes that may be read after a body that was wanted at first, and after any other last request.
    static let lastBytes = 256 << 10
    /// The encoding of a chunked body may take this many bytes for each byte of content, in addition to
    /// ``unwantedBytes``: chunks of one byte take six, extensions of chunks (RFC 9112 §7.1.1) any number.
    static let chunkOverhead = 16

    private enum Mode {
        case open, discarding
    }

    private var context: ChannelHandlerContext?
    private var mode = Mode.open
    /// Bytes read since the newest request began, including the whole read that contained its head.
    private var taken = 0
    private var lastRead = 0
    private var limit = Int.max
    private var isHeld = false
    /// The content of a chunked body so far; nil: the body is not chunked.
    private var content: Int?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    // MARK: Decisions of other handlers

    /// Begins a request whose body is read once a route wants it.
    func requestBegan(holdsBody: Bool, isChunked: Bool) {
        guard mode == .open else { return }
        taken = lastRead
        content = isChunked ? 0 : nil
        limit = holdsBody ? Self.unwantedBytes : .max
    }

    func bodyCame(bytes: Int) { content? += bytes }

    func requestEnded() {
        guard mode == .open else { return }
        content = nil
        limit = .max
    }

    /// Reads on without a limit.
    func open() {
        guard mode == .open else { return }
        limit = .max
        resume()
    }

    /// Reads and drops a limited number of bytes, then stops reading, because nothing that follows is wanted. Still
    /// detects the end of the connection.
    func discard() {
        guard mode == .open else { return }
        mode = .discarding
        limit = max(Self.refusedBytes, taken + Self.lastBytes)
        resume()
    }

    private func resume() {
        guard isHeld, taken < limit, let context else { return }
        isHeld = false
        context.read()
    }

    // MARK: Bytes

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastRead = unwrapInboundIn(data).readableBytes
        taken += lastRead
        guard mode == .open else { return }
        context.fireChannelRead(data)
        if let content, taken > Self.unwantedBytes + lastRead + content * Self.chunkOverhead, mode == .open {
            discard()
            context.fireErrorCaught(HTTPParserError.invalidChunkSize)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.fireChannelReadComplete()
        // No handler behind the valve requests dropped bytes.
        if mode == .discarding { read(context: context) }
    }

    func read(context: ChannelHandlerContext) {
        isHeld = taken >= limit
        if !isHeld { context.read() }
    }
}

@available(*, unavailable)
extension InputValve: Sendable {}
