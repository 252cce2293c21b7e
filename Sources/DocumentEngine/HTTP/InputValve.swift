import NIOCore
import NIOHTTP1

/// Limits how much of a client's input is read: the first handler of a connection, behind TLS and before the decoder.
///
/// Input that nobody wants costs the server nothing, because it is not read: the client's system holds it back. That is
/// the body of a request until a route wants it, and everything after the last request.
final class InputValve: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = Never

    /// Reading pauses after this many bytes of a body that no route has asked for.
    static let unwantedBytes = 64 << 10
    /// Reading ends after this many bytes of a request that was refused, so that a client that reads no response before
    /// its body is sent gets it if the body is small. One turn of the event loop reads up to 256 KB more: less than
    /// 1 MB in all.
    static let refusedBytes = 704 << 10
    /// What may be read after a body that was wanted at first, and after any other last request.
    static let lastBytes = 256 << 10
    /// The encoding of a chunked body may take this many bytes for each byte of content, in addition to
    /// ``unwantedBytes``: chunks of one byte take six, extensions of chunks (RFC 9112 §7.1.1) any number.
    static let chunkOverhead = 16

    private enum Mode {
        case open, discarding
    }

    private var context: ChannelHandlerContext?
    private var mode = Mode.open
    /// Bytes read since the newest request began, including all of the read that held its head.
    private var taken = 0
    private var lastRead = 0
    private var limit = Int.max
    private var isHeld = false
    /// The content of a chunked body so far; nil: the body is not chunked.
    private var content: Int?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    // MARK: Decisions of other handlers

    /// A request begins, whose body is read once it is wanted.
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

    /// Nothing that follows is wanted: reads and drops a limited number of bytes, then stops reading. The end of the
    /// connection is noticed nevertheless.
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
        // Nothing behind the valve asks for what is dropped.
        if mode == .discarding { read(context: context) }
    }

    func read(context: ChannelHandlerContext) {
        isHeld = taken >= limit
        if !isHeld { context.read() }
    }
}

@available(*, unavailable)
extension InputValve: Sendable {}
